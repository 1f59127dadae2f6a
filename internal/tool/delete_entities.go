package tool

import (
	"context"
)

type deleteEntitiesInput struct {
	EntityNames []string `json:"entityNames" jsonschema:"minLength=1" jsonschema_description:"Names of the entities to delete"`
}

type deleteEntitiesOutput struct {
	Deleted []string `json:"deleted" jsonschema_description:"Names that were deleted"`
	Errors  []string `json:"errors,omitempty" jsonschema_description:"Names that no entity has"`
}

func deleteEntities(del func(context.Context, []string) ([]string, []error, error)) Tool {
	return typed(Tool{
		Name:        "delete_entities",
		Title:       "Delete entities",
		Description: "Forget entities for good, with their observations and relations. Names that are unknown are reported.",
		Destructive: true,
		Idempotent:  true,
	}, func(ctx context.Context, in deleteEntitiesInput) (deleteEntitiesOutput, error) {
		deleted, missing, err := del(ctx, in.EntityNames)
		return deleteEntitiesOutput{Deleted: nonNil(deleted), Errors: textsOf(missing)}, err
	})
}
