package sqlite_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// finds reports which entities a word and a substring find.
func finds(t *testing.T, db *sqlite.DB, word string) (byWord int, bySubstring int) {
	t.Helper()
	err := db.View(t.Context(), func(r memory.Reader) error {
		matches, err := r.MatchAny(t.Context(), []string{word}, 10)
		if err != nil {
			return err
		}
		byWord = len(matches)
		_, bySubstring, err = r.Containing(t.Context(), word, 10, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return byWord, bySubstring
}

func TestMissingTextsAreRepairedAtStart(t *testing.T) {
	for name, statement := range map[string]string{
		"no words":      "DELETE FROM entity_fts WHERE rowid = 1",
		"no substrings": "DELETE FROM entity_text WHERE entity_id = 1",
		"neither":       "DELETE FROM entity_text; DELETE FROM entity_fts",
		"left over":     "INSERT INTO entity_fts (rowid, name) VALUES (77, 'boya')",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			add(t, open(t, path), "Alfa", "boya")
			execute(t, path, statement)
			byWord, bySubstring := finds(t, open(t, path), "boya")
			equal(t, "found by word", byWord, 1)
			equal(t, "found by substring", bySubstring, 1)
		})
	}
}

func TestCheckText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	add(t, db, "Alfa", "boya")
	add(t, db, "Bravo", "boya")
	add(t, db, "Charlie", "faro")
	// What another program might do, and leave the numbers of rows as they are.
	execute(t, path,
		"UPDATE observations SET content = 'faro' WHERE entity_id = 1",
		"UPDATE entity_fts SET name = 'Charly' WHERE rowid = 3",
		"DELETE FROM entity_fts WHERE rowid = 2", "INSERT INTO entity_fts (rowid, name) VALUES (77, 'boya')")
	for _, want := range []int{4, 0} {
		repaired, err := db.CheckText(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "repaired", repaired, want)
	}
	for word, want := range map[string]int{"boya": 1, "faro": 2, "charlie": 1, "charly": 0} {
		byWord, bySubstring := finds(t, db, word)
		equal(t, word+" by word", byWord, want)
		equal(t, word+" by substring", bySubstring, want)
	}
}
