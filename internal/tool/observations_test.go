package tool

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// changing is a change that knows no entity "?" and changes all contents but
// "same" and "gone", and reports the latter.
func changing(got *[]memory.ObservationSet) changeObservations {
	return func(_ context.Context, sets []memory.ObservationSet) ([]memory.ObservationResult, error) {
		*got = sets
		var results []memory.ObservationResult
		for _, set := range sets {
			if set.Name == "?" {
				return nil, &memory.NotFoundError{Name: set.Name}
			}
			results = append(results, memory.ObservationResult{
				Entity:  memory.Entity{Name: set.Name, Type: "T", Observations: []string{"all"}},
				Changed: slices.DeleteFunc(slices.Clone(set.Contents), func(s string) bool { return s == "same" || s == "gone" }),
			})
			if slices.Contains(set.Contents, "gone") {
				results[len(results)-1].Missing = []error{&memory.ObservationNotFoundError{Content: "gone"}}
			}
		}
		return results, nil
	}
}

func TestAddObservations(t *testing.T) {
	const (
		flat     = `{"entity":{"name":"A","entityType":"T","observations":["all"]}}`
		official = `{"results":[{"entityName":"A","addedObservations":["x"]},{"entityName":"B","addedObservations":[]}]}`
		hint     = " (expected {name, observations: [text, …]} or {observations: [{entityName, contents: [text, …]}, …]})"
	)
	var got []memory.ObservationSet
	tl := addObservations(changing(&got))
	check(t, tl, map[string]string{
		`{"name": "A", "observations": ["x"]}`:     flat,
		`{"name": "A", "observations": []}`:        flat,
		`{"entityName": "A", "contents": "x"}`:     flat,
		`{"name": "A", "observations": "[\"x\"]"}`: flat,
		`{"observations": [{"entityName": "A", "contents": ["x", "same"]}, {"entityName": "B", "contents": []}]}`:                 official,
		`{"observations": [{"name": "A", "observations": ["x"]}, {"entityName": "B", "contents": "same"}]}`:                       official,
		`{"observations": "[{\"entityName\": \"A\", \"contents\": [\"x\"]}, {\"entityName\": \"B\", \"contents\": [\"same\"]}]"}`: official,
		`"{\"observations\": [{\"entityName\": \"A\", \"contents\": [\"x\"]}, {\"entityName\": \"B\", \"contents\": []}]}"`:       official,
		`{"observations": []}`:                 `{"results":[]}`,
		`{"name": "?", "observations": ["x"]}`: "Entity not found: ?",
		`{"observations": [{"entityName": "A", "contents": ["x"]}, {"entityName": "?", "contents": ["x"]}]}`: "Entity not found: ?",
		`{"name": "A", "observations": [{"entityName": "A"}]}`:                                               "observations[0]: must be a string, not an object",
		`{"name": "A", "observations": ["x", ""]}`:                                                           "observations[1]: must not be empty",
		`{"name": "A"}`:                                                 "observations: is required",
		`{"name": "", "observations": ["x"]}`:                           "name: must not be empty",
		`{"observations": [{"entityName": "A"}, {}]}`:                   "observations[0].contents: is required; observations[1].entityName: is required; observations[1].contents: is required",
		`{"observations": [{"entityName": "A", "contents": ["x", 5]}]}`: "observations[0].contents[1]: must be a string, not a number",
		`{"observations": [{"entityName": "A", "contents": ["x"]}, 5]}`: "observations[1]: must be an object, not a number",
		`{"observations": ["x"]}`:                                       "name: is required" + hint,
		`{"observations": {"entityName": "A"}}`:                         "name: is required; observations: must be a list, not an object" + hint,
		`{}`:                                                            "name: is required; observations: is required" + hint,
		`[]`:                                                            "name: is required; observations: is required" + hint,
		`[1]`:                                                           "arguments: must be an object, not a list" + hint,
		`{"entity_name": "A", "content": "x"}`:                          flat,
		`{"observations": [{"entity_name": "A", "facts": ["x"]}, {"entityName": "B", "content": "same"}]}`: official,
		`{"observations": [{"entity_name": "A", "content": 5}]}`:                                           "observations[0].content: must be a list, not a number",
	})

	call(t, tl, `{"observations": [{"entityName": "A", "contents": ["x", "y"]}, {"entityName": "B", "contents": "z"}]}`)
	want := []memory.ObservationSet{{Name: "A", Contents: []string{"x", "y"}}, {Name: "B", Contents: []string{"z"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong observations (-want +got):\n%s", diff)
	}
}

func TestDeleteObservations(t *testing.T) {
	const (
		flat     = `{"entity":{"name":"A","entityType":"T","observations":["all"]}}`
		official = `{"results":[{"entityName":"A","deletedObservations":["x"]}]}`
		hint     = " (expected {name, observations: [text, …]} or {deletions: [{entityName, observations: [text, …]}, …]})"
	)
	var got []memory.ObservationSet
	check(t, deleteObservations(changing(&got)), map[string]string{
		`{"name": "A", "observations": ["x", ""]}`:                              flat,
		`{"entityName": "A", "contents": ["x"]}`:                                flat,
		`{"deletions": [{"entityName": "A", "observations": ["x", "same"]}]}`:   official,
		`{"deletions": [{"name": "A", "contents": "x"}]}`:                       official,
		`{"observations": [{"entityName": "A", "observations": ["x"]}]}`:        official,
		`{"deletions": "[{\"entityName\": \"A\", \"observations\": [\"x\"]}]"}`: official,
		`{"name": "A", "observations": ["x", "gone"]}`:                          strings.TrimSuffix(flat, "}") + `,"errors":["Observation not found: gone"]}`,
		`{"deletions": [{"entityName": "A", "observations": ["x", "gone"]}, {"entity_name": "B", "content": "gone"}]}`: strings.TrimSuffix(official, "]}") +
			`,{"entityName":"B","deletedObservations":[]}],"errors":["Observation not found: gone","Observation not found: gone"]}`,
		`{"deletions": []}`:                                            `{"results":[]}`,
		`{"name": "?", "observations": ["x"]}`:                         "Entity not found: ?",
		`{"deletions": [{"entityName": "?", "observations": ["x"]}]}`:  "Entity not found: ?",
		`{"deletions": [{"entityName": "A", "observations": [null]}]}`: "deletions[0].observations[0]: must be a string, not null",
		`{}`: "name: is required; observations: is required" + hint,
	})
}
