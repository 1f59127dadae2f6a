package storetest

import (
	"context"
	"testing"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

// Rows come back under their ids, and what is there already stays.
func testRows(t *testing.T, s memory.Store) {
	entity := document.Entity{Name: "A", Type: "T", CreatedAt: early, UpdatedAt: late, Access: &document.Access{Count: 7, Last: late}}
	var (
		a, b         int64
		observations []memory.ObservationRow
		relations    []memory.RelationRow
		together     []memory.TogetherRow
	)
	update(t, s, func(ctx context.Context, w memory.Writer) (err error) {
		whole := entity
		whole.Observations = observed("x", "x", "y")
		ids, err := w.RestoreEntities(ctx, []document.Entity{whole, {Name: "B"}})
		if err != nil {
			return err
		}
		a, b = ids[0], ids[1]
		var edges []memory.RestoredEdge
		for _, ends := range [][2]int64{{a, b}, {b, a}, {a, a}} {
			edges = append(edges, memory.RestoredEdge{FromID: ends[0], ToID: ends[1], Type: "r", CreatedAt: early})
		}
		if _, err := w.RestoreRelations(ctx, edges); err != nil {
			return err
		}
		if err := w.RestoreTogether(ctx, []memory.RestoredPair{{A: b, B: a, Count: 3, Last: late}}); err != nil {
			return err
		}
		if observations, err = w.ObservationRows(ctx, a); err != nil {
			return err
		}
		if relations, err = w.RelationRows(ctx, a); err != nil {
			return err
		}
		if together, err = w.TogetherRows(ctx, b); err != nil {
			return err
		}
		used, err := w.MostUsed(ctx, 1)
		equal(t, "MostUsed", used, []int64{a})
		return err
	})
	equal(t, "co-occurrences", together, []memory.TogetherRow{
		{AID: a, BID: b, CoOccurrence: document.CoOccurrence{A: "A", B: "B", Count: 3, Last: late}},
	})
	equal(t, "the first relation", relations[0], memory.RelationRow{
		ID: relations[0].ID, FromID: a, ToID: b, Relation: document.Relation{From: "A", To: "B", Type: "r", CreatedAt: early},
	})
	equal(t, "numbers of rows", []int{len(observations), len(relations)}, []int{3, 3})

	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if err := w.DeleteEntity(ctx, a); err != nil {
			return err
		}
		gone, err := w.RelationRows(ctx, b)
		if err != nil {
			return err
		}
		equal(t, "relations of what is left", gone, []memory.RelationRow{})
		return w.PutEntity(ctx, a, entity)
	})
	for _, want := range []bool{true, false} { // the second time, all is there
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			added, err := w.PutObservations(ctx, a, observations)
			if err != nil {
				return err
			}
			equal(t, "PutObservations", added, want)
			for _, row := range relations {
				created, err := w.PutRelation(ctx, row)
				if err != nil {
					return err
				}
				equal(t, "PutRelation", created, want)
			}
			if err := w.SetUpdated(ctx, a, document.Time(early)); err != nil {
				return err
			}
			return w.Reindex(ctx, []int64{a, b})
		})
	}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		whole, err := r.WholeEntities(ctx, []int64{a})
		if err != nil {
			return err
		}
		want := entity
		want.UpdatedAt, want.Observations = early, observed("x", "x", "y")
		equal(t, "the entity", whole, []document.Entity{want})
		again, err := r.ObservationRows(ctx, a)
		if err != nil {
			return err
		}
		equal(t, "ObservationRows", again, observations)
		edges, err := r.RelationRows(ctx, a)
		equal(t, "RelationRows", edges, relations)
		return err
	})
}
