package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// trigramsLost is damage that a look at the index shows.
const trigramsLost = "DELETE FROM entity_trigrams_data WHERE id > 10"

// A search that meets a damaged index says what repairs it, and does not speak of
// backups.
func TestDamagedIndexIsToldApart(t *testing.T) {
	path := sound(t)
	db := open(t, path)
	execute(t, path, trigramsLost)
	err := db.View(t.Context(), func(r memory.Reader) error {
		_, _, err := r.Containing(t.Context(), "violin", 10, 0)
		return err
	})
	if !errors.Is(err, memory.ErrIndexDamaged) || errors.Is(err, memory.ErrCorrupt) {
		t.Errorf("the search: %v", err)
	}
	if err := db.RestoreIndex(t.Context()); err != nil {
		t.Fatal(err)
	}
	worksAnew(t, path)
}

func TestStartRestoresADamagedIndex(t *testing.T) {
	for _, damage := range []string{
		trigramsLost, "DELETE FROM entity_fts_config", "DELETE FROM passage_terms_data", "DELETE FROM entity_terms_data",
		"DELETE FROM passage_embeddings_vector_chunks00", "DELETE FROM entity_embeddings_vector_chunks00",
	} {
		t.Run(damage, func(t *testing.T) {
			path := sound(t)
			execute(t, path, damage)
			openAndClose(t, path)
			report := verify(t, path)
			if !report.OK() || report.Pending.Passages > 0 {
				t.Errorf("after a start: %+v", report)
			}
			worksAnew(t, path)
		})
	}
}

// All that users stored is in a copy, and the copy can be restored.
func TestCopiesOfADamagedIndex(t *testing.T) {
	path := sound(t)
	want := only(contents(t, path), userTables...)
	for _, damage := range []string{"DELETE FROM entity_terms_config", trigramsLost} {
		execute(t, path, damage)
		copied := filepath.Join(t.TempDir(), "copy.db")
		if _, err := sqlite.BackUp(t.Context(), path, copied, sqlite.BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		restored := filepath.Join(t.TempDir(), "memory.db")
		if _, err := sqlite.Restore(t.Context(), restored, copied, sqlite.RestoreOptions{}); err != nil {
			t.Fatal(err)
		}
		equal(t, "what users stored", only(contents(t, restored), userTables...), want)
	}
}

// worksAnew changes an entity, and finds that by its words, parts of them, and a vector.
func worksAnew(t *testing.T, path string) {
	t.Helper()
	ctx := t.Context()
	db := open(t, path)
	id := add(t, db, "Hugo", "sails around")
	err := db.Update(ctx, func(w memory.Writer) error { return embed(t, w) })
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(ctx, func(r memory.Reader) error {
		parts, _, err := r.Containing(ctx, "ils aro", 10, 0)
		equal(t, "containing", parts, []int64{id})
		if err != nil {
			return err
		}
		words, err := r.MatchAny(ctx, memory.Entities, []memory.WeighedWord{{Terms: []string{"sail", "sails"}, IDF: 1}}, memory.Filter{}, 10)
		equal(t, "matches", len(words), 1)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	equal(t, "documented vectors", query(t, path, "SELECT count(*) FROM entity_embeddings"), []string{"6"})
}
