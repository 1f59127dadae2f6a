package sqlite_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// The database file alone, copied while it is in use, has what was written some time ago.
func TestCopyOfTheFileAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "memory.db")
		db := open(t, path)
		add(t, db, "Faro", "una luz verde")
		time.Sleep(2 * time.Second) // of the fake clock
		synctest.Wait()

		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(other, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := query(t, other, "SELECT name FROM entities"); !slices.Equal(got, []string{"Faro"}) {
			t.Errorf("the copy has %q, want Faro", got)
		}
	})
}
