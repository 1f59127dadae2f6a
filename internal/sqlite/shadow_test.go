package sqlite_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/internal/sqlite"
)

// sqlite-vec 0.1.6 ended the program where it could not prepare a statement of its
// own, as without the table that it reads, or when it is interrupted just then.
func TestVectorTableWithoutItsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	execute(t, path, "DROP TABLE entity_embeddings_rowids")
	raw := sqlite.Raw(path)
	defer raw.Close()
	for _, statement := range []string{
		"UPDATE entity_embeddings SET embedding = zeroblob(1536) WHERE rowid = 1",
		"DELETE FROM entity_embeddings WHERE rowid = 1",
		"SELECT embedding FROM entity_embeddings WHERE rowid = 1",
	} {
		if _, err := raw.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: no error", statement)
		}
	}
}
