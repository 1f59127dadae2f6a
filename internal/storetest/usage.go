package storetest

import (
	"context"
	"testing"
	"time"

	"mcp-memory/internal/memory"
)

func testUsage(t *testing.T, s memory.Store) {
	before := time.Now().UTC().Truncate(time.Second)
	a, b, c := add(t, s, "A"), add(t, s, "B"), add(t, s, "C")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for _, end := range [][2]int64{{a, b}, {b, c}, {c, c}} {
			if _, err := w.InsertRelation(ctx, end[0], end[1], "r"); err != nil {
				return err
			}
		}
		for range 2 { // the second changes nothing
			if err := w.EnsureUsage(ctx, a); err != nil {
				return err
			}
		}
		if err := w.RecordAccess(ctx, []int64{a, b, 404}); err != nil {
			return err
		}
		return w.RecordAccess(ctx, []int64{a})
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		usages, err := r.Usages(ctx, []int64{c, a, 404, b})
		for i, u := range usages {
			if u.LastAccess.Before(before) || u.LastAccess.After(time.Now()) {
				t.Errorf("last access %v of %d is not now", u.LastAccess, u.EntityID)
			}
			usages[i].LastAccess = time.Time{}
		}
		equal(t, "Usages", usages, []memory.Usage{
			{EntityID: c, Accesses: 0, Degree: 3},
			{EntityID: a, Accesses: 3, Degree: 1},
			{EntityID: b, Accesses: 1, Degree: 2},
		})
		return err
	})
}

func testTogether(t *testing.T, s memory.Store) {
	a, b, c := add(t, s, "A"), add(t, s, "B"), add(t, s, "C")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for _, ids := range [][]int64{{c, a, c}, {a, b, c, 404}, {b}, {b, b}, {}} {
			if err := w.RecordTogether(ctx, ids); err != nil {
				return err
			}
		}
		return nil
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		pairs, err := r.CoOccurrences(ctx, []int64{c, b, a})
		if err != nil {
			return err
		}
		equal(t, "all pairs", pairs, []memory.CoOccurrence{{A: a, B: b, Count: 1}, {A: a, B: c, Count: 2}, {A: b, B: c, Count: 1}})
		pairs, err = r.CoOccurrences(ctx, []int64{a, c})
		equal(t, "pairs within two", pairs, []memory.CoOccurrence{{A: a, B: c, Count: 2}})
		return err
	})
}
