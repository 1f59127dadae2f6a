package sqlite_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// withoutKeys are tables as a program makes them that takes no care.
var withoutKeys = []string{
	"CREATE TABLE entities (id INTEGER PRIMARY KEY, name, entity_type, created_at, updated_at)",
	"CREATE TABLE observations (id INTEGER PRIMARY KEY, entity_id, content, created_at)",
	"CREATE TABLE relations (id INTEGER PRIMARY KEY, from_entity INT, to_entity INT, relation_type, created_at)",
	"CREATE TABLE entity_access (entity_id INT, access_count INT, last_access)",
	"CREATE TABLE co_occurrences (entity_a_id INT, entity_b_id INT, co_count INT, last_co)",
	"CREATE TABLE db_metadata (key, value)",
	"INSERT INTO entities VALUES (1, 'Ana', 'T', NULL, NULL), (2, 'Ana', 'T', NULL, NULL), (3, 'oceanografa', NULL, '', '')",
	"INSERT INTO observations VALUES (1, 1, 'plays the violin', NULL), (2, 2, 'is another', NULL)",
	"INSERT INTO relations VALUES (1, 1, 2, 'knows', NULL), (2, 1, 2, 'knows', NULL), (3, 2, 1, NULL, NULL)",
	"INSERT INTO entity_access VALUES (1, 3, ''), (1, 5, NULL)",
	"INSERT INTO co_occurrences VALUES (1, 2, 3, ''), (1, 2, 4, ''), (2, 1, 2, '')",
	"INSERT INTO db_metadata VALUES ('a', 'b'), ('a', 'c')",
}

// Tables of another program that let in everything twice are adopted: what is there
// twice is there once, and entities with one name get two.
func TestAdoptionOfTablesWithoutKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	execute(t, path, withoutKeys...)
	openAndIndex(t, path)
	wholeAndWorks(t, path)
	for what, want := range map[string][]string{
		"SELECT id, name, entity_type FROM entities WHERE id < 4":          {"1 Ana T", "2 Ana 2 T", "3 oceanografa Generic"},
		"SELECT id, relation_type FROM relations":                          {"1 knows", "3 unnamed"},
		"SELECT entity_id, access_count FROM entity_access":                {"1 5"},
		"SELECT entity_a_id, entity_b_id, co_count FROM co_occurrences":    {"1 2 6"},
		"SELECT value FROM db_metadata WHERE key = 'a'":                    {"c"},
		"SELECT content FROM observations WHERE entity_id = 2":             {"is another"},
		"SELECT count(*) FROM entities WHERE datetime(created_at) IS NULL": {"1"},
	} {
		equal(t, what, query(t, path, what), want)
	}
	if err := more(t, path); err != nil {
		t.Error(err)
	}
	db := open(t, path)
	err := db.Update(t.Context(), func(w memory.Writer) error {
		if err := w.RecordTogether(t.Context(), []int64{1, 2, 3}); err != nil {
			return err
		}
		return w.RecordAccess(t.Context(), []int64{1, 2})
	})
	if err != nil {
		t.Error(err)
	}
	if report := verify(t, path); !report.OK() {
		t.Errorf("after use: %v", report)
	}
}

// A key that is lost is made anew by a start, and by the doctor.
func TestKeysLost(t *testing.T) {
	for _, by := range []string{"start", "doctor"} {
		path := filepath.Join(t.TempDir(), "memory.db")
		execute(t, path, withoutKeys...)
		openAndIndex(t, path)
		execute(t, path, "DROP INDEX idx_rel_single", "DROP INDEX idx_cooc_single", "INSERT INTO relations VALUES (7, 1, 2, 'knows', '')")
		report := verify(t, path)
		if !report.Has(sqlite.CheckSchema) {
			t.Errorf("findings: %v", report)
		}
		equal(t, "examples", report.Findings[0].Examples, []string{
			"table relations lets in the same from_entity, to_entity, relation_type twice",
			"table co_occurrences lets in the same entity_a_id, entity_b_id twice",
		})
		if by == "start" {
			openAndIndex(t, path)
		} else if _, err := sqlite.Repair(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if report := verify(t, path); !report.OK() {
			t.Errorf("after the %s: %v", by, report)
		}
		if err := more(t, path); err != nil {
			t.Error(err)
		}
	}
}

// Tables in which no row of ours could be are refused, and left as they are.
func TestTablesOfAnotherProgramAreRefused(t *testing.T) {
	for table, says := range map[string]string{
		"entities (id TEXT PRIMARY KEY, name, entity_type, created_at, updated_at)":                "its table entities has an id that is no INTEGER PRIMARY KEY",
		"entities (id INT PRIMARY KEY, name, entity_type, created_at, updated_at)":                 "its table entities has an id that is no INTEGER PRIMARY KEY",
		"entities (id INTEGER PRIMARY KEY, name, entity_type, created_at, updated_at, e NOT NULL)": "its table entities has a column that must be filled, e",
	} {
		path := filepath.Join(t.TempDir(), "memory.db")
		execute(t, path, "CREATE TABLE "+table)
		before := fileTexts(t, path)
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		refused(t, err, "it is the database of another program: "+says)
		equal(t, "files", fileTexts(t, path), before)
	}
}
