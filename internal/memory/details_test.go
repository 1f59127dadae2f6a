package memory_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

func TestDetails(t *testing.T) {
	b := newBundle(t)
	imported(t, b.Service, undoable)
	before := documentOf(t, b)
	got, err := b.Details(t.Context(), " Faro ")
	if err != nil {
		t.Fatal(err)
	}
	want := memory.Details{
		Entity: document.Entity{
			Name: "Faro", Type: "project", CreatedAt: new("2024-01-04 10:00:00"), UpdatedAt: new("2024-01-05 10:00:00"),
			Access:       &document.Access{Count: 2, Last: new("2024-01-06 10:00:00")},
			Observations: []document.Observation{{Content: "a lighthouse", CreatedAt: new("2024-01-04 10:00:00")}},
		},
		Relations: []document.Relation{
			{From: "Ana", To: "Faro", Type: "leads", CreatedAt: new("2024-01-09 10:00:00")},
			{From: "Lumen", To: "Faro", Type: "pays", CreatedAt: new("2024-01-12 10:00:00")},
		},
		Together: []document.CoOccurrence{
			{A: "Ana", B: "Faro", Count: 7, Last: new("2024-01-13 10:00:00")},
			{A: "Faro", B: "Lumen", Count: 1, Last: new("2024-01-14 10:00:00")},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if after := documentOf(t, b); after != before {
		t.Error("looking counts as use")
	}
	_, err = b.Details(t.Context(), "Nobody")
	if missing, ok := errors.AsType[*memory.NotFoundError](err); !ok || missing.Name != "Nobody" {
		t.Errorf("of an unknown name: %v", err)
	}
}

func TestOutlines(t *testing.T) {
	b := newBundle(t)
	imported(t, b.Service, undoable)
	ana := memory.Node{Name: "Ana", Type: "person", Accesses: 41, Degree: 4}
	faro := memory.Node{Name: "Faro", Type: "project", Accesses: 2, Degree: 2}
	lumen := memory.Node{Name: "Lumen", Type: "company", Degree: 2}
	leads := memory.Relation{From: "Ana", To: "Faro", Type: "leads"}
	employs := memory.Relation{From: "Lumen", To: "Ana", Type: "employs"}
	knows := memory.Relation{From: "Ana", To: "Ana", Type: "knows"}
	pays := memory.Relation{From: "Lumen", To: "Faro", Type: "pays"}
	ctx := t.Context()
	for _, tc := range []struct {
		name string
		read func() (memory.Outline, error)
		want memory.Outline
	}{
		{
			"the first page", func() (memory.Outline, error) { return b.Outline(ctx, 2, 0) },
			memory.Outline{Nodes: []memory.Node{ana, faro}, Relations: []memory.Relation{leads, knows}, Total: 3},
		},
		{
			"the second page", func() (memory.Outline, error) { return b.Outline(ctx, 2, 2) },
			memory.Outline{Nodes: []memory.Node{lumen}, Relations: []memory.Relation{employs, pays}, Total: 3},
		},
		{
			"the most used", func() (memory.Outline, error) { return b.MostUsed(ctx, 2) },
			memory.Outline{Nodes: []memory.Node{ana, faro}, Relations: []memory.Relation{leads, knows}, Total: 3},
		},
		{
			"neighbours", func() (memory.Outline, error) { return b.Neighbourhood(ctx, "Ana", 1, 0, nil) },
			memory.Outline{Nodes: []memory.Node{ana, faro}, Relations: []memory.Relation{leads, knows}, Total: 2},
		},
		{
			"more neighbours", func() (memory.Outline, error) { return b.Neighbourhood(ctx, "Ana", 1, 1, []string{"Faro"}) },
			memory.Outline{Nodes: []memory.Node{ana, lumen}, Relations: []memory.Relation{leads, employs, knows, pays}, Total: 2},
		},
		{
			"beyond the neighbours", func() (memory.Outline, error) { return b.Neighbourhood(ctx, "Ana", 9, 9, nil) },
			memory.Outline{Nodes: []memory.Node{ana}, Relations: []memory.Relation{knows}, Total: 2},
		},
	} {
		got, err := tc.read()
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// Whoever only looks does not change what is found first.
func TestWithoutUse(t *testing.T) {
	b := newBundle(t)
	imported(t, b.Service, undoable)
	before := documentOf(t, b)
	ctx := memory.WithoutUse(t.Context())
	if g, err := b.OpenNodes(ctx, []string{"Ana", "Faro"}); err != nil || len(g.Entities) != 2 {
		t.Fatal(g, err)
	}
	if r, err := b.SearchSemantic(ctx, memory.Question{Query: "lighthouse", Limit: 5}); err != nil || len(r.Hits) == 0 {
		t.Fatal(r, err)
	}
	if diff := cmp.Diff(before, documentOf(t, b)); diff != "" {
		t.Errorf("after reading without use (-want +got):\n%s", diff)
	}
	if _, err := b.OpenNodes(t.Context(), []string{"Ana"}); err != nil {
		t.Fatal(err)
	}
	if documentOf(t, b) == before {
		t.Error("a common read does not count as use")
	}
}
