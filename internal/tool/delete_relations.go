package tool

import (
	"context"

	"mcp-memory/internal/memory"
)

type deleteRelationsInput struct {
	Relations []storedRelation `json:"relations" jsonschema_description:"Relations to delete"`
}

// storedRelation names a relation that may be older than the rules for new ones.
type storedRelation struct {
	From         string `json:"from" alias:"from_entity,source" jsonschema:"minLength=1" jsonschema_description:"Entity it starts at"`
	To           string `json:"to" alias:"to_entity,target" jsonschema:"minLength=1" jsonschema_description:"Entity it points to"`
	RelationType string `json:"relationType" alias:"relation_type,type" jsonschema_description:"The exact type of the relation"`
}

type deleteRelationsOutput struct {
	Deleted []relationOutput `json:"deleted" jsonschema_description:"Relations that were deleted"`
	Errors  []string         `json:"errors,omitempty" jsonschema_description:"Relations that were not found"`
}

func deleteRelations(del func(context.Context, []memory.Relation) ([]memory.Relation, []error, error)) Tool {
	return typed(Tool{
		Name:        "delete_relations",
		Title:       "Delete relations",
		Description: "Delete relations that no longer hold. The entities stay. Relations that are not there are reported.",
		Destructive: true,
		Idempotent:  true,
	}, func(ctx context.Context, in deleteRelationsInput) (deleteRelationsOutput, error) {
		relations := make([]memory.Relation, len(in.Relations))
		for i, r := range in.Relations {
			relations[i] = memory.Relation{From: r.From, To: r.To, Type: r.RelationType}
		}
		deleted, missing, err := del(ctx, relations)
		return deleteRelationsOutput{Deleted: relationsOf(deleted), Errors: textsOf(missing)}, err
	})
}
