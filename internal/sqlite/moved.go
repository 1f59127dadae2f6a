package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"mcp-memory/internal/memory"
)

// checkPlace returns memory.ErrMoved if the path no longer leads to the file that was
// opened: what is written to that would be found by nobody.
func (d *DB) checkPlace() error {
	if d.file == nil {
		return nil
	}
	now, err := os.Stat(d.path)
	switch {
	case err == nil && os.SameFile(d.file, now):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // it cannot be told
	}
	return memory.ErrMoved
}
