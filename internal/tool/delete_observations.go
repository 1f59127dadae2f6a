package tool

import (
	"context"
	"encoding/json"
	"reflect"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool/arguments"
)

// deleteObservationsInput is the form that is announced.
type deleteObservationsInput struct {
	Name         string   `json:"name" alias:"entityName,entity_name" jsonschema:"minLength=1" jsonschema_description:"Name of an existing entity"`
	Observations []string `json:"observations" alias:"contents,content,facts" jsonschema_description:"Facts to delete, to the letter; others are reported"`
}

// deleteManyInput is the official memory server's form.
type deleteManyInput struct {
	Deletions []struct {
		EntityName   string   `json:"entityName" alias:"name,entity_name" jsonschema:"minLength=1"`
		Observations []string `json:"observations" alias:"contents,content,facts"`
	} `json:"deletions" alias:"observations"`
}

type deleteObservationsOutput struct {
	Entity  *entityOutput         `json:"entity,omitempty" jsonschema_description:"The entity as it is now"`
	Results []deletedObservations `json:"results,omitzero" jsonschema_description:"One item an entity, if several were named"`
	Errors  []string              `json:"errors,omitempty" jsonschema_description:"Facts that were not there"`
}

type deletedObservations struct {
	EntityName          string   `json:"entityName" jsonschema_description:"Name of the entity"`
	DeletedObservations []string `json:"deletedObservations" jsonschema_description:"Facts it had"`
}

func deleteObservations(del changeObservations) Tool {
	return Tool{
		Name:        "delete_observations",
		Title:       "Delete observations",
		Description: "Delete facts of an entity that are wrong or outdated, by their exact text. The entity stays.",
		Destructive: true,
		Idempotent:  true,
		Input:       reflect.TypeFor[deleteObservationsInput](),
		Output:      reflect.TypeFor[deleteObservationsOutput](),
		Call: func(ctx context.Context, args json.RawMessage) (any, error) {
			if isOfficialForm(args, "deletions", "observations") {
				return deleteFromMany(ctx, args, del)
			}
			var in deleteObservationsInput
			if err := decodeFlat(args, &in, "observations", "deletions"); err != nil {
				return nil, err
			}
			results, err := del(ctx, []memory.ObservationSet{{Name: in.Name, Contents: in.Observations}})
			if err != nil {
				return nil, err
			}
			entity := entityOf(results[0].Entity)
			return deleteObservationsOutput{Entity: &entity, Errors: textsOf(results[0].Missing)}, nil
		},
	}
}

func deleteFromMany(ctx context.Context, args json.RawMessage, del changeObservations) (any, error) {
	var in deleteManyInput
	if err := arguments.Decode(args, &in); err != nil {
		return nil, err
	}
	sets := make([]memory.ObservationSet, len(in.Deletions))
	for i, d := range in.Deletions {
		sets[i] = memory.ObservationSet{Name: d.EntityName, Contents: d.Observations}
	}
	results, err := del(ctx, sets)
	if err != nil {
		return nil, err
	}
	out := deleteObservationsOutput{Results: make([]deletedObservations, len(results))}
	for i, r := range results {
		out.Results[i] = deletedObservations{EntityName: r.Entity.Name, DeletedObservations: nonNil(r.Changed)}
		out.Errors = append(out.Errors, textsOf(r.Missing)...)
	}
	return out, nil
}
