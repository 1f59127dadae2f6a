package tool

import (
	"context"

	"mcp-memory/internal/memory"
)

type openNodesInput struct {
	Names []string `json:"names" jsonschema:"minLength=1" jsonschema_description:"Names of the entities to open"`
}

type openNodesOutput struct {
	Entities  []entityOutput   `json:"entities" jsonschema_description:"The entities, in the order asked"`
	Relations []relationOutput `json:"relations" jsonschema_description:"Relations from or to these entities"`
}

func openNodes(open func(context.Context, []string) (memory.Graph, error)) Tool {
	return typed(Tool{
		Name:  "open_nodes",
		Title: "Open entities by name",
		Description: "Read entities whose names you know: all their observations, and the relations that lead on from them. " +
			"Unknown names are left out.",
		ReadOnly:   true,
		Idempotent: true,
		MaxResult:  largestResult,
		Everyday:   true,
	}, func(ctx context.Context, in openNodesInput) (openNodesOutput, error) {
		graph, err := open(ctx, in.Names)
		return openNodesOutput{Entities: entitiesOf(graph.Entities), Relations: relationsOf(graph.Relations)}, err
	})
}
