package sqlite_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-memory/internal/sqlite"
)

// storedTables are those that hold what users stored, with the columns that all
// databases have.
var storedTables = map[string]string{
	"entities":       "id, name, entity_type, created_at, updated_at",
	"observations":   "id, entity_id, content, created_at",
	"relations":      "id, from_entity, to_entity, relation_type, created_at",
	"entity_access":  "entity_id, access_count, last_access",
	"co_occurrences": "entity_a_id, entity_b_id, co_count, last_co",
}

// storedRows dumps storedTables, as far as there are any.
func storedRows(t *testing.T, path string) (rows []string) {
	t.Helper()
	for table, columns := range storedTables {
		if len(query(t, path, "SELECT 1 FROM sqlite_schema WHERE name = ?", table)) == 0 {
			continue
		}
		for _, row := range query(t, path, "SELECT "+columns+" FROM "+table) {
			rows = append(rows, table+" "+row)
		}
	}
	slices.Sort(rows)
	return rows
}

// changes tells what two dumps have not in common, times left out.
func changes(before, after []string) (list []string) {
	times := regexp.MustCompile(` \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\dZ?`)
	for _, row := range before {
		if !slices.Contains(after, row) {
			list = append(list, "- "+times.ReplaceAllString(row, ""))
		}
	}
	for _, row := range after {
		if !slices.Contains(before, row) {
			list = append(list, "+ "+times.ReplaceAllString(row, ""))
		}
	}
	slices.Sort(list)
	return list
}

// broken are databases that other programs, crashes and hands have changed.
var broken = map[string]struct {
	of         string // an old database
	migrated   bool   // which this program has adopted
	statements []string
	repairs    []string // what the log tells
	stays      []string // what Verify finds afterwards
	changes    []string // of what users stored
}{
	"no text index": {
		of:      "first-release",
		repairs: []string{"entities without a row in the text index: 40"},
	},
	"text index dropped": {
		of:         "seed",
		statements: []string{"DROP TABLE entity_fts"},
		repairs:    []string{"entities without a row in the text index: 40"},
	},
	"half a text index": {
		of: "seed",
		statements: []string{
			"DELETE FROM entity_fts WHERE rowid <= 20",
			"INSERT INTO entity_fts (rowid, name) VALUES (777, 'left')",
		},
		repairs: []string{"entities without a row in the text index: 20", "rows of the text index without their entity: 1"},
	},
	"text index with its words lost": {
		of:         "seed",
		statements: []string{"DELETE FROM entity_fts_idx", "DELETE FROM entity_fts_data WHERE id > 10"},
		repairs: []string{
			"entity_fts of another form or damaged: it was made anew: 1",
			"entities without a row in the text index: 40",
		},
	},
	"text index of other columns": {
		of:         "v3",
		statements: []string{"DROP TABLE entity_fts", "CREATE VIRTUAL TABLE entity_fts USING fts5(title, body)"},
		repairs: []string{
			"entity_fts of another form or damaged: it was made anew: 1",
			"entities without a row in the text index: 43",
		},
	},
	"text index that is a table": {
		of:         "seed",
		statements: []string{"DROP TABLE entity_fts", "CREATE TABLE entity_fts (name, entity_type, obs_text)"},
		repairs: []string{
			"entity_fts of another form or damaged: it was made anew: 1",
			"entities without a row in the text index: 40",
		},
	},
	"text index without text": {
		of:         "seed",
		statements: []string{"DROP TABLE entity_fts", "CREATE VIRTUAL TABLE entity_fts USING fts5(name, entity_type, obs_text, content='')"},
		repairs: []string{
			"entity_fts of another form or damaged: it was made anew: 1",
			"entities without a row in the text index: 40",
		},
	},
	"text index without its settings": {
		of:         "seed",
		statements: []string{"DROP TABLE entity_fts_config"},
		repairs: []string{
			"entity_fts had lost what it keeps its rows in: it was made anew: 1",
			"entities without a row in the text index: 40",
		},
	},
	"text index without its texts, and vectors without their places": {
		of:         "v3",
		statements: []string{"DROP TABLE entity_fts_content", "DROP TABLE entity_embeddings_rowids"},
		repairs: []string{
			"entity_fts had lost what it keeps its rows in: it was made anew: 1",
			"entity_embeddings had lost what it keeps its rows in: it was made anew: 1",
			"entities without a row in the text index: 43",
		},
	},
	"last versions lost, and parts of the index": {
		of:       "seed",
		migrated: true,
		statements: []string{
			"DELETE FROM goose_db_version WHERE version_id > 5", "DROP TABLE entity_fts_docsize", "DROP TABLE entity_trigrams_idx",
			"DROP TABLE passage_terms_config", "DROP TABLE passage_embeddings_chunks", "DROP TABLE entity_embeddings_info",
		},
		repairs: []string{
			"entity_fts had lost what it keeps its rows in: it was made anew: 1",
			"entity_trigrams had lost what it keeps its rows in: it was made anew: 1",
			"passage_terms had lost what it keeps its rows in: it was made anew: 1",
			"passage_embeddings had lost what it keeps its rows in: it was made anew: 1",
			"entity_embeddings had lost what it keeps its rows in: it was made anew: 1",
			"parts of an index whose version is not known any more: made anew: 19",
		},
	},
	"vectors of another dimension": {
		of: "seed",
		statements: []string{
			"DROP TABLE entity_embeddings",
			"CREATE VIRTUAL TABLE entity_embeddings USING vec0(embedding float[4] distance_metric=cosine)",
			"INSERT INTO entity_embeddings (rowid, embedding) VALUES (1, '[1, 2, 3, 4]')",
		},
		repairs: []string{"entity_embeddings of another form or damaged: it was made anew: 1"},
	},
	"no vectors": {
		of:         "seed",
		statements: []string{"DROP TABLE entity_embeddings"},
	},
	"vectors lost in part": {
		of:         "seed",
		statements: []string{"DELETE FROM entity_embeddings WHERE rowid % 2 = 0"},
	},
	"vectors of no entity": {
		of: "seed",
		statements: []string{
			"INSERT INTO entity_embeddings (rowid, embedding) SELECT 777, embedding FROM entity_embeddings WHERE rowid = 1",
			"INSERT INTO entity_embeddings (rowid, embedding) SELECT 778, embedding FROM entity_embeddings WHERE rowid = 2",
		},
		repairs: []string{"vectors without their entity: 2"},
	},
	"observations of no entity": {
		of: "seed",
		statements: []string{
			"INSERT INTO observations (id, entity_id, content) VALUES (901, 777, 'lost'), (902, 777, 'found'), (903, 778, 'alone')",
			"INSERT INTO entities (id, name) VALUES (779, 'Recovered entity 777')",
			"INSERT INTO relations (id, from_entity, to_entity, relation_type) VALUES (901, 777, 1, 'knows')",
		},
		repairs: []string{
			"observations without their entity: it was made anew: 2",
			"entities without a row in the text index: 3",
		},
		changes: []string{"+ entities 777 Recovered entity 777 * Recovered", "+ entities 778 Recovered entity 778 Recovered"},
	},
	"relations of no entity": {
		of: "seed",
		statements: []string{
			"INSERT INTO relations (id, from_entity, to_entity, relation_type) VALUES (901, 777, 1, 'knows'), (902, 1, 778, 'knows')",
		},
		repairs: []string{"relations without their entity: 2"},
		changes: []string{"- relations 901 777 1 knows", "- relations 902 1 778 knows"},
	},
	"usage of no entity": {
		of: "seed",
		statements: []string{
			"INSERT INTO entity_access (entity_id) VALUES (777)",
			"INSERT INTO co_occurrences (entity_a_id, entity_b_id) VALUES (1, 777), (777, 778)",
		},
		repairs: []string{"co_occurrences without their entity: 2", "entity_access without their entity: 1"},
		changes: []string{"- co_occurrences 1 777 1", "- co_occurrences 777 778 1", "- entity_access 777 1"},
	},
	"an entity deleted by hand": {
		of:         "v3",
		statements: []string{"DELETE FROM entities WHERE id = 9"},
		repairs:    []string{"observations without their entity: it was made anew: 1"},
		changes:    []string{"+ entities 9 Recovered entity 9 Recovered"},
	},
	"superseded and gone": {
		of:         "v3",
		statements: []string{"UPDATE observations SET supersedes = 9999 WHERE id = 1"},
		repairs:    []string{"observations that supersede one that is gone: 1"},
	},
	"pairs": {
		of: "seed",
		statements: []string{
			"DELETE FROM co_occurrences",
			"INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count) VALUES (1, 1, 5), (2, 1, 3), (1, 2, 4)",
		},
		repairs: []string{"co_occurrences of an entity with itself or the wrong way round: 2"},
		changes: []string{"+ co_occurrences 1 2 7", "- co_occurrences 1 1 5", "- co_occurrences 1 2 4", "- co_occurrences 2 1 3"},
	},
	"names that look alike": {
		of:         "first-release",
		statements: []string{"INSERT INTO entities (name) VALUES ('Caf\u00e9'), ('Cafe\u0301'), (' Caf\u00e9 '), ('')"},
		stays:      []string{sqlite.CheckNames},
		repairs:    []string{"names, types and texts that were none: 1", "names that look like another one: all are kept: 2", "entities without a row in the text index: 44"},
		changes:    []string{"+ entities 44 unnamed 44 Generic", "- entities 44  Generic"},
	},
	"tables missing": {
		of:         "seed",
		statements: []string{"DROP TABLE entity_access", "DROP TABLE co_occurrences", "DROP TABLE db_metadata", "DROP TABLE relations"},
	},
	"only entities": {
		of: "first-release",
		statements: []string{
			"DROP TABLE relations", "DROP TABLE observations", "DROP TABLE db_metadata", "DROP TABLE entity_embeddings",
			"INSERT INTO entities (name) VALUES ('oceanografa')",
		},
		repairs: []string{"entities without a row in the text index: 41"},
	},
	"indexes missing": {
		of:         "seed",
		statements: []string{"DROP INDEX idx_obs_entity", "DROP INDEX idx_rel_from", "DROP INDEX idx_entities_name"},
	},
	"version table without rows": {
		of:         "seed",
		statements: []string{"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))"},
		repairs:    []string{"table of schema versions without any: it was made anew: 1"},
	},
	"version table lost, and a trigger": {
		of:         "v3",
		migrated:   true,
		statements: []string{"DROP TABLE goose_db_version", "DROP TRIGGER renewed_entity"},
		repairs:    []string{"parts of an index whose version is not known any more: made anew: 28"},
	},
	"version table lost, and some of the index": {
		of:         "seed",
		migrated:   true,
		statements: []string{"DROP TABLE goose_db_version", "DROP TABLE passages", "DROP TABLE entity_text", "DELETE FROM entity_fts"},
		repairs: []string{
			"parts of an index whose version is not known any more: made anew: 26",
			"entities without a row in the text index: 40",
		},
	},
	"last versions lost": {
		of:         "seed",
		migrated:   true,
		statements: []string{"DELETE FROM goose_db_version WHERE version_id > 5"},
		repairs:    []string{"parts of an index whose version is not known any more: made anew: 19"},
	},
	"version table with a row of zero": {
		of: "seed",
		statements: []string{
			"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))",
			"INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)",
		},
	},
	"versions of metadata that say nothing": {
		of:         "seed",
		statements: []string{"INSERT INTO db_metadata VALUES ('schema_version', 'two'), ('embedding_model', 'another')"},
	},
}

// openRepaired opens a database for its migration's sake and returns what the
// log tells of repairs.
func openRepaired(t *testing.T, path string) []string {
	t.Helper()
	var log bytes.Buffer
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	repairs := []string{}
	for _, m := range regexp.MustCompile(`msg="database repaired" what="?(.*?)"? rows=(\d+)`).FindAllStringSubmatch(log.String(), -1) {
		repairs = append(repairs, m[1]+": "+m[2])
	}
	if strings.Contains(log.String(), "index repaired") {
		t.Errorf("the index was not filled at once: %s", log.String())
	}
	return repairs
}

// wholeAndWorks proves that a database is whole, but for what is known to stay, and works.
func wholeAndWorks(t *testing.T, path string, stays ...string) {
	t.Helper()
	report, err := sqlite.Verify(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != len(stays) {
		t.Errorf("Verify finds %v, want %q", report, stays)
	}
	for _, check := range stays {
		if !report.Has(check) {
			t.Errorf("Verify finds %v, want %q", report, stays)
		}
	}
	equal(t, "integrity", query(t, path, "PRAGMA integrity_check"), []string{"ok"})
	equal(t, "violations", query(t, path, "PRAGMA foreign_key_check"), []string{})
	execute(t, path, "INSERT INTO entity_fts (entity_fts) VALUES ('integrity-check')")
	equal(t, "vectors of no entity", query(t, path, "SELECT rowid FROM entity_embeddings WHERE rowid NOT IN (SELECT id FROM entities)"), []string{})
	db := open(t, path)
	repaired, err := db.CheckText(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "texts out of step", repaired, 0)
	byWord, bySubstring := finds(t, db, "oceanografa")
	equal(t, "found", fmt.Sprint(byWord, bySubstring), "1 1")
	add(t, db, "Zorrillo", "mofeta")
	byWord, bySubstring = finds(t, db, "mofeta")
	equal(t, "found what is new", fmt.Sprint(byWord, bySubstring), "1 1")
}

// TestLeftWAL opens what a process that was killed had written: the file, and
// the rest beside it.
func TestLeftWAL(t *testing.T) {
	for _, name := range oldDatabases {
		t.Run(name, func(t *testing.T) {
			path := crashedAfter(t, unpack(t, name), "INSERT INTO entities (name) VALUES ('Percebe')")
			openAndClose(t, path)
			equal(t, "what was not in the file yet", query(t, path, "SELECT count(*) FROM entities WHERE name = 'Percebe'"), []string{"1"})
			equal(t, "in the backup", query(t, backups(t, path)[0], "SELECT count(*) FROM entities WHERE name = 'Percebe'"), []string{"1"})
			wholeAndWorks(t, path)
		})
	}
}

// crashedAfter copies a database and the files beside it in the state that a killed
// process would leave them in after this statement.
func crashedAfter(t *testing.T, path, statement string) (copied string) {
	t.Helper()
	raw := sqlite.Raw(path)
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	for _, s := range []string{"PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", statement} {
		if _, err := raw.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	copied = filepath.Join(t.TempDir(), "memory.db")
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(copied+end, []byte(readFile(t, path+end)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// TestRefusedWithWAL leaves the database of another program alone that was not
// closed, to the byte.
func TestRefusedWithWAL(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.db")
	execute(t, other, "CREATE TABLE bookmarks (url TEXT)")
	path := crashedAfter(t, other, "INSERT INTO bookmarks VALUES ('a')")
	file, wal := readFile(t, path), readFile(t, path+"-wal")
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	refused(t, err, "it is the database of another program")
	if readFile(t, path) != file || readFile(t, path+"-wal") != wal {
		t.Error("the files were changed")
	}
	equal(t, "files", filesBeside(t, path), []string{"memory.db", "memory.db-shm", "memory.db-wal"})
}

// TestGapInVersions refuses what nobody can tell the state of, and says so.
func TestGapInVersions(t *testing.T) {
	path := unpack(t, "seed")
	openAndClose(t, path)
	execute(t, path, "DELETE FROM goose_db_version WHERE version_id IN (6, 7, 8)", "DELETE FROM goose_db_version WHERE version_id = 4")
	before := contents(t, path)
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	refused(t, err, "changing its schema from version 5 failed; nothing was changed")
	equal(t, "contents", contents(t, path), before)
}
