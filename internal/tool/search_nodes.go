package tool

import (
	"context"

	"mcp-memory/internal/memory"
)

type searchNodesInput struct {
	Query  string `json:"query" jsonschema_description:"Text to look for, a part of a word too, without wildcards. Case and accents do not matter"`
	Limit  int    `json:"limit,omitempty" min:"1" max:"1000" jsonschema:"default=50" jsonschema_description:"How many entities at most, 1 to 1000"`
	Offset int    `json:"offset,omitempty" min:"0" max:"1000000000" jsonschema:"default=0" jsonschema_description:"How many to skip: a reply's nextOffset"`
}

type searchNodesOutput struct {
	Entities         []excerpt        `json:"entities" jsonschema_description:"Entities that match"`
	Relations        []relationOutput `json:"relations" jsonschema_description:"Relations from or to these entities"`
	RelationsOmitted int              `json:"relationsOmitted,omitempty" jsonschema_description:"Relations left out for length"`
	Total            int              `json:"total" jsonschema_description:"Number of all matches"`
	NextOffset       int              `json:"nextOffset,omitempty" jsonschema_description:"Offset of the next page"`
	Incomplete       bool             `json:"incomplete,omitempty" jsonschema_description:"Some entities were not looked at: after an import, or changes by another program, they are not indexed yet"`
}

func searchNodes(search func(ctx context.Context, query string, limit, offset int) (memory.Page, error)) Tool {
	return typed(Tool{
		Name:  "search_nodes",
		Title: "Search by words",
		Description: "Find entities whose name, type or observations contain a text, names first; if none does, those that share words with it, best first. " +
			"Long replies are cut to whole entities: page with offset.",
		ReadOnly:   true,
		Idempotent: true,
		Everyday:   true,
	}, func(ctx context.Context, in searchNodesInput) (searchNodesOutput, error) {
		page, err := search(ctx, in.Query, in.Limit, in.Offset)
		if err != nil {
			return searchNodesOutput{}, err
		}
		fit := fitting{size: replySize, query: in.Query}.page(page)
		return searchNodesOutput{
			Entities: fit.entities, Relations: fit.relations, RelationsOmitted: fit.relationsOmitted,
			Total: page.Total, NextOffset: nextOffset(page, in.Offset, len(fit.entities)), Incomplete: page.Incomplete,
		}, nil
	})
}
