package partfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/partfile"
)

// What nobody holds is removed when a file of the same name is made; all else
// stays.
func TestCreate(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing is taken for left over here")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "copy.db")
	held, err := partfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"copy.db", "copy.db.mcp-memory-part-1", "copy.db.mcp-memory-part-1-journal", "copy.db.mcp-memory-part-2x",
		"copy.db.part-1", "other.db.mcp-memory-part-3", "my-copy.db.mcp-memory-part-4",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "copy.db.mcp-memory-part-5"), 0o700); err != nil {
		t.Fatal(err)
	}
	left := partfile.LeftIn(folder)
	want := []string{"copy.db.mcp-memory-part-1", "my-copy.db.mcp-memory-part-4", "other.db.mcp-memory-part-3"}
	for i := range want {
		want[i] = filepath.Join(folder, want[i])
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error("left over: " + diff)
	}
	if partfile.Remove(held.Name()) {
		t.Error("a part that is held was removed")
	}
	made, err := partfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := partfile.FinishNew(made, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("in the place of a file: %v", err)
	}
	if err := partfile.Finish(made, path+".done"); err != nil {
		t.Fatal(err)
	}
	if err := partfile.FinishNew(held, path+".new"); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names[e.Name()] = true
	}
	if diff := cmp.Diff(map[string]bool{
		"copy.db.new": true, "copy.db.done": true, "copy.db": true,
		"copy.db.mcp-memory-part-2x": true, "copy.db.part-1": true, "other.db.mcp-memory-part-3": true,
		"my-copy.db.mcp-memory-part-4": true, "copy.db.mcp-memory-part-5": true,
	}, names); diff != "" {
		t.Error("files: " + diff)
	}
}
