package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// fileSize is the size of a database without what its log still holds.
func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	execute(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestUnchangedPassagesKeepRowAndVector(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	var observations []string
	for i := range 20 {
		observations = append(observations, fmt.Sprintf("number %d%s", i, strings.Repeat(" and so on", 20)))
	}
	id := add(t, db, "Alfa", observations...)
	embedAll(t, db, "m")
	rows := func() []string {
		return query(t, path, "SELECT p.id, p.text_hash, v.embedding FROM passages p JOIN passage_vectors v ON v.passage_id = p.id ORDER BY p.id")
	}
	before := rows()
	err := db.Update(t.Context(), func(w memory.Writer) error {
		_, err := w.DeleteObservations(t.Context(), id, observations[19:])
		return errors.Join(err, w.Reindex(t.Context(), []int64{id}))
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, row := range before {
		kept[row] = true
	}
	after := rows()
	for _, row := range after {
		if !kept[row] {
			t.Errorf("row %s is not one of those before", row)
		}
	}
	if len(after) < len(before)-2 || len(after) == len(before) {
		t.Errorf("%d of %d vectors are left", len(after), len(before))
	}
	repaired, err := db.CheckText(t.Context())
	equal(t, "to repair", repaired, 0)
	if err != nil {
		t.Error(err)
	}
}

// TestOtherPrograms changes the file past the store: the database itself notes
// what the index is behind of.
func TestOtherPrograms(t *testing.T) {
	for _, tc := range []struct {
		name     string
		outdated []int64
		by       []string
	}{
		{"rename", []int64{1, 2, 3}, []string{"UPDATE entities SET name = 'Other' WHERE id = 1"}},
		{"same name", []int64{}, []string{"UPDATE entities SET name = 'A' WHERE id = 1"}},
		{"another type", []int64{1}, []string{"UPDATE entities SET entity_type = 'Other' WHERE id = 1"}},
		{"a relation", []int64{3, 4}, []string{"INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (3, 4, 'r')"}},
		{"another end", []int64{1, 2, 4}, []string{"UPDATE relations SET to_entity = 4 WHERE to_entity = 2"}},
		{"a relation less", []int64{1, 2}, []string{"DELETE FROM relations WHERE to_entity = 2"}},
		{"an entity less", []int64{1, 2, 3}, []string{"PRAGMA foreign_keys = ON; DELETE FROM entities WHERE id = 1"}},
		{"the same without foreign keys", []int64{1, 2, 3}, []string{"DELETE FROM entities WHERE id = 1"}},
		{"an observation", []int64{2}, []string{"UPDATE observations SET content = 'new' WHERE entity_id = 2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			db := open(t, path)
			ctx := t.Context()
			for _, name := range []string{"A", "B", "C", "D"} {
				add(t, db, name, "observation of "+name)
			}
			err := db.Update(ctx, func(w memory.Writer) error {
				_, err := w.InsertRelation(ctx, 1, 2, "knows")
				_, err2 := w.InsertRelation(ctx, 3, 1, "knows")
				return errors.Join(err, err2, w.Reindex(ctx, []int64{1, 2, 3}))
			})
			if err != nil {
				t.Fatal(err)
			}
			embedAll(t, db, "m")
			execute(t, path, tc.by...)
			err = db.Update(ctx, func(w memory.Writer) error {
				ids, err := w.Outdated(ctx, 10)
				equal(t, "outdated", ids, tc.outdated)
				return errors.Join(err, w.Reindex(ctx, ids))
			})
			if err != nil {
				t.Fatal(err)
			}
			repaired, err := db.CheckText(ctx)
			equal(t, "to repair", repaired, 0)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFromVersion5 takes over a database of the release before passages, and
// goes back.
func TestFromVersion5(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	to := func(version int64) {
		err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
			_, err := p.UpTo(ctx, version)
			if version < sqlite.LatestVersion() {
				_, err2 := p.DownTo(ctx, version)
				err = errors.Join(err, err2)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	to(5)
	shape := structure(t, path)
	triggers := query(t, path, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
	execute(t, path,
		`INSERT INTO entities (name, entity_type) VALUES ('Alfa', 'Note'), ('Bravo', 'Note'), ('Charlie', 'Note'), ('Gone', 'Note')`,
		`INSERT INTO observations (entity_id, content) VALUES (1, 'boya'), (1, 'Canci' || char(243) || 'n'), (2, 'boya')`,
		`INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (1, 2, 'knows')`,
		`INSERT INTO entity_fts (rowid, name, entity_type, obs_text) VALUES (1, 'Alfa', 'Note', 'boya | Canci' || char(243) || 'n'), (2, 'Bravo', 'Note', 'boya'), (4, 'Gone', 'Note', '')`,
		`INSERT INTO entity_text VALUES (1, 'alfa' || char(31) || 'note' || char(31) || 'boya' || char(31) || 'cancion'), (2, 'bravo' || char(31) || 'note' || char(31) || 'boya')`,
		`INSERT INTO db_metadata VALUES ('text_folding', '1/15.0.0')`,
		`DELETE FROM text_outdated`,
		`DELETE FROM entities WHERE id = 4`, // which is noted
	)
	before := contents(t, path)
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	repaired, err := db.CheckText(t.Context())
	equal(t, "to repair", repaired, 0)
	if err != nil {
		t.Fatal(err)
	}
	byWord, bySubstring := finds(t, db, "boya")
	equal(t, "found by word", byWord, 2)
	equal(t, "found by substring", bySubstring, 2)
	equal(t, "left over texts", query(t, path, "SELECT rowid FROM entity_fts WHERE rowid > 3"), []string{})
	equal(t, "passages", query(t, path, "SELECT id, entity_id, ordinal, first_observation, last_observation, model FROM passages"), []string{
		"1 1 0 1 2 <nil>", "2 1 1 <nil> <nil> <nil>", "3 2 0 3 3 <nil>", "4 2 1 <nil> <nil> <nil>", "5 3 0 <nil> <nil> <nil>",
	})
	embedAll(t, db, "m")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	to(5)
	equal(t, "structure after going back", structure(t, path), shape)
	equal(t, "triggers", query(t, path, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"), triggers)
	after := contents(t, path)
	for table, rows := range before {
		if table != "db_metadata" && table != "text_outdated" && table != "entity_text" {
			equal(t, table, after[table], rows)
		}
	}
	to(7)
	repaired, err = open(t, path).CheckText(t.Context())
	equal(t, "to repair after going up again", repaired, 0)
	if err != nil {
		t.Error(err)
	}
}

// Of a large database, a migration leaves most to be indexed by and by.
func TestLargeDatabaseIsIndexedLater(t *testing.T) {
	const entities, atOnce = 2_100, 2_000
	path := filepath.Join(t.TempDir(), "memory.db")
	err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
		_, err := p.UpTo(ctx, 5)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	execute(t, path, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO entities (name) SELECT 'name ' || i FROM n`, entities))
	db := open(t, path)
	ctx := t.Context()
	err = db.Update(ctx, func(w memory.Writer) error {
		ids, err := w.Outdated(ctx, entities)
		equal(t, "left for later", len(ids), entities-atOnce)
		if err != nil {
			return err
		}
		_, total, err := w.Containing(ctx, "name", 10, 0)
		equal(t, "found at once", total, atOnce)
		return errors.Join(err, w.Reindex(ctx, ids))
	})
	if err != nil {
		t.Fatal(err)
	}
	repaired, err := db.CheckText(ctx)
	equal(t, "to repair", repaired, 0)
	if err != nil {
		t.Error(err)
	}
}

// A free row that claims a vector is of a damaged database: used, it would give the
// passage the vector of another text.
func TestFreeRowWithVectorIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	ctx := t.Context()
	gone := add(t, db, "gone", "of another text")
	err := db.Update(ctx, func(w memory.Writer) error {
		return errors.Join(w.DeleteEntity(ctx, gone), w.Reindex(ctx, []int64{gone}))
	})
	if err != nil {
		t.Fatal(err)
	}
	execute(t, path,
		"INSERT OR IGNORE INTO embedding_models (id, model) VALUES (1, 'm')",
		"UPDATE passages SET model = 1 WHERE entity_id IS NULL")
	id := add(t, db, "new", "of this text")
	rows := query(t, path, "SELECT count(*), count(model) FROM passages WHERE entity_id = ?", id)
	equal(t, "passages of the new entity, and those with a vector", rows, []string{"1 0"})
	indexed := query(t, path, "SELECT count(*) FROM passages p JOIN passage_terms w ON w.rowid = p.id WHERE p.entity_id = ?", id)
	equal(t, "of them those with words", indexed, []string{"1"})
}
