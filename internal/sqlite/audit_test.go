package sqlite_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// What another process has written while this one was open was not audited.
func TestSetAuditedLeavesOutWhatOthersWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	mine, others := open(t, path), open(t, path)
	insert := func(db *sqlite.DB, name string) {
		t.Helper()
		err := db.Update(t.Context(), func(w memory.Writer) error {
			_, err := w.InsertEntity(t.Context(), name, "T")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	audited := func() bool {
		t.Helper()
		if err := mine.SetAudited(t.Context()); err != nil {
			t.Fatal(err)
		}
		ok, err := mine.Audited(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	insert(mine, "Alfa")
	if !audited() {
		t.Error("not audited although nobody else has written")
	}
	insert(others, "Bravo")
	if audited() {
		t.Error("audited although another process has written")
	}
}
