package web

import (
	"context"
	"net/http"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

// maxNodes bounds the nodes of one answer.
const maxNodes = 1_000

type entityInput struct {
	Name string `json:"name"`
}

type entityOutput struct {
	document.Entity
	Relations []document.Relation `json:"relations"`
	Together  []companion         `json:"together"`
}

// companion is an entity that was used together with another.
type companion struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Last  string `json:"last"`
}

// entity tells all about an entity.
func (a *api) entity(ctx context.Context, in entityInput) (entityOutput, error) {
	d, err := a.service.Details(ctx, in.Name)
	if err != nil {
		return entityOutput{}, err
	}
	out := entityOutput{Entity: d.Entity, Relations: d.Relations, Together: make([]companion, len(d.Together))}
	for i, pair := range d.Together {
		out.Together[i] = companion{Name: pair.A, Count: pair.Count, Last: document.Time(pair.Last)}
		if pair.A == d.Name {
			out.Together[i].Name = pair.B
		}
	}
	return out, nil
}

// graphOutput is a part of the graph.
type graphOutput struct {
	Nodes     []node              `json:"nodes"`
	Relations []document.Relation `json:"relations"`
	Total     int                 `json:"total"` // of what this is a page of
}

type node struct {
	Name       string `json:"name"`
	EntityType string `json:"entityType"`
	Accesses   int    `json:"accesses"`
	Degree     int    `json:"degree"` // number of relations at both ends
}

func graphOf(o memory.Outline, err error) (graphOutput, error) {
	out := graphOutput{Nodes: make([]node, len(o.Nodes)), Relations: make([]document.Relation, len(o.Relations)), Total: o.Total}
	for i, n := range o.Nodes {
		out.Nodes[i] = node{Name: n.Name, EntityType: n.Type, Accesses: n.Accesses, Degree: n.Degree}
	}
	for i, r := range o.Relations {
		out.Relations[i] = document.Relation{From: r.From, To: r.To, Type: r.Type}
	}
	return out, err
}

type pageInput struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

func (p pageInput) check() error {
	if p.Limit < 1 || p.Limit > maxNodes {
		return &requestError{http.StatusBadRequest, "limit: must be 1 to 1000"}
	}
	if p.Offset < 0 || p.Offset > 1_000_000_000 {
		return &requestError{http.StatusBadRequest, "offset: must be 0 to 1000000000"}
	}
	return nil
}

// mostUsed is where to start when nothing is asked for.
func (a *api) mostUsed(ctx context.Context, in pageInput) (graphOutput, error) {
	if err := in.check(); err != nil {
		return graphOutput{}, err
	}
	return graphOf(a.service.MostUsed(ctx, in.Limit))
}

// outline is the whole graph, page by page.
func (a *api) outline(ctx context.Context, in pageInput) (graphOutput, error) {
	if err := in.check(); err != nil {
		return graphOutput{}, err
	}
	return graphOf(a.service.Outline(ctx, in.Limit, in.Offset))
}

type neighboursInput struct {
	pageInput
	Name  string   `json:"name"`
	Shown []string `json:"shown"` // to which relations are wanted, too
}

// neighbours are an entity and a page of those it is related to.
func (a *api) neighbours(ctx context.Context, in neighboursInput) (graphOutput, error) {
	if err := in.check(); err != nil {
		return graphOutput{}, err
	}
	return graphOf(a.service.Neighbourhood(ctx, in.Name, in.Limit, in.Offset, in.Shown))
}
