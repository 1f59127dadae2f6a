package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
	"mcp-memory/internal/sqlite"
)

// The vector of an entity that is a single passage is that of the passage; once
// repaired, it is due.
func TestVectorOfAnEntityIsThatOfItsPassage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	single, other := add(t, db, "Hugo", "sails"), add(t, db, "Inés", "rides")
	if err := db.Update(t.Context(), func(w memory.Writer) error { return embed(t, w) }); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, path); !report.OK() || report.Pending.Vectors != 0 {
		t.Fatalf("before: %+v", report)
	}
	execute(t, path, fmt.Sprintf("UPDATE entity_embeddings SET embedding = (SELECT embedding FROM entity_embeddings WHERE rowid = %d) WHERE rowid = %d", other, single))
	want := []sqlite.Finding{{Check: sqlite.CheckWhole, Count: 1, Examples: []string{fmt.Sprintf("that of entity %d is another than that of its passage", single)}}}
	equal(t, "findings", verify(t, path).Findings, want)
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, path); !report.OK() || report.Pending.Vectors != 1 {
		t.Errorf("after: %+v", report)
	}
	err := db.View(t.Context(), func(r memory.Reader) error {
		due, err := r.OutOfDate(t.Context(), testModel+"/text"+passage.FormatVersion, 0, 10)
		equal(t, "due", due, []int64{single})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(w memory.Writer) error {
		passages, err := w.PassageTexts(t.Context(), []int64{1})
		if err != nil {
			return err
		}
		hash := passage.Hash(passage.Entity{Name: "Hugo", Type: "Note", Observations: []string{"sails"}})
		copied, err := w.SetVectorOf(t.Context(), single, testModel+"/text"+passage.FormatVersion, hash, passages[0].Window.Hash())
		equal(t, "copied", copied, true)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if report := verify(t, path); !report.OK() || report.Pending.Vectors != 0 {
		t.Errorf("with the vector of the passage: %+v", report)
	}
}
