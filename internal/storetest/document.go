package storetest

import (
	"context"
	"math/rand/v2"
	"testing"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

const (
	early = "2024-01-02 03:04:05"
	late  = "2025-01-02 03:04:05"
)

func observed(contents ...string) []document.Observation {
	list := []document.Observation{}
	for _, c := range contents {
		list = append(list, document.Observation{Content: c, CreatedAt: early})
	}
	return list
}

// What is restored is read as it was, also what a store would not take otherwise.
func testRestore(t *testing.T, s memory.Store) {
	entities := []document.Entity{
		{Name: "A", Type: "", CreatedAt: early, UpdatedAt: late, Observations: observed("x", "x", "")},
		{Name: "", Type: "T", CreatedAt: "once", UpdatedAt: early, Access: &document.Access{Count: 7, Last: late}, Observations: observed()},
		{Name: "B", Type: "T", CreatedAt: early, UpdatedAt: early, Access: &document.Access{Count: 0, Last: early}, Observations: observed("y")},
	}
	relations := []document.Relation{
		{From: "B", To: "A", Type: "r", CreatedAt: late},
		{From: "A", To: "A", Type: "", CreatedAt: early},
	}
	var ids []int64
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for _, e := range entities {
			id, err := w.RestoreEntity(ctx, e)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for i, ends := range [][2]int64{{ids[2], ids[0]}, {ids[0], ids[0]}, {ids[2], ids[0]}} {
			r := relations[i%2]
			created, err := w.RestoreRelation(ctx, ends[0], ends[1], r.Type, r.CreatedAt)
			if err != nil {
				return err
			}
			equal(t, "created", created, i < 2)
		}
		for _, p := range []struct {
			a, b, count int64
			last        string
		}{{ids[2], ids[0], 3, early}, {ids[0], ids[2], 2, late}, {ids[1], ids[2], 1, early}} {
			if err := w.RestoreTogether(ctx, p.a, p.b, p.count, p.last); err != nil {
				return err
			}
		}
		return w.Reindex(ctx, ids)
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		got, err := r.WholeEntities(ctx, []int64{ids[2], 404, ids[0], ids[1]})
		if err != nil {
			return err
		}
		equal(t, "WholeEntities", got, []document.Entity{entities[2], entities[0], entities[1]})
		page, err := r.EntityIDsAfter(ctx, ids[0], 1)
		if err != nil {
			return err
		}
		equal(t, "EntityIDsAfter", page, ids[1:2])
		first, last, err := r.WholeRelations(ctx, 0, 1)
		if err != nil {
			return err
		}
		second, last, err := r.WholeRelations(ctx, last, 9)
		if err != nil {
			return err
		}
		equal(t, "WholeRelations", append(first, second...), relations)
		none, end, err := r.WholeRelations(ctx, last, 9)
		equal(t, "WholeRelations beyond the last", none, []document.Relation{})
		equal(t, "last", end, last)
		if err != nil {
			return err
		}
		pairs, err := r.WholeCoOccurrences(ctx, ids)
		equal(t, "WholeCoOccurrences", pairs, []document.CoOccurrence{
			{A: "A", B: "B", Count: 3, Last: late},
			{A: "", B: "B", Count: 1, Last: early},
		})
		return err
	})
}

func testMergeEntity(t *testing.T, s memory.Store) {
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		id, err := w.RestoreEntity(ctx, document.Entity{
			Name: "A", Type: "T", CreatedAt: late, UpdatedAt: early, Access: &document.Access{Count: 5, Last: early}, Observations: observed("x"),
		})
		if err != nil {
			return err
		}
		for _, step := range []struct {
			merged document.Entity
			added  bool
		}{
			{document.Entity{Type: "U", CreatedAt: early, UpdatedAt: late, Access: &document.Access{Count: 4, Last: late}, Observations: observed("x", "y", "y")}, true},
			{document.Entity{Type: "U", CreatedAt: late, UpdatedAt: early, Access: &document.Access{Count: 1, Last: early}, Observations: observed("y")}, false},
			{document.Entity{}, false},
		} {
			added, err := w.MergeEntity(ctx, id, step.merged)
			if err != nil {
				return err
			}
			equal(t, "added", added, step.added)
			got, err := w.WholeEntities(ctx, []int64{id})
			if err != nil {
				return err
			}
			equal(t, "merged", got, []document.Entity{{
				Name: "A", Type: "T", CreatedAt: early, UpdatedAt: late, Access: &document.Access{Count: 5, Last: late}, Observations: observed("x", "y"),
			}})
		}
		return w.Reindex(ctx, []int64{id})
	})
}

// Vectors are read with what they are of, as long as the index is in step, and
// passages without one are known by their texts.
func testWholeVectors(t *testing.T, s memory.Store) {
	a, b := add(t, s, "A", "x"), add(t, s, "B", "y")
	vector := randomDirection(rand.New(rand.NewPCG(1, 2)))
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		due, err := w.PassagesDue(ctx, "m", 0, 10)
		if err != nil {
			return err
		}
		hash := due[0].Window.Hash()
		without, err := w.PassagesWithout(ctx, a)
		if err != nil {
			return err
		}
		equal(t, "PassagesWithout", without, map[string][]int64{hash: {due[0].ID}})
		if err := w.SetPassageVector(ctx, due[0].ID, "m", hash, stored(vector)); err != nil {
			return err
		}
		if err := w.SetVector(ctx, b, "m/text", "h", vector); err != nil {
			return err
		}
		if without, err = w.PassagesWithout(ctx, a); err != nil {
			return err
		}
		equal(t, "PassagesWithout", without, map[string][]int64{})
		checkVectors(ctx, t, w, []int64{a, b}, []string{"A m " + hash}, []string{"B m/text h"})
		// What changes has no vector any more.
		if _, err := w.InsertRelation(ctx, a, b, "r"); err != nil {
			return err
		}
		checkVectors(ctx, t, w, []int64{a, b}, nil, nil)
		return w.Reindex(ctx, []int64{a, b})
	})
}

func checkVectors(ctx context.Context, t *testing.T, r memory.Reader, ids []int64, passages, entities []string) {
	t.Helper()
	for _, kind := range []struct {
		name string
		read func(context.Context, []int64) ([]document.Vector, error)
		want []string
	}{{"PassageVectors", r.PassageVectors, passages}, {"EntityVectors", r.EntityVectors, entities}} {
		vectors, err := kind.read(ctx, ids)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range vectors {
			got = append(got, v.Entity+" "+v.Model+" "+v.TextHash)
			equal(t, kind.name+": size", len(v.Numbers), 4*memory.Dimensions)
		}
		equal(t, kind.name, got, kind.want)
	}
}
