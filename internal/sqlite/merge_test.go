package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
)

// Many writes leave the index in pieces, of which merging makes one.
func TestMergeIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	for i := range 60 {
		add(t, db, fmt.Sprint("Nora ", i), fmt.Sprint("skates on lake ", i))
	}
	pieces := func(table string) string {
		return query(t, path, "SELECT count(DISTINCT segid) FROM "+table+"_idx")[0]
	}
	tables := []string{"entity_terms", "passage_terms", "entity_trigrams"}
	for _, table := range tables {
		if pieces(table) == "1" {
			t.Errorf("%s is in one piece before", table)
		}
	}
	for part, more := 0, true; more; part++ {
		if part > 1000 {
			t.Fatal("merging does not end")
		}
		err := db.Update(t.Context(), func(w memory.Writer) (err error) {
			more, err = w.MergeIndex(t.Context(), part == 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range tables {
		equal(t, "pieces of "+table, pieces(table), "1")
	}
	if report := verify(t, path); !report.OK() {
		t.Errorf("afterwards: %+v", report)
	}
}
