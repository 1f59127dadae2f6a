package memory_test

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// changeRaw runs statements past the store.
func changeRaw(t *testing.T, path string, statements ...string) {
	t.Helper()
	raw, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, statement := range statements {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Other programs may store any number, and things that are none.
func TestOddCounts(t *testing.T) {
	for _, stored := range []string{"9223372036854775807", "-5", "9223372036854775807 + 1", "'many'", "x'00ff'", "1.5"} {
		t.Run(stored, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			s, db := idle(t, path)
			imported(t, s, `{"type":"entity","name":"A","entityType":"T","observations":["x"]}
{"type":"entity","name":"B","entityType":"T","observations":["x"]}`)
			changeRaw(t, path,
				"INSERT OR REPLACE INTO entity_access VALUES (1, "+stored+", 'once')",
				"INSERT OR REPLACE INTO co_occurrences VALUES (1, 2, "+stored+", 'once')")
			for range 2 {
				if _, err := s.OpenNodes(t.Context(), []string{"A", "B"}); err != nil {
					t.Fatal(err)
				}
			}
			var b bytes.Buffer
			if _, err := s.ExportDocument(t.Context(), &b, true); err != nil {
				t.Fatal(err)
			}
			checkRoundTrip(t, b.String())
			err := db.View(t.Context(), func(r memory.Reader) error {
				usages, err := r.Usages(t.Context(), []int64{1})
				if err != nil {
					return err
				}
				pairs, err := r.CoOccurrences(t.Context(), []int64{1, 2})
				for _, n := range []int{usages[0].Accesses, pairs[0].Count} {
					if n < 2 || n > document.MaxCount {
						t.Errorf("count %d", n)
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if report, err := sqlite.Verify(t.Context(), path); err != nil || !report.OK() {
				t.Errorf("after use: %v, %v", report, err)
			}
		})
	}
}

func TestCountsBeyondCounting(t *testing.T) {
	s, _ := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	report := imported(t, s, `{"format":"mcp-memory","version":1,"entities":[
{"name":"A","entityType":"T","access":{"count":9223372036854775807}}]}`)
	if report.Entities != 1 || report.Errors != 0 || report.Altered != 1 || !strings.Contains(report.Problems[0].Reason, "entities[0].access.count") {
		t.Errorf("report: %+v", report)
	}
	if text := exported(t, s); !strings.Contains(text, `"count":1000000000`) {
		t.Errorf("exported: %s", text)
	}
}

// What is not UTF-8 is exported as what it is read as.
func TestTextsThatAreNotUTF8ComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	changeRaw(t, path,
		"INSERT INTO entities (name, entity_type, created_at) VALUES (CAST(x'61ff62' AS TEXT), CAST(x'eda080' AS TEXT), CAST(x'ff' AS TEXT)), ('B', 'T', 'once')",
		"INSERT INTO observations (entity_id, content) VALUES (1, CAST(x'ff' AS TEXT) || '\ufffd')",
		"INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (1, 2, CAST(x'ff' AS TEXT))",
		"INSERT INTO co_occurrences VALUES (1, 2, 3, CAST(x'ff' AS TEXT))")
	checkRoundTrip(t, exported(t, s))
}

// Other programs may give entities any id.
func TestNegativeIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	changeRaw(t, path,
		"INSERT INTO entities (id, name) VALUES (-5, 'Negative'), (0, 'Nothing'), (1, 'One')",
		"INSERT INTO observations (id, entity_id, content) VALUES (-7, -5, 'sails'), (0, 0, 'rows')",
		"INSERT INTO relations (id, from_entity, to_entity, relation_type) VALUES (-2, -5, 0, 'r')")
	found, err := s.SearchNodes(t.Context(), "sails", 10, 0)
	if err != nil || len(found.Entities) != 1 || found.Entities[0].Name != "Negative" {
		t.Errorf("found %+v, %v", found, err)
	}
	report, err := sqlite.Verify(t.Context(), path)
	if err != nil || !report.OK() {
		t.Errorf("%v, %v", report, err)
	}
	changeRaw(t, path, "DELETE FROM entity_text WHERE entity_id = -5")
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Error(err)
	}
	if report, err = sqlite.Verify(t.Context(), path); err != nil || !report.OK() {
		t.Errorf("repaired: %v, %v", report, err)
	}
	text := exported(t, s)
	if strings.Count(text, "{\"name\":") != 3 || !strings.Contains(text, "{\"from\":\"Negative\"") {
		t.Errorf("exported: %s", text)
	}
	checkRoundTrip(t, text)
}

// Names that nobody can see, as older programs took them, are found and deleted as
// others, and come through a document.
func TestInvisibleNamesThatAreStored(t *testing.T) {
	const name = "\u200b\u2060"
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	imported(t, s, `{"type":"entity","name":"A"}`)
	changeRaw(t, path, "UPDATE entities SET name = '"+name+"'")
	var b bytes.Buffer
	if _, err := s.ExportDocument(t.Context(), &b, true); err != nil {
		t.Fatal(err)
	}
	checkRoundTrip(t, b.String())
	results, err := s.AddObservations(t.Context(), []memory.ObservationSet{{Name: name, Contents: []string{"x"}}})
	if err != nil || results[0].Entity.Name != name {
		t.Errorf("adding to it: %v", err)
	}
	if graph, err := s.OpenNodes(t.Context(), []string{name}); err != nil || len(graph.Entities) != 1 {
		t.Errorf("opening it: %d entities, %v", len(graph.Entities), err)
	}
	if deleted, missing, err := s.DeleteEntities(t.Context(), []string{name}); err != nil || len(deleted) != 1 {
		t.Errorf("deleting it: %q, %v, %v", deleted, missing, err)
	}
}
