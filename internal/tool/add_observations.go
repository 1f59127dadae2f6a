package tool

import (
	"context"
	"encoding/json"
	"reflect"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool/arguments"
)

// addObservationsInput is the form that is announced.
type addObservationsInput struct {
	Name         string   `json:"name" alias:"entityName,entity_name" jsonschema:"minLength=1" jsonschema_description:"Name of an existing entity"`
	Observations []string `json:"observations" alias:"contents,content,facts" max:"1000000" jsonschema:"minLength=1" jsonschema_description:"Facts to add, one each; those it has already are skipped"`
}

// addManyInput is the official memory server's form.
type addManyInput struct {
	Observations []struct {
		EntityName string   `json:"entityName" alias:"name,entity_name" jsonschema:"minLength=1"`
		Contents   []string `json:"contents" alias:"observations,content,facts" max:"1000000" jsonschema:"minLength=1"`
	} `json:"observations"`
}

type addObservationsOutput struct {
	Entity  *entityOutput       `json:"entity,omitempty" jsonschema_description:"The entity as it is now"`
	Results []addedObservations `json:"results,omitzero" jsonschema_description:"One item an entity, if several were named"`
}

type addedObservations struct {
	EntityName        string   `json:"entityName" jsonschema_description:"Name of the entity"`
	AddedObservations []string `json:"addedObservations" jsonschema_description:"Facts it did not have"`
}

func addObservations(add changeObservations) Tool {
	return Tool{
		Name:  "add_observations",
		Title: "Add observations",
		Description: "Add facts to an entity that exists. Facts it has already are skipped. " +
			"An unknown entity is an error: create_entities makes one.",
		Idempotent: true,
		Input:      reflect.TypeFor[addObservationsInput](),
		Output:     reflect.TypeFor[addObservationsOutput](),
		Call: func(ctx context.Context, args json.RawMessage) (any, error) {
			if isOfficialForm(args, "observations") {
				return addToMany(ctx, args, add)
			}
			var in addObservationsInput
			if err := decodeFlat(args, &in, "contents", "observations"); err != nil {
				return nil, err
			}
			results, err := add(ctx, []memory.ObservationSet{{Name: in.Name, Contents: in.Observations}})
			if err != nil {
				return nil, err
			}
			entity := entityOf(results[0].Entity)
			return addObservationsOutput{Entity: &entity}, nil
		},
		Everyday: true,
	}
}

func addToMany(ctx context.Context, args json.RawMessage, add changeObservations) (any, error) {
	var in addManyInput
	if err := arguments.Decode(args, &in); err != nil {
		return nil, err
	}
	sets := make([]memory.ObservationSet, len(in.Observations))
	for i, o := range in.Observations {
		sets[i] = memory.ObservationSet{Name: o.EntityName, Contents: o.Contents}
	}
	results, err := add(ctx, sets)
	if err != nil {
		return nil, err
	}
	out := addObservationsOutput{Results: make([]addedObservations, len(results))}
	for i, r := range results {
		out.Results[i] = addedObservations{EntityName: r.Entity.Name, AddedObservations: nonNil(r.Changed)}
	}
	return out, nil
}
