package storetest

import (
	"context"
	"fmt"
	"math"
	"testing"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
)

func testRecent(t *testing.T, s memory.Store) {
	a, b, c := add(t, s, "A", "x"), add(t, s, "B"), add(t, s, "C")
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		for _, limit := range []int{0, 1, 2, 3, 4} {
			ids, err := r.RecentEntities(ctx, limit)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("RecentEntities(%d)", limit), len(ids), min(limit, 3))
		}
		for _, tc := range []struct {
			before int64
			limit  int
			want   []int64
		}{
			{math.MaxInt64, 2, []int64{c, b}}, {b, 5, []int64{a}}, {a, 5, []int64{}}, {c, 0, []int64{}}, {math.MinInt64, 1, []int64{}},
		} {
			ids, err := r.EntityIDsBefore(ctx, tc.before, tc.limit)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("EntityIDsBefore(%d, %d)", tc.before, tc.limit), ids, tc.want)
		}
		return nil
	})
	// What was used, or got an observation, long after others were made is among the few
	// recent ones.
	for i := range 30 {
		add(t, s, fmt.Sprintf("filler %d", i))
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if err := w.RecordAccess(ctx, []int64{b}); err != nil {
			return err
		}
		if _, err := w.InsertObservations(ctx, a, []string{"new"}); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{a})
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		ids, err := r.RecentEntities(ctx, 35)
		seen := map[int64]bool{}
		for _, id := range ids {
			seen[id] = true
		}
		if len(ids) != 33 || len(seen) != 33 {
			t.Errorf("RecentEntities(35) has %d, %d of them distinct, of 33", len(ids), len(seen))
		}
		return err
	})
}

func testWithName(t *testing.T, s memory.Store) {
	cafe := add(t, s, "Caf\u00e9 Central", "plain talk")
	plain := add(t, s, "Plain", "caf\u00e9")
	explain := add(t, s, "Explain 100%_", "x")
	tokyo := add(t, s, "\u6771\u4eac\u30bf\u30ef\u30fc")
	for _, tc := range []struct {
		query string
		limit int
		want  []int64
		total int
	}{
		{"cafe", 10, []int64{cafe}, 1},
		{"PLAIN", 10, []int64{plain, explain}, 2},
		{"plain", 1, []int64{plain}, 2},
		{"plain", 0, []int64{}, 2},
		{"\u4eac", 10, []int64{tokyo}, 1},
		{"%_", 10, []int64{explain}, 1},
		{"note", 10, []int64{}, 0}, // their type
		{"plain talk", 10, []int64{}, 0},
		{"n\x1fn", 10, []int64{}, 0}, // name and type
		{"", 10, []int64{cafe, explain, plain, tokyo}, 4},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			ids, total, err := r.WithName(ctx, fold.Text(tc.query), tc.limit)
			what := fmt.Sprintf("WithName(%q, %d)", tc.query, tc.limit)
			equal(t, what, ids, tc.want)
			equal(t, what+" total", total, tc.total)
			return err
		})
	}
}

// testStates makes changes of all kinds, each of which must show.
func testStates(t *testing.T, s memory.Store) {
	a, b := add(t, s, "A", "x"), add(t, s, "B")
	state, commits := "", int64(0)
	for _, change := range []struct {
		what string
		do   func(ctx context.Context, w memory.Writer) error
	}{
		{"nothing", nil},
		{"a new entity", func(ctx context.Context, w memory.Writer) error {
			_, err := addTo(ctx, w, "C")
			return err
		}},
		{"a type", func(ctx context.Context, w memory.Writer) error {
			_, err := w.SetEntityType(ctx, a, "other")
			return err
		}},
		{"another type", func(ctx context.Context, w memory.Writer) error {
			_, err := w.SetEntityType(ctx, a, "third")
			return err
		}},
		{"an observation", func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertObservations(ctx, a, []string{"y"})
			return err
		}},
		{"an observation less", func(ctx context.Context, w memory.Writer) error {
			_, err := w.DeleteObservations(ctx, a, []string{"x"})
			return err
		}},
		{"a relation", func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertRelation(ctx, a, b, "knows")
			return err
		}},
		{"another relation instead", func(ctx context.Context, w memory.Writer) error {
			if _, err := w.DeleteRelation(ctx, a, b, "knows"); err != nil {
				return err
			}
			_, err := w.InsertRelation(ctx, b, a, "knows")
			return err
		}},
		{"an entity less", func(ctx context.Context, w memory.Writer) error { return w.DeleteEntity(ctx, b) }},
	} {
		if change.do != nil {
			update(t, s, func(ctx context.Context, w memory.Writer) error {
				if err := change.do(ctx, w); err != nil {
					return err
				}
				return w.Reindex(ctx, []int64{a, b})
			})
		}
		var now string
		view(t, s, func(ctx context.Context, r memory.Reader) (err error) {
			now, err = r.GraphState(ctx)
			return err
		})
		number, err := s.Commits(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.Commits(t.Context()); err != nil || again != number {
			t.Errorf("Commits is %d, and then %d without a commit: %v", number, again, err)
		}
		if now == state || change.do != nil && number == commits {
			t.Errorf("%s: the state is %q after %q, commits are %d after %d", change.what, now, state, number, commits)
		}
		state, commits = now, number
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error { return w.RecordAccess(ctx, []int64{a}) })
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		now, err := r.GraphState(ctx)
		equal(t, "the state after use", now, state)
		return err
	})
}
