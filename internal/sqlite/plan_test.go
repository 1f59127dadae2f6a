package sqlite_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// argument is a parameter as sqlc writes it.
var argument = regexp.MustCompile(`sqlc\.n?arg\((\w+)\)`)

// parameter is one as SQLite takes it.
var parameter = regexp.MustCompile(`:\w+`)

// queryTexts reads the queries in a file by name.
func queryTexts(t *testing.T, file string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, part := range strings.Split(readFile(t, filepath.Join("..", "..", "sql", "queries", file)), "-- name: ")[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		name, _, _ := strings.Cut(heading, " ")
		text, _, _ = strings.Cut(text, ";\n")
		texts[name] = argument.ReplaceAllString(text, ":$1")
	}
	return texts
}

// countArguments counts the parameters of a query.
func countArguments(text string) int {
	names := map[string]bool{}
	for _, name := range parameter.FindAllString(text, -1) {
		names[name] = true
	}
	return len(names)
}

// What is asked often must not cost a look at all passages or entities.
func TestPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	readEntities := []string{"CoarseNearestAmong", "NearestByVectorsAmong"} // as their filter may pass any
	for _, tc := range []struct {
		file, query string
		search      string // that the plan has
	}{
		{"passages.sql", "PassagesOfModel", "SEARCH p USING INDEX idx_passages_model (model=? AND id>?)"},
		{"passages.sql", "CountPassagesDue", "SEARCH p USING COVERING INDEX idx_passages_model (model=?)"},
		{"passages.sql", "CountPassagesDue", "SEARCH p USING COVERING INDEX idx_passages_model (model<?)"},
		{"passages.sql", "CountPassagesDue", "SEARCH p USING COVERING INDEX idx_passages_model (model>?)"},
		{"passages.sql", "CountPassages", "SEARCH passages USING COVERING INDEX idx_passages_entity (entity_id=?)"},
		{"passages.sql", "FreePassages", "SEARCH passages USING COVERING INDEX idx_passages_entity (entity_id=? AND ordinal=? AND rowid>?)"},
		{"passages.sql", "PassagesOf", "SEARCH p USING INDEX idx_passages_entity (entity_id=?)"},
		{"passages.sql", "PassagesByID", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"},
		{"passages.sql", "NearestOf", "SEARCH p USING INDEX idx_passages_entity (entity_id=?)"},
		{"passages.sql", "VectorOfPassage", "SEARCH p USING INDEX idx_passages_entity (entity_id=?)"},
		{"passages.sql", "CoarseNearestAmong", "SEARCH p USING INDEX idx_passages_entity (entity_id=?)"},
		{"passages.sql", "NearestByVectorsAmong", "SEARCH p USING INDEX idx_passages_entity (entity_id=?)"},
		{"passages.sql", "MeasurePassages", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"},
		{"entities.sql", "RecentEntities", "SCAN entity_access USING COVERING INDEX idx_access_last"},
		{"entities.sql", "RecentEntities", "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"},
		{"entities.sql", "EntityIDsBefore", "SEARCH entities USING INTEGER PRIMARY KEY (rowid<?)"},
		{"text.sql", "EntitiesWithName", "SCAN entity_text USING COVERING INDEX idx_text_name"},
		{"text.sql", "CountEntitiesWithName", "SCAN entity_text USING COVERING INDEX idx_text_name"},
		{"entities.sql", "EntityTypes", "SEARCH e USING COVERING INDEX idx_entities_type (entity_type>?)"},
		{"text.sql", "EntitiesNamed", "SEARCH entity_text USING COVERING INDEX idx_text_name (<expr>=?)"},
		{"text.sql", "ContainingTrigrams", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"},
		{"text.sql", "ContainingTrigramsBetween", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"},
		{"words.sql", "MatchEntitiesAmong", "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"},
		{"words.sql", "MatchPassages", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"},
	} {
		text := queryTexts(t, tc.file)[tc.query]
		var explained []string
		for _, row := range query(t, path, "EXPLAIN QUERY PLAN "+text, make([]any, countArguments(text))...) {
			explained = append(explained, strings.Join(strings.Fields(row)[3:], " "))
		}
		plan := strings.Join(explained, "\n")
		if !strings.Contains(plan, tc.search) || strings.Contains(plan, "SCAN p\n") || !slices.Contains(readEntities, tc.query) && strings.Contains(plan, "SCAN e\n") {
			t.Errorf("plan of %s:\n%s\nwant %s", tc.query, plan, tc.search)
		}
	}
}

// What changes the rows of passages between texts that are indexed sets off no trigger:
// for each such statement, FTS5 would write out an index of its own.
func TestPassagesAreWrittenWithoutTriggers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	texts := queryTexts(t, "passages.sql")
	setsOff := func(name string) bool {
		rows := query(t, path, "EXPLAIN "+texts[name], make([]any, countArguments(texts[name]))...)
		return slices.ContainsFunc(rows, func(row string) bool { return slices.Contains(strings.Fields(row), "Program") })
	}
	for _, name := range []string{"MovePassage", "ReplacePassage", "InsertPassage", "FreePassage"} {
		if setsOff(name) {
			t.Errorf("%s sets off a trigger", name)
		}
	}
	if !setsOff("UnsetPassageModel") {
		t.Error("this test sees no triggers")
	}
}
