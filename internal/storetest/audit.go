package storetest

import (
	"context"
	"testing"

	"mcp-memory/internal/memory"
)

// testAudits checks that every change of the memory, and nothing else, asks for
// another audit.
func testAudits(t *testing.T, s memory.Store) {
	a, b := add(t, s, "Alfa", "uno"), add(t, s, "Bravo")
	for _, change := range []struct {
		name string
		asks bool
		by   func(context.Context, memory.Writer) error
	}{
		{"nothing", false, func(context.Context, memory.Writer) error { return nil }},
		{"a use", false, func(ctx context.Context, w memory.Writer) error { return w.RecordTogether(ctx, []int64{a, b}) }},
		{"a vector", false, func(ctx context.Context, w memory.Writer) error {
			return w.SetVector(ctx, a, "m", "hash", direction(0))
		}},
		{"an entity", true, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertEntity(ctx, "Charlie", "T")
			return err
		}},
		{"an observation", true, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertObservations(ctx, a, []string{"dos"})
			return err
		}},
		{"one observation less", true, func(ctx context.Context, w memory.Writer) error {
			_, err := w.DeleteObservations(ctx, a, []string{"uno"})
			return err
		}},
		{"a relation", true, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertRelation(ctx, a, b, "r")
			return err
		}},
		{"one entity less", true, func(ctx context.Context, w memory.Writer) error { return w.DeleteEntity(ctx, b) }},
	} {
		if err := s.SetAudited(t.Context()); err != nil {
			t.Fatal(err)
		}
		update(t, s, change.by)
		audited, err := s.Audited(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "audited after "+change.name, audited, !change.asks)
	}
}
