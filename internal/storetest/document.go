package storetest

import (
	"context"
	"math/rand/v2"
	"testing"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

var (
	early = new("2024-01-02 03:04:05")
	late  = new("2025-01-02 03:04:05")
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
		{Name: "", Type: "T", CreatedAt: new("once"), UpdatedAt: new(""), Access: &document.Access{Count: 7, Last: late}, Observations: observed()},
		{Name: "B", Type: "T", CreatedAt: early, UpdatedAt: early, Access: &document.Access{Count: 0, Last: early}, Observations: observed("y")},
	}
	relations := []document.Relation{
		{From: "B", To: "A", Type: "r", CreatedAt: late},
		{From: "A", To: "A", Type: "", CreatedAt: new("")},
	}
	var ids []int64
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		var err error
		if ids, err = w.RestoreEntities(ctx, entities); err != nil {
			return err
		}
		created, err := w.RestoreRelations(ctx, []memory.RestoredEdge{
			{FromID: ids[2], ToID: ids[0], Type: "r", CreatedAt: late},
			{FromID: ids[0], ToID: ids[0], CreatedAt: new("")},
			{FromID: ids[2], ToID: ids[0], Type: "r", CreatedAt: early},
		})
		if err != nil {
			return err
		}
		equal(t, "created", created, [][2]int64{{ids[2], ids[0]}, {ids[0], ids[0]}})
		err = w.RestoreTogether(ctx, []memory.RestoredPair{
			{A: ids[2], B: ids[0], Count: 3, Last: early},
			{A: ids[0], B: ids[2], Count: 2, Last: late},
			{A: ids[1], B: ids[2], Count: 1, Last: new("")},
		})
		if err != nil {
			return err
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
			{A: "", B: "B", Count: 1, Last: new("")},
		})
		return err
	})
}

func testMergeEntity(t *testing.T, s memory.Store) {
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		ids, err := w.RestoreEntities(ctx, []document.Entity{{
			Name: "A", Type: "T", CreatedAt: late, UpdatedAt: early, Access: &document.Access{Count: 5, Last: early}, Observations: observed("x"),
		}})
		if err != nil {
			return err
		}
		id := ids[0]
		for _, step := range []struct {
			merged document.Entity
			added  bool
		}{
			{document.Entity{Type: "U", CreatedAt: early, UpdatedAt: late, Access: &document.Access{Count: 4, Last: late}, Observations: observed("x", "y", "y")}, true},
			{document.Entity{Type: "U", CreatedAt: late, UpdatedAt: early, Access: &document.Access{Count: 1, Last: early}, Observations: observed("y")}, false},
			{document.Entity{}, false},
			{document.Entity{CreatedAt: new(""), UpdatedAt: new(""), Access: &document.Access{Last: new("")}}, false},
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
