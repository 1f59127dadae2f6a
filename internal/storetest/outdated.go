package storetest

import (
	"context"
	"testing"

	"mcp-memory/internal/memory"
)

// testOutdated checks which entities and vectors each kind of change outdates.
func testOutdated(t *testing.T, s memory.Store) {
	a, b, c := add(t, s, "Alfa", "uno"), add(t, s, "Bravo"), add(t, s, "Charlie")
	for _, change := range []struct {
		name              string
		outdated, vectors []int64
		by                func(context.Context, memory.Writer) error
	}{
		{"nothing", []int64{}, []int64{}, func(context.Context, memory.Writer) error { return nil }},
		{"a use", []int64{}, []int64{}, func(ctx context.Context, w memory.Writer) error {
			return w.RecordTogether(ctx, []int64{a, b})
		}},
		{"the same type", []int64{}, []int64{}, func(ctx context.Context, w memory.Writer) error {
			changed, err := w.SetEntityType(ctx, a, "Note")
			equal(t, "changed by the same type", changed, false)
			return err
		}},
		{"a relation", []int64{a, b}, []int64{a, b}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertRelation(ctx, a, b, "r")
			return err
		}},
		{"the same relation", []int64{}, []int64{}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertRelation(ctx, a, b, "r")
			return err
		}},
		{"another type", []int64{a}, []int64{a, b}, func(ctx context.Context, w memory.Writer) error {
			changed, err := w.SetEntityType(ctx, a, "Other")
			equal(t, "changed by another type", changed, true)
			return err
		}},
		{"an observation", []int64{c}, []int64{c}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertObservations(ctx, c, []string{"dos"})
			return err
		}},
		{"one observation less", []int64{a}, []int64{a}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.DeleteObservations(ctx, a, []string{"uno"})
			return err
		}},
		{"one relation less", []int64{a, b}, []int64{a, b}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.DeleteRelation(ctx, a, b, "r")
			return err
		}},
		{"a loop", []int64{c}, []int64{c}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertRelation(ctx, c, c, "r")
			return err
		}},
		{"a last relation", []int64{a, b}, []int64{a, b}, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertRelation(ctx, b, a, "r")
			return err
		}},
		{"one entity less", []int64{a}, []int64{a}, func(ctx context.Context, w memory.Writer) error { return w.DeleteEntity(ctx, b) }},
	} {
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			for _, id := range []int64{a, b, c} {
				if err := w.SetVector(ctx, id, "m", "hash", direction(float64(id))); err != nil {
					return err
				}
			}
			return change.by(ctx, w)
		})
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			outdated, err := r.Outdated(ctx, 10)
			if err != nil {
				return err
			}
			equal(t, "outdated by "+change.name, outdated, change.outdated)
			vectors, err := r.OutOfDate(ctx, "m", 0, 10)
			equal(t, "vectors outdated by "+change.name, vectors, change.vectors)
			return err
		})
		update(t, s, func(ctx context.Context, w memory.Writer) error { return w.Reindex(ctx, change.outdated) })
	}
}
