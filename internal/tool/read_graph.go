package tool

import (
	"context"

	"mcp-memory/internal/memory"
)

type readGraphInput struct {
	Limit         int `json:"limit,omitempty" min:"1" max:"1000" jsonschema:"default=1000" jsonschema_description:"How many entities at most, 1 to 1000"`
	Offset        int `json:"offset,omitempty" min:"0" max:"1000000000" jsonschema:"default=0" jsonschema_description:"How many to skip: a reply's nextOffset"`
	MaxCharacters int `json:"maxCharacters,omitempty" min:"1" max:"500000" jsonschema:"default=40000" jsonschema_description:"Length of the reply, up to 500000"`
}

type readGraphOutput struct {
	Entities         []excerpt        `json:"entities" jsonschema_description:"Entities, the oldest first"`
	Relations        []relationOutput `json:"relations" jsonschema_description:"Relations among these and earlier entities"`
	RelationsOmitted int              `json:"relationsOmitted,omitempty" jsonschema_description:"Relations left out for length"`
	Total            int              `json:"total" jsonschema_description:"All entities"`
	TotalRelations   int              `json:"totalRelations" jsonschema_description:"All relations"`
	NextOffset       int              `json:"nextOffset,omitempty" jsonschema_description:"Offset of the next page"`
}

func readGraph(read func(ctx context.Context, limit, offset int) (memory.GraphPage, error)) Tool {
	return typed(Tool{
		Name:  "read_graph",
		Title: "Read the whole memory",
		Description: "Read all entities and the relations among them, page by page. " +
			"To answer a question, search first: that is shorter.",
		ReadOnly:   true,
		Idempotent: true,
		MaxResult:  largestResult,
	}, func(ctx context.Context, in readGraphInput) (readGraphOutput, error) {
		page, err := read(ctx, in.Limit, in.Offset)
		if err != nil {
			return readGraphOutput{}, err
		}
		fit := fitting{size: in.MaxCharacters, complete: true}.page(page.Page)
		return readGraphOutput{
			Entities: fit.entities, Relations: fit.relations, RelationsOmitted: fit.relationsOmitted,
			Total: page.Total, TotalRelations: page.TotalRelations,
			NextOffset: nextOffset(page.Page, in.Offset, len(fit.entities)),
		}, nil
	})
}
