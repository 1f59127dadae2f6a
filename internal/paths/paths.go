// Package paths says where things lie on the user's machine: the places that
// are documented, and what a path that a person or a client wrote means.
package paths

import (
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
)

// The documented places, to be expanded.
const (
	Database = "~/.config/opencode/mcp-memory/memory.db"
	Models   = "~/.cache/mcp-memory-v2/models"
)

var (
	// home is how clients and shells name the home folder. Some clients pass it on as
	// it stands in their configuration.
	home = regexp.MustCompile(`^(?:~|\$HOME|\$\{(?:env:)?HOME\}|%USERPROFILE%)(?:[/\\]|$)`)
	// variable is any other that should have been replaced: a folder of such a name is
	// not what was meant.
	variable = regexp.MustCompile(`^(?:\$[A-Za-z_][A-Za-z0-9_]*|\$\{[^/\\]*\}|%[A-Za-z_][A-Za-z0-9_]*%)(?:[/\\]|$)`)
)

// Expand replaces a leading ~, or variable of the home folder, and takes away outer
// blanks, quotes and file://, which come from configuration files. Another
// variable in front is an error.
func Expand(path string) (string, error) {
	path, err := plain(path)
	if err != nil {
		return "", err
	}
	if found := variable.FindString(path); found != "" && !home.MatchString(path) {
		return "", fmt.Errorf("%s stands for a variable that was not replaced: write the path out", strings.TrimRight(found, `/\`))
	}
	prefix := home.FindString(path)
	if prefix == "" {
		return path, nil
	}
	folder, err := Home()
	if err != nil {
		return "", fmt.Errorf("no home folder for %s: %w", path, err)
	}
	return filepath.Join(folder, path[len(prefix):]), nil
}

// plain is the path without what is around it.
func plain(path string) (string, error) {
	path = strings.TrimSpace(path)
	if n := len(path); n > 1 && path[0] == path[n-1] && (path[0] == '"' || path[0] == '\'') {
		path = path[1 : n-1]
	}
	if !strings.HasPrefix(path, "file://") {
		return path, nil
	}
	u, err := url.Parse(path)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", fmt.Errorf("%s is not the URL of a file here", path)
	}
	if len(u.Path) > 2 && u.Path[2] == ':' { // a drive of Windows, as in /C:/notes
		return u.Path[1:], nil
	}
	return u.Path, nil
}

// Home is the user's home folder, by the system's list of users where the environment
// doesn't tell: some clients start servers without one.
func Home() (string, error) {
	folder, err := os.UserHomeDir()
	if err == nil {
		return folder, nil
	}
	if u, unknown := user.Current(); unknown == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", err
}
