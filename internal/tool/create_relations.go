package tool

import (
	"context"
	"errors"

	"mcp-memory/internal/memory"
)

type createRelationsInput struct {
	Relations []newRelation `json:"relations" jsonschema_description:"Relations to create"`
}

type newRelation struct {
	From         string `json:"from" alias:"from_entity,source" jsonschema:"minLength=1" jsonschema_description:"Name of an existing entity"`
	To           string `json:"to" alias:"to_entity,target" jsonschema:"minLength=1" jsonschema_description:"Name of an existing entity"`
	RelationType string `json:"relationType" alias:"relation_type,type" max:"256" jsonschema:"minLength=1" jsonschema_description:"What the relation says, in active voice, such as works_at; up to 256 characters"`
}

type createRelationsOutput struct {
	Relations []createdRelation `json:"relations" jsonschema_description:"What became of each relation, in the order given"`
	Errors    []string          `json:"errors,omitempty" jsonschema_description:"Relations that could not be created, and why"`
}

// createdRelation is a relation, or only an error for one whose ends are not
// both there.
type createdRelation struct {
	From         *string `json:"from,omitempty" jsonschema_description:"Entity it starts at"`
	To           *string `json:"to,omitempty" jsonschema_description:"Entity it points to"`
	RelationType *string `json:"relationType,omitempty" jsonschema_description:"What the relation says"`
	Error        string  `json:"error,omitempty" jsonschema_description:"Why it was not created"`
}

func createRelations(create func(context.Context, []memory.Relation) ([]memory.RelationResult, error)) Tool {
	return typed(Tool{
		Name:  "create_relations",
		Title: "Create relations",
		Description: "Connect entities with directed, typed relations. Both entities must exist: create them first. " +
			"Relations that exist already or lack an entity are reported one by one.",
		Idempotent: true,
		Everyday:   true,
	}, func(ctx context.Context, in createRelationsInput) (createRelationsOutput, error) {
		relations := make([]memory.Relation, len(in.Relations))
		for i, r := range in.Relations {
			relations[i] = memory.Relation{From: r.From, To: r.To, Type: r.RelationType}
		}
		results, err := create(ctx, relations)
		if err != nil {
			return createRelationsOutput{}, err
		}
		out, missing := reportCreated(results)
		if len(missing) > 0 && len(missing) == len(results) {
			return createRelationsOutput{}, failures(missing)
		}
		return out, nil
	})
}

// reportCreated tells what became of each relation, and returns the errors of
// those whose ends are missing.
func reportCreated(results []memory.RelationResult) (out createRelationsOutput, missing []error) {
	out.Relations = make([]createdRelation, len(results))
	for i, r := range results {
		item := &out.Relations[i]
		if r.Err != nil {
			item.Error = r.Err.Error()
		}
		if r.Err != nil && !errors.Is(r.Err, memory.ErrRelationExists) {
			missing = append(missing, r.Err)
			continue
		}
		item.From, item.To, item.RelationType = &r.Relation.From, &r.Relation.To, &r.Relation.Type
	}
	out.Errors = textsOf(missing)
	return out, missing
}
