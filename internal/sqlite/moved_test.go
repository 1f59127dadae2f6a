//go:build unix

package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
)

// What is written to a file that has no name any more, or another, is found by nobody.
func TestMovedFileTakesNoWrites(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"moved":   func(path string) error { return os.Rename(path, path+".aside") },
		"deleted": os.Remove,
		"moved, with a link in its place": func(path string) error {
			return errors.Join(os.Rename(path, path+".aside"), os.Symlink(path+".aside", path))
		},
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".aside"), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			db := open(t, path)
			add(t, db, "Nora", "skates")
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			write := func() error {
				return db.Update(t.Context(), func(w memory.Writer) error {
					_, err := w.InsertObservations(t.Context(), 1, []string{"sails"})
					return err
				})
			}
			if err := write(); !errors.Is(err, memory.ErrMoved) {
				t.Errorf("writing: %v, want ErrMoved", err)
			}
			if name == "deleted" {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("after the end there is a file (%v)", err)
				}
			}
			if name != "moved" {
				return
			}
			if err := os.Rename(path+".aside", path); err != nil {
				t.Fatal(err)
			}
			if err := write(); err != nil {
				t.Errorf("after it was put back: %v", err)
			}
			equal(t, "observations", query(t, path, "SELECT content FROM observations"), []string{"skates", "sails"})
		})
	}
}
