package tool

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

func TestCreateRelations(t *testing.T) {
	var got []memory.Relation
	tl := createRelations(func(_ context.Context, relations []memory.Relation) ([]memory.RelationResult, error) {
		got = relations
		var results []memory.RelationResult
		for _, r := range relations {
			result := memory.RelationResult{Relation: r}
			switch {
			case r.From[0] == '?':
				result.Err = &memory.NotFoundError{Name: r.From}
			case r.Type == "old":
				result.Err = memory.ErrRelationExists
			}
			results = append(results, result)
		}
		return results, nil
	})
	const (
		fresh   = `{"from": "A", "to": "B", "relationType": "new"}`
		known   = `{"from": "A", "to": "B", "relationType": "old"}`
		missing = `{"from": "?1", "to": "B", "relationType": "new"}`
	)
	check(t, tl, map[string]string{
		`{"relations": []}`:              `{"relations":[]}`,
		`{"relations": [` + fresh + `]}`: `{"relations":[{"from":"A","to":"B","relationType":"new"}]}`,
		`{"relations": [` + known + `]}`: `{"relations":[{"from":"A","to":"B","relationType":"old","error":"Relation already exists"}]}`,
		`{"relations": [` + missing + `, ` + known + `]}`: `{"relations":[{"error":"Entity not found: ?1"},` +
			`{"from":"A","to":"B","relationType":"old","error":"Relation already exists"}],"errors":["Entity not found: ?1"]}`,
		`{"relations": [` + missing + `]}`: "Entity not found: ?1",
		`{"relations": [` + missing + `, ` + missing + `, {"from": "?2", "to": "B", "relationType": "r"}]}`:              "Entity not found: ?1; Entity not found: ?2",
		`{"relations": [{"source": "", "target": 5, "relation_type": ""}]}`:                                              "relations[0].source: must not be empty; relations[0].target: must be a string, not a number; relations[0].relation_type: must not be empty",
		`{"relations": [{"from": "A", "relationType": ""}]}`:                                                             "relations[0].to: is required; relations[0].relationType: must not be empty",
		`{"relations": [{"from": "A", "to": "B", "relationType": "` + long("r", memory.MaxRelationTypeLength+1) + `"}]}`: "relations[0].relationType: must have at most 256 characters, not 257",
	})

	call(t, tl, `{"relations": [{"from_entity": "A", "to_entity": "B", "relationType": "r"}, {"from": "C", "from_entity": "X", "to": "D", "relationType": "r"},
		{"source": "E", "target": "F", "relation_type": "r"}, {"from": "G", "to": "H", "type": "r"}, {"from": "I", "to": "J", "type": "relation", "relationType": "r"}]}`)
	want := []memory.Relation{
		{From: "A", To: "B", Type: "r"}, {From: "C", To: "D", Type: "r"}, {From: "E", To: "F", Type: "r"}, {From: "G", To: "H", Type: "r"}, {From: "I", To: "J", Type: "r"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong relations (-want +got):\n%s", diff)
	}
}

func TestDeleteRelations(t *testing.T) {
	check(t, deleteRelations(func(_ context.Context, relations []memory.Relation) (deleted []memory.Relation, missing []error, err error) {
		for _, r := range relations {
			if r.To == "?" {
				missing = append(missing, &memory.RelationNotFoundError{Relation: r})
			} else {
				deleted = append(deleted, r)
			}
		}
		return deleted, missing, nil
	}), map[string]string{
		`{"relations": []}`: `{"deleted":[]}`,
		`{"relations": [{"from_entity": "A", "to_entity": "B", "relationType": ""}, {"from": "A", "to": "?", "relationType": "r"}]}`: `{"deleted":[{"from":"A","to":"B","relationType":""}],"errors":["Relation not found: A -> ? (r)"]}`,
		`{"relations": [{"from": "A"}]}`: "relations[0].to: is required; relations[0].relationType: is required",
	})
}
