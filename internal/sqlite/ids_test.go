package sqlite_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// A row with the largest id keeps all others out, until the doctor numbers it anew
// with all that refers to it.
func TestIDsUsedUp(t *testing.T) {
	const most = "9223372036854775807"
	for name, test := range map[string]struct {
		statements []string
		example    string
		refused    bool   // more cannot be stored
		then       string // what is there after the repair
		want       []string
	}{
		"an observation": {
			[]string{"INSERT INTO observations (id, entity_id, content) VALUES (" + most + ", 1, 'x')"},
			"those of observations have come to " + most + ", and " + most + " is the largest", true,
			"SELECT id, content FROM observations ORDER BY id DESC LIMIT 1",
			[]string{"4294967302 x"},
		},
		"a relation": {
			[]string{"INSERT INTO relations (id, from_entity, to_entity, relation_type) VALUES (" + most + ", 2, 1, 'x')"},
			"those of relations have come to " + most + ", and " + most + " is the largest", true,
			"SELECT id, from_entity FROM relations ORDER BY id DESC LIMIT 1",
			[]string{"4294967301 2"},
		},
		"an entity with all that can refer to it": {
			[]string{
				"INSERT INTO entities (id, name) VALUES (" + most + ", 'Last')",
				"INSERT INTO observations (entity_id, content) VALUES (" + most + ", 'shines')",
				"INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (" + most + ", 1, 'r'), (1, " + most + ", 'r'), (" + most + ", " + most + ", 'r')",
				"INSERT INTO entity_access VALUES (" + most + ", 7, '2026-01-01 00:00:00')",
				"INSERT INTO co_occurrences VALUES (1, " + most + ", 9, '2026-01-01 00:00:00')",
				"INSERT INTO renewals VALUES ('text', " + most + "), ('entity', " + most + ")",
				`CREATE TABLE "of ""another" ("an entity" REFERENCES entities, other REFERENCES Entities (ID))`,
				`INSERT INTO "of ""another" VALUES (` + most + `, ` + most + `), (1, 2)`,
			},
			"those of entities have come to " + most + ", and " + most + " is the largest", true,
			`SELECT group_concat(x, ' ') FROM (SELECT id || name AS x FROM entities WHERE id > 5 UNION ALL SELECT entity_id || content FROM observations WHERE entity_id > 5
				UNION ALL SELECT from_entity || to_entity FROM relations WHERE relation_type = 'r' UNION ALL SELECT entity_id || '-' || access_count FROM entity_access WHERE access_count = 7
				UNION ALL SELECT entity_a_id || '-' || entity_b_id || '-' || co_count FROM co_occurrences WHERE co_count = 9 UNION ALL SELECT "an entity" || other FROM "of ""another")`,
			[]string{strings.ReplaceAll("NLast Nshines N1 1N NN N-7 1-N-9 NN 12", "N", "4294967302")},
		},
		"an entity that was indexed": {
			[]string{
				"PRAGMA foreign_keys = OFF",
				"UPDATE entities SET id = " + most + " WHERE id = 4", "UPDATE observations SET entity_id = " + most + " WHERE entity_id = 4",
				"UPDATE relations SET to_entity = " + most + " WHERE to_entity = 4", "UPDATE entity_access SET entity_id = " + most + " WHERE entity_id = 4",
				"UPDATE co_occurrences SET entity_b_id = " + most + " WHERE entity_b_id = 4", "UPDATE co_occurrences SET entity_a_id = 5, entity_b_id = " + most + " WHERE entity_a_id = 4",
				"UPDATE entity_text SET entity_id = " + most + " WHERE entity_id = 4", "UPDATE embedding_state SET entity_id = " + most + ", stale = 0 WHERE entity_id = 4",
				"UPDATE sqlite_sequence SET seq = " + most + " WHERE name = 'entities'", "INSERT OR IGNORE INTO text_outdated VALUES (" + most + "), (4)",
			},
			"those of entities have come to " + most + ", and " + most + " is the largest", true,
			"SELECT id, name FROM entities ORDER BY id DESC LIMIT 2",
			[]string{"4294967302 Diego", "5 Eva"},
		},
		"two, and a counter that was lost": {
			[]string{"INSERT INTO observations (id, entity_id, content) VALUES (" + most + ", 1, 'b'), (" + most + " - 1, 1, 'a')", "DELETE FROM sqlite_sequence"},
			"those of observations have come to " + most + ", and " + most + " is the largest", true,
			"SELECT id, content FROM observations ORDER BY id DESC LIMIT 2",
			[]string{"4294967303 b", "4294967302 a"},
		},
		"few that are left": {
			[]string{"INSERT INTO observations (id, entity_id, content) VALUES (" + most + " - 9, 1, 'x')"},
			"those of observations have come to 9223372036854775798, and " + most + " is the largest", false,
			"SELECT id, content FROM observations ORDER BY id DESC LIMIT 1",
			[]string{"4294967302 x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := sound(t)
			execute(t, path, test.statements...)
			report := verify(t, path)
			found := false
			for _, f := range report.Findings {
				found = found || f.Check == sqlite.CheckIDs && len(f.Examples) == 1 && f.Examples[0] == test.example
			}
			if !found {
				t.Errorf("findings: %v", report)
			}
			if err := more(t, path); errors.Is(err, memory.ErrFull) || errors.Is(err, memory.ErrUnsound) != test.refused {
				t.Errorf("a row more: %v", err)
			}
			done, err := sqlite.Repair(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "backups", backups(t, path), []string{done.Backup})
			if test.refused {
				equal(t, "what is there", query(t, path, test.then), test.want)
			}
			if report := verify(t, path); !report.OK() || report.Pending.Entities > 0 {
				t.Errorf("after the repair: %+v", report)
			}
			for range 2 {
				if err := more(t, path); err != nil {
					t.Errorf("a row more, after the repair: %v", err)
				}
			}
			if report := verify(t, path); !report.OK() {
				t.Errorf("with more: %v", report)
			}
			equal(t, "ids near the end", query(t, path, "SELECT count(*) FROM entities e, observations o, relations r WHERE max(e.id, o.id, r.id) > 1 << 40"), []string{"0"})
		})
	}
}

// Rows of passages are filled up to the last one, which another program may have put
// anywhere.
func TestPassageFarBehindTheOthers(t *testing.T) {
	for _, id := range []string{"9223372036854775807", "100000000000", "-3"} {
		for how, mend := range map[string]func(string){
			"start":  func(path string) { openAndIndex(t, path) },
			"doctor": func(path string) { _, err := sqlite.Repair(t.Context(), path); equal(t, "Repair", err, nil) },
		} {
			t.Run(how+" "+id, func(t *testing.T) {
				t.Parallel()
				path := sound(t)
				execute(t, path, "INSERT INTO passages (id, entity_id, ordinal, text_hash) VALUES ("+id+", 1, 9, 'h')")
				if verify(t, path).OK() {
					t.Error("nothing is wrong")
				}
				mend(path)
				if report := verify(t, path); !report.OK() {
					t.Errorf("after the repair: %v", report)
				}
				if err := more(t, path); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// more stores a row of each kind.
func more(t *testing.T, path string) error {
	t.Helper()
	db := open(t, path)
	return db.Update(t.Context(), func(w memory.Writer) error {
		id, err := w.InsertEntity(t.Context(), fmt.Sprint(t.Name(), len(query(t, path, "SELECT id FROM entities"))), "T")
		if err != nil {
			return err
		}
		if _, err := w.InsertObservations(t.Context(), id, []string{"more"}); err != nil {
			return err
		}
		if _, err := w.InsertRelation(t.Context(), id, 1, "more"); err != nil {
			return err
		}
		return w.Reindex(t.Context(), []int64{id, 1})
	})
}
