// Package paths says where things lie on the user's machine: the places that
// are documented, and what ~ stands for.
package paths

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The documented places, to be expanded.
const (
	Database = "~/.config/opencode/mcp-memory/memory.db"
	Models   = "~/.cache/mcp-memory-v2/models"
)

// Expand replaces a leading ~ by the home folder.
func Expand(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") && !strings.HasPrefix(path, `~\`) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home folder for %s: %w", path, err)
	}
	return filepath.Join(home, path[1:]), nil
}
