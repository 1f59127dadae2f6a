package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"mcp-memory/internal/cli"
)

// writeReference writes docs/cli.md from the commands.
func writeReference(out string) error {
	var b bytes.Buffer
	if err := cli.WriteReference(&b); err != nil {
		return fmt.Errorf("describe the command line: %w", err)
	}
	path := filepath.Join(out, "docs", "cli.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
