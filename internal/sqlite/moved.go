package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"mcp-memory/internal/memory"
)

// checkPlace returns memory.ErrMoved if the file that was opened is no longer at its
// path: what is written to that would be found by nobody. A link to it that was left
// there is not it, since who opens the file by the link uses another log.
func (d *DB) checkPlace() error {
	if d.file == nil {
		return nil
	}
	now, err := os.Lstat(d.path)
	switch {
	case err == nil && os.SameFile(d.file, now):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // it cannot be told
	}
	return memory.ErrMoved
}
