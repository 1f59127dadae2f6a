package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
)

// call runs a tool and returns its reply as JSON, or the text of its error.
func call(t *testing.T, tl Tool, args string) string {
	t.Helper()
	out, err := tl.Call(t.Context(), json.RawMessage(args))
	if err != nil {
		text, known := ErrorText(err)
		if !known {
			t.Fatalf("%s failed inside: %v", tl.Name, err)
		}
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// check runs a tool for each of the arguments and compares what it answers.
func check(t *testing.T, tl Tool, answers map[string]string) {
	t.Helper()
	for args, want := range answers {
		if diff := cmp.Diff(want, call(t, tl, args)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tl.Name, args, diff)
		}
	}
}

func TestCatalog(t *testing.T) {
	var names []string
	for _, tl := range Catalog(nil) {
		names = append(names, tl.Name)
		if tl.Call == nil || tl.Input == nil || tl.Output == nil {
			t.Errorf("%s is not complete", tl.Name)
		}
	}
	want := []string{
		"add_observations", "create_entities", "create_relations", "delete_entities", "delete_observations",
		"delete_relations", "migrate", "open_nodes", "read_graph", "search_nodes", "search_semantic",
	}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("wrong tools (-want +got):\n%s", diff)
	}
}

func TestCreateEntities(t *testing.T) {
	var got []memory.NewEntity
	tl := createEntities(func(_ context.Context, items []memory.NewEntity) ([]memory.Entity, error) {
		got = items
		var created []memory.Entity
		for _, item := range items {
			created = append(created, memory.Entity{ID: 7, Name: item.Name, Type: "T", Observations: item.Observations})
		}
		return created, nil
	})
	check(t, tl, map[string]string{
		`{"entities": []}`: `{"entities":[]}`,
		`{"entities": [{"name": "Señal <&>"}, {"name": "B", "observations": ["x", "y"]}]}`: `{"entities":[` +
			`{"name":"Señal <&>","entityType":"T","observations":[]},{"name":"B","entityType":"T","observations":["x","y"]}]}`,
		`{"entities": [{"name": "\u200b\u2060"}]}`:                      "entities[0].name: must not be blank: it has no visible character",
		`{"entities": [{"entityName": " "}]}`:                           "entities[0].entityName: must not be empty",
		`{"entities": [{"name": "A", "type": 5}]}`:                      "entities[0].type: must be a string, not a number",
		`{"entities": [{"name": "A", "contents": ["x", 5]}]}`:           "entities[0].contents[1]: must be a string, not a number",
		`{"entities": [{"name": "A", "contents": {"observation": 5}}]}`: "entities[0].contents: must be a list, not an object",
		`{}`:                                "entities: is required",
		`{"entities": null}`:                "entities: is required",
		`{"entities": {"name": "A"}}`:       "entities: must be a list, not an object",
		`{"entities": ["A"]}`:               "entities[0]: must be an object, not a string",
		`{"entities": [{"name": "A"}, {}]}`: "entities[1].name: is required",
		`{"entities": [{"name": "A"}, {"name": "B"}, {"name": " "}]}`:                                         "entities[2].name: must not be empty",
		`{"entities": [{"name": "A", "observations": [1, true, {}]}]}`:                                        "entities[0].observations[0]: must be a string, not a number; entities[0].observations[1]: must be a string, not a boolean; entities[0].observations[2]: must be a string, not an object",
		`{"entities": [{"name": "A", "observations": ["a", ""]}]}`:                                            "entities[0].observations[1]: must not be empty",
		`{"entities": [{"name": "A\u0000", "entityType": "B\u0000"}]}`:                                        "entities[0].name: must not contain NUL (U+0000); entities[0].entityType: must not contain NUL (U+0000)",
		`{"entities": [{"name": "` + long("n", memory.MaxNameLength+1) + `"}]}`:                               "entities[0].name: must have at most 512 characters, not 513",
		`{"entities": [{"name": "A", "entityType": "` + long("t", memory.MaxTypeLength+1) + `"}]}`:            "entities[0].entityType: must have at most 256 characters, not 257",
		`{"entities": [{"name": "A", "observations": ["` + long("o", memory.MaxObservationLength+1) + `"]}]}`: "entities[0].observations[0]: must have at most 1000000 characters, not 1000001",
	})

	call(t, tl, `{"entities": [{"name": "A"}, {"name": "B", "entityType": "", "observations": null}, {"name": "C", "entityType": "T", "observations": "o"}]}`)
	want := []memory.NewEntity{
		{Name: "A", Observations: []string{}},
		{Name: "B", Type: new(""), Observations: []string{}},
		{Name: "C", Type: new("T"), Observations: []string{"o"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong items (-want +got):\n%s", diff)
	}

	call(t, tl, `{"entities": [{"name": "A", "type": "person", "contents": ["x"]}, {"entityName": "B", "entity_type": "person", "content": "x"},
		{"entity_name": "C", "facts": "[\"x\", \"y\"]"}, {"name": "D", "entityName": "-", "entityType": "T", "type": "entity", "observations": ["x"], "contents": ["-"]}]}`)
	want = []memory.NewEntity{
		{Name: "A", Type: new("person"), Observations: []string{"x"}},
		{Name: "B", Type: new("person"), Observations: []string{"x"}},
		{Name: "C", Observations: []string{"x", "y"}},
		{Name: "D", Type: new("T"), Observations: []string{"x"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong items under the keys of other servers (-want +got):\n%s", diff)
	}
	for _, args := range []string{
		`{"entities": [{"name": "` + long("木", memory.MaxNameLength) + `", "entityType": "` + long("t", memory.MaxTypeLength) + `"}]}`,
		`{"entities": [{"name": "A", "observations": ["` + long("o", memory.MaxObservationLength) + `"]}]}`,
	} {
		if _, err := tl.Call(t.Context(), json.RawMessage(args)); err != nil {
			t.Errorf("as long as is allowed: %v", err)
		}
	}
}

func TestDeleteEntities(t *testing.T) {
	check(t, deleteEntities(func(_ context.Context, names []string) (deleted []string, missing []error, err error) {
		for _, name := range names {
			if name == "Nobody" {
				missing = append(missing, &memory.NotFoundError{Name: name})
			} else {
				deleted = append(deleted, name)
			}
		}
		return deleted, missing, nil
	}), map[string]string{
		`{"entityNames": ["A", "Nobody", "B"]}`: `{"deleted":["A","B"],"errors":["Entity not found: Nobody"]}`,
		`{"entityNames": "A"}`:                  `{"deleted":["A"]}`,
		`{"entityNames": ["Nobody"]}`:           `{"deleted":[],"errors":["Entity not found: Nobody"]}`,
		`{"entityNames": []}`:                   `{"deleted":[]}`,
		`{"names": ["A"]}`:                      "entityNames: is required",
		`{"entityNames": ["A", ""]}`:            "entityNames[1]: must not be empty",
	})
}

func TestOpenNodes(t *testing.T) {
	check(t, openNodes(func(_ context.Context, names []string) (memory.Graph, error) {
		if len(names) == 0 {
			return memory.Graph{}, nil
		}
		return memory.Graph{
			Entities:  []memory.Entity{{Name: names[0], Type: "T"}},
			Relations: []memory.Relation{{From: names[0], To: "B", Type: "knows"}},
		}, nil
	}), map[string]string{
		`{"names": ["A"]}`:     `{"entities":[{"name":"A","entityType":"T","observations":[]}],"relations":[{"from":"A","to":"B","relationType":"knows"}]}`,
		`{"names": "[\"A\"]"}`: `{"entities":[{"name":"A","entityType":"T","observations":[]}],"relations":[{"from":"A","to":"B","relationType":"knows"}]}`,
		`{"names": []}`:        `{"entities":[],"relations":[]}`,
		`{"names": [null]}`:    "names[0]: must be a string, not null",
		`{}`:                   "names: is required",
	})
}

func TestSearchSemantic(t *testing.T) {
	tl := searchSemantic(func(_ context.Context, q memory.Question) (memory.SemanticResult, error) {
		switch {
		case q.Query == "no model":
			return memory.SemanticResult{}, memory.ErrNoModel
		case q.Limit == 1000:
			return memory.SemanticResult{}, nil
		}
		return memory.SemanticResult{Hits: []memory.Hit{
			{
				Entity: memory.Entity{Name: "SQLite", Type: "Sistema", Observations: []string{"x"}},
				Scored: rank.Scored{
					LimbicScore: 1.19543, Evidence: 1.17, Gap: 0.92, Meaning: 0.9, EntityWords: 0.24, PassageWords: 0.3, UseFactor: 1.02174,
					Relevance: 0.98765, Importance: 1.05, TemporalFactor: 1, CoocBoost: 2,
					Distance: new(0.18214), RRF: new(0.032522474881015335),
				},
				Match: "…x…", NearestRank: 1, WordsRank: 2,
			},
			{
				Entity: memory.Entity{Name: "B", Type: "T"},
				Scored: rank.Scored{LimbicScore: 0.25, Relevance: 0.04, Weak: true, Evidence: 0.25, Gap: -0.92, UseFactor: 1},
			},
		}, Pending: q.Limit}, nil
	})
	const (
		first = `{"name":"SQLite","entityType":"Sistema","observations":["x"],"relevance":0.988,"match":"…x…","limbic_score":1.1954,` +
			`"scoring":{"importance":1.05,"temporal_factor":1,"cooc_boost":2},"distance":0.1821,"rrf_score":0.032522`
		second = `{"name":"B","entityType":"T","observations":[],"relevance":0.04,"weak":true,"limbic_score":0.25,` +
			`"scoring":{"importance":0,"temporal_factor":0,"cooc_boost":0}`
	)
	check(t, tl, map[string]string{
		`{"query": "q"}`: `{"results":[` + first + `},` + second + `}],"pending":10}`,
		`{"query": "q", "explain": true}`: `{"results":[` + first +
			`,"explain":{"meaning":0.9,"entity_words":0.24,"passage_words":0.3,"evidence":1.17,"gap":0.92,"use_factor":1.0217,"exact_name":false,"nearest_rank":1,"words_rank":2}},` +
			second + `,"explain":{"meaning":0,"entity_words":0,"passage_words":0,"evidence":0.25,"gap":-0.92,"use_factor":1,"exact_name":false}}],"pending":10}`,
		`{"query": "q", "limit": 99999}`:        `{"results":[]}`,
		`{"query": "q", "limit": 0}`:            "limit: must be at least 1",
		`{"query": "q", "top_k": 0}`:            "top_k: must be at least 1",
		`{"query": "q", "since": "26"}`:         "since: must be a date or time such as 2026-03-31 or 2026-03-31T18:00:00Z",
		`{"query": null}`:                       "query: is required",
		`{"query": 5}`:                          "query: must be a string, not a number",
		`{"query": "a\u0000"}`:                  "query: must not contain NUL (U+0000)",
		`{"query": "no model"}`:                 noModel + "; search_nodes works without it.",
		`{"query": "q", "since": "yesterday"}`:  "since: must be a date or time such as 2026-03-31 or 2026-03-31T18:00:00Z",
		`{"query": "q", "until": "2026-13-01"}`: "until: must be a date or time such as 2026-03-31 or 2026-03-31T18:00:00Z",
		`{"query": "q", "explain": "maybe"}`:    "explain: must be true or false, not a string",
	})
}

func TestSearchSemanticBounds(t *testing.T) {
	day := func(hour, minute, second int) time.Time {
		return time.Date(2026, 3, 31, hour, minute, second, 0, time.UTC)
	}
	for args, want := range map[string]memory.Question{
		`{"query": "q"}`: {Query: "q", Limit: 10},
		`{"query": "q", "limit": 3, "entityType": "Person", "since": "2026-03-31", "until": "2026-03-31"}`: {
			Query: "q", Limit: 3, EntityType: "Person", Since: day(0, 0, 0), Until: day(23, 59, 59),
		},
		`{"query": "q", "since": "2026-03-31T18:30:00+02:00", "until": " 2026-03-31 20:15 "}`: {
			Query: "q", Limit: 10, Since: day(16, 30, 0), Until: day(20, 15, 0),
		},
		`{"query": "q", "since": "2026-03-31 10:00:00Z", "until": "2026-03-31 12:00:00.5+01:00"}`: {
			Query: "q", Limit: 10, Since: day(10, 0, 0), Until: day(11, 0, 0).Add(time.Second / 2),
		},
		`{"query": "q", "since": "20260331", "until": "2026-03"}`: {
			Query: "q", Limit: 10, Since: day(0, 0, 0), Until: day(23, 59, 59),
		},
		`{"query": "q", "since": "2026-03-31t12:30:00+0200", "until": "20260331T200000z"}`: {
			Query: "q", Limit: 10, Since: day(10, 30, 0), Until: day(20, 0, 0),
		},
		`{"query": "q", "since": "2026", "until": "2026"}`: {
			Query: "q", Limit: 10, Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC),
		},
		`{"query": "q", "top_k": "3"}`:                                   {Query: "q", Limit: 3},
		`{"query": "q", "k": 3}`:                                         {Query: "q", Limit: 3},
		`{"query": "q", "max_results": 3.0}`:                             {Query: "q", Limit: 3},
		`{"query": "q", "n_results": 3, "limit": 4}`:                     {Query: "q", Limit: 4},
		`{"query": "q", "since": null, "until": "", "entityType": null}`: {Query: "q", Limit: 10},
	} {
		var got memory.Question
		tl := searchSemantic(func(_ context.Context, q memory.Question) (memory.SemanticResult, error) {
			got = q
			return memory.SemanticResult{}, nil
		})
		if _, err := tl.Call(t.Context(), json.RawMessage(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

func TestMigrate(t *testing.T) {
	check(t, migrate(func(_ context.Context, path string) (memory.ImportReport, error) {
		switch path {
		case "":
			return memory.ImportReport{}, memory.ErrNoSource
		case "clean":
			return memory.ImportReport{Entities: 2, Relations: 1}, nil
		}
		return memory.ImportReport{Errors: 1, Skipped: 2, Problems: []memory.ImportProblem{{Line: 3, Reason: "not JSON"}}}, nil
	}), map[string]string{
		`{}`:                       memory.ErrNoSource.Error(),
		`null`:                     memory.ErrNoSource.Error(),
		`{"source_path": null}`:    memory.ErrNoSource.Error(),
		`{"source_path": "clean"}`: `{"entities_imported":2,"relations_imported":1,"errors":0,"skipped":0,"problems":[]}`,
		`{"source_path": "dirty"}`: `{"entities_imported":0,"relations_imported":0,"errors":1,"skipped":2,"problems":[{"line":3,"reason":"not JSON"}]}`,
		`{"source_path": 5}`:       "source_path: must be a string, not a number",
	})
}
