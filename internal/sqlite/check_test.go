package sqlite_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/words"
)

// variantsOf are the words to look for, whatever their language.
func variantsOf(question string) []memory.WeighedWord {
	var list []memory.WeighedWord
	for _, w := range words.Query(question) {
		list = append(list, memory.WeighedWord{Terms: w.Variants, IDF: 1})
	}
	return list
}

// finds reports which entities a word and a substring find.
func finds(t *testing.T, db *sqlite.DB, word string) (byWord int, bySubstring int) {
	t.Helper()
	err := db.View(t.Context(), func(r memory.Reader) error {
		matches, err := r.MatchAny(t.Context(), memory.Entities, variantsOf(word), memory.Filter{}, 10)
		if err != nil {
			return err
		}
		byWord = len(matches)
		passages, err := r.MatchAny(t.Context(), memory.Passages, variantsOf(word), memory.Filter{}, 10)
		equal(t, "passages with "+word, len(passages), byWord)
		if err != nil {
			return err
		}
		_, bySubstring, err = r.Containing(t.Context(), fold.Text(word), 10, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return byWord, bySubstring
}

func TestMissingIndexIsRepairedAtStart(t *testing.T) {
	for name, statement := range map[string]string{
		"no documented text":    "DELETE FROM entity_fts WHERE rowid = 1",
		"no folded text":        "DELETE FROM entity_text WHERE entity_id = 1",
		"neither":               "DELETE FROM entity_text; DELETE FROM entity_fts",
		"no trigrams":           "DELETE FROM entity_trigrams WHERE rowid = 1",
		"no words":              "DELETE FROM entity_terms WHERE rowid = 1",
		"no words of a passage": "DELETE FROM passage_terms WHERE rowid = 1",
		"left over":             "INSERT INTO entity_fts (rowid, name) VALUES (77, 'boya')",
		"left over words":       "INSERT INTO entity_terms (rowid, terms) VALUES (77, 'boya')",
		"left over trigrams":    "INSERT INTO entity_trigrams (rowid, folded) VALUES (77, 'boya')",
		"left over passage":     "INSERT INTO passages (entity_id, ordinal, text_hash) VALUES (77, 0, 'x')",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			add(t, open(t, path), "Alfa", "boya")
			execute(t, path, statement)
			db := open(t, path)
			byWord, bySubstring := finds(t, db, "boya")
			equal(t, "found by word", byWord, 1)
			equal(t, "found by substring", bySubstring, 1)
			repaired, err := db.CheckText(t.Context())
			equal(t, "left to repair", repaired, 0)
			if err != nil {
				t.Error(err)
			}
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
	for word, want := range map[string]int{"boya": 1, "faro": 2, "Charlie": 1, "Charly": 0} {
		byWord, bySubstring := finds(t, db, word)
		equal(t, word+" by word", byWord, want)
		equal(t, word+" by substring", bySubstring, want)
	}
}

// What was indexed in another form is left out until it is indexed anew.
func TestOtherFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	add(t, db, "Alfa", "boya")
	add(t, db, "Bravo", "boya")
	embedAll(t, db, "m")
	execute(t, path, "UPDATE db_metadata SET value = 'another' WHERE key = 'index_format'",
		"UPDATE entity_text SET folded = 'other'", "INSERT OR REPLACE INTO entity_terms (rowid, terms) VALUES (1, 'other')",
		"INSERT OR REPLACE INTO passage_terms (rowid, terms) VALUES (1, 'other')")
	for range 2 { // the second start finds nothing to do
		db = open(t, path)
		byWord, bySubstring := finds(t, db, "boya")
		equal(t, "found by word", byWord, 0)
		equal(t, "found by substring", bySubstring, 0)
	}
	err := db.Update(t.Context(), func(w memory.Writer) error {
		outdated, err := w.Outdated(t.Context(), 10)
		equal(t, "outdated", outdated, []int64{1, 2})
		if err != nil {
			return err
		}
		if err := w.Reindex(t.Context(), outdated); err != nil {
			return err
		}
		due, _, err := w.CountPassagesDue(t.Context(), "m")
		equal(t, "vectors lost", due, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	byWord, bySubstring := finds(t, db, "boya")
	equal(t, "found by word", byWord, 2)
	equal(t, "found by substring", bySubstring, 2)
	repaired, err := db.CheckText(t.Context())
	equal(t, "left to repair", repaired, 0)
	if err != nil {
		t.Error(err)
	}
}

// Texts that an older version folded otherwise are nothing wrong, and are found as
// this one folds them once they are indexed anew.
func TestTextsFoldedByOlderRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	add(t, db, "\u0141\u00f3d\u017a", "\u017c\u00f3\u0142w")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, path, "UPDATE db_metadata SET value = replace(value, 'fold 2/', 'fold 1/') WHERE key = 'index_format'",
		"UPDATE entity_text SET folded = '\u0142odz' || char(31) || 'note' || char(31) || 'zo\u0142w'",
		"INSERT OR REPLACE INTO entity_trigrams (rowid, folded) SELECT entity_id, folded || char(31, 31) FROM entity_text",
		"INSERT OR REPLACE INTO entity_terms (rowid, terms) VALUES (1, '\u0142odz not zo\u0142w')",
		"INSERT OR REPLACE INTO passage_terms (rowid, terms) VALUES (1, '\u0142odz not zo\u0142w')")
	if report := verify(t, path); !report.OK() || report.Pending.Entities != 1 {
		t.Errorf("before: %+v", report)
	}
	db = open(t, path)
	err := db.Update(t.Context(), func(w memory.Writer) error {
		outdated, err := w.Outdated(t.Context(), 10)
		if err != nil {
			return err
		}
		equal(t, "outdated", outdated, []int64{1})
		return w.Reindex(t.Context(), outdated)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"lodz", "zolw", "\u0141\u00d3D\u0179"} {
		byWord, bySubstring := finds(t, db, fold.Text(word))
		equal(t, word+" by word", byWord, 1)
		equal(t, word+" by substring", bySubstring, 1)
	}
	if report := verify(t, path); !report.OK() || report.Pending.Entities != 0 {
		t.Errorf("after: %+v", report)
	}
}
