package sqlite_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// What is missing of a database is there again after a start and what a server does
// by itself afterwards: indexing what is marked, and computing vectors.
func TestStartRestoresWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		damage string
		due    int // passages whose vector has to be computed anew, of 15
	}{
		"a trigger that marks":         {"DROP TRIGGER mark_observation_insert", 0},
		"a trigger for neighbours":     {"DROP TRIGGER outdate_entity_rename", 0},
		"all triggers of a table":      {"DROP TRIGGER mark_relation_insert; DROP TRIGGER mark_relation_update; DROP TRIGGER mark_relation_delete", 0},
		"an index":                     {"DROP INDEX idx_obs_entity", 0},
		"an index that search needs":   {"DROP INDEX idx_passages_model", 0},
		"a table of use":               {"DROP TABLE entity_access", 0},
		"the words of passages":        {"DROP TABLE passage_terms", 0},
		"the folded texts":             {"DROP TABLE entity_text", 0},
		"the marks":                    {"DROP TABLE text_outdated", 0},
		"the table of vectors":         {"DROP TABLE passage_vectors", 15},
		"the table of coarse vectors":  {"DROP TABLE passage_embeddings", 0},
		"the table of models":          {"DROP TABLE embedding_models", 15},
		"the table of passages":        {"DROP TABLE passages", 15},
		"a vector":                     {"DELETE FROM passage_vectors WHERE passage_id = 1", 1},
		"all vectors":                  {"DELETE FROM passage_vectors", 15},
		"a coarse vector":              {"DELETE FROM passage_embeddings WHERE rowid = 1", 0},
		"a coarse vector of a bad one": {"UPDATE passage_vectors SET embedding = x'00' WHERE passage_id = 1; DELETE FROM passage_embeddings WHERE rowid = 1", 1},
		"all coarse vectors":           {"DELETE FROM passage_embeddings", 0},
		"a passage":                    {"DELETE FROM passages WHERE id = 1", 1},
		"a passage among others":       {"DELETE FROM passages WHERE id = 3", 1},
		"the last passage":             {"DELETE FROM passages WHERE id = (SELECT max(id) FROM passages)", 1},
		"all passages":                 {"DELETE FROM passages", 15},
		"passages and their vectors":   {"DELETE FROM passages WHERE id < 3; DELETE FROM passage_vectors WHERE passage_id < 3; DELETE FROM passage_embeddings WHERE rowid < 3", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := sound(t)
			want := only(contents(t, path), userTables...)
			execute(t, path, test.damage)
			if verify(t, path).OK() {
				t.Fatal("nothing is wrong")
			}
			db := open(t, path)
			due := 0
			err := db.Update(t.Context(), func(w memory.Writer) error {
				ids, err := w.Outdated(t.Context(), 100)
				if err != nil {
					return err
				}
				if err := w.Reindex(t.Context(), ids); err != nil {
					return err
				}
				if due, _, err = w.CountPassagesDue(t.Context(), memory.VectorsOf(testModel)); err != nil {
					return err
				}
				return embed(t, w)
			})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "vectors lost", due, test.due)
			if report := verify(t, path); !report.OK() || report.Pending != (sqlite.Pending{}) {
				t.Errorf("after the start: %+v", report)
			}
			equal(t, "what users stored", only(contents(t, path), userTables...), want)
		})
	}
}

// What changed while nothing marked it is not searched as it was.
func TestChangesWithoutTriggersAreSeenAfterAStart(t *testing.T) {
	path := sound(t)
	execute(t, path, "DROP TRIGGER mark_observation_update", "UPDATE observations SET content = 'plays the viola' WHERE id = 1")
	db := open(t, path)
	byWord, bySubstring := finds(t, db, "violin")
	equal(t, "found by word", byWord, 0)
	equal(t, "found by substring", bySubstring, 0)
	equal(t, "vectors of other texts", query(t, path, "SELECT count(*) FROM embedding_state WHERE stale = 0"), []string{"0"})
}

// An empty table in place of a missing one would look as if nothing had been stored.
func TestMissingObservationsAreNotMadeAnew(t *testing.T) {
	path := sound(t)
	execute(t, path, "DROP TABLE observations")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err == nil {
		err = db.View(t.Context(), func(memory.Reader) error { return nil })
		_ = db.Close()
	}
	if err == nil {
		t.Error("a memory without observations was opened")
	}
	equal(t, "tables of that name", query(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'observations'"), []string{"0"})
}

func TestStartTellsOfForeignActors(t *testing.T) {
	path := sound(t)
	for want, statement := range map[int]string{0: "CREATE VIEW v AS SELECT 1", 1: "CREATE TRIGGER t AFTER INSERT ON entities BEGIN SELECT 1; END"} {
		execute(t, path, statement)
		var log bytes.Buffer
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		equal(t, "lines about "+statement, strings.Count(log.String(), "not of the memory"), want)
		execute(t, path, map[int]string{0: "DROP VIEW v", 1: "DROP TRIGGER t"}[want])
	}
}

func TestMigratedSchemaIsComplete(t *testing.T) {
	path := sound(t)
	want := query(t, path, `SELECT o.type || ' ' || o.name FROM sqlite_schema o WHERE o.sql IS NOT NULL
		AND o.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND o.name NOT LIKE 'goose%' AND NOT EXISTS (SELECT 1 FROM sqlite_schema v
			WHERE v.sql LIKE 'CREATE VIRTUAL%' AND o.type = 'table' AND instr(o.name, v.name || '_') = 1)
		ORDER BY o.rowid`)
	equal(t, "names", sqlite.MigratedNames(), want)
}
