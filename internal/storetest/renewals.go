package storetest

import (
	"context"
	"testing"

	"mcp-memory/internal/memory"
)

// renewals reads all marks.
func renewals(t *testing.T, s memory.Store) (texts, passages, entities []int64) {
	t.Helper()
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		var err error
		if texts, err = r.TextsToRenew(ctx, 1000); err != nil {
			return err
		}
		marked, err := r.PassagesToRenew(ctx, 0, 1000)
		if err != nil {
			return err
		}
		passages = []int64{}
		for _, p := range marked {
			passages = append(passages, p.ID)
		}
		if entities, err = r.EntitiesToRenew(ctx, 0, 1000); err != nil {
			return err
		}
		n, err := r.CountRenewals(ctx)
		equal(t, "CountRenewals", n, memory.Renewals{Texts: len(texts), Passages: len(passages), Entities: len(entities)})
		return err
	})
	return texts, passages, entities
}

func wantRenewals(t *testing.T, s memory.Store, when string, texts, passages, entities []int64) {
	t.Helper()
	gotTexts, gotPassages, gotEntities := renewals(t, s)
	equal(t, when+": texts", gotTexts, texts)
	equal(t, when+": passages", gotPassages, passages)
	equal(t, when+": entities", gotEntities, entities)
}

func testRenewals(t *testing.T, s memory.Store) {
	a, b, c := add(t, s, "A", "one"), add(t, s, "B", "two"), add(t, s, "C", "three")
	p := map[int64]memory.PassageText{}
	for _, id := range []int64{a, b, c} {
		p[id] = passagesOf(t, s, id)[0]
	}
	none := []int64{}
	wantRenewals(t, s, "at first", none, none, none)

	mark := func(ctx context.Context, w memory.Writer) error {
		if err := w.MarkTexts(ctx); err != nil {
			return err
		}
		if err := w.MarkPassages(ctx, "m"); err != nil {
			return err
		}
		return w.MarkEntities(ctx)
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for _, id := range []int64{a, b} {
			if err := embed(ctx, w, "m", p[id], direction(0)); err != nil {
				return err
			}
			if err := w.SetVector(ctx, id, "m/whole", "hash", direction(0)); err != nil {
				return err
			}
		}
		if err := embed(ctx, w, "of another model", p[c], direction(0)); err != nil {
			return err
		}
		return mark(ctx, w)
	})
	wantRenewals(t, s, "marked", []int64{a, b, c}, []int64{p[a].ID, p[b].ID}, []int64{a, b, c})

	view(t, s, func(ctx context.Context, r memory.Reader) error {
		q := memory.QueryVector{Exact: direction(0), Neutral: direction(0)}
		nearest, err := r.NearestPassages(ctx, "m", q, memory.Filter{}, 10)
		equal(t, "marked passages that are found", len(nearest), 2)
		if err != nil {
			return err
		}
		due, _, err := r.CountPassagesDue(ctx, "m")
		equal(t, "passages due", due, 1) // that of another model
		if err != nil {
			return err
		}
		after, err := r.PassagesToRenew(ctx, p[a].ID, 10)
		if err != nil {
			return err
		}
		equal(t, "passages beyond A's", textsOf(after), textsOf([]memory.PassageText{p[b]}))
		ids, err := r.TextsToRenew(ctx, 2)
		if err != nil {
			return err
		}
		equal(t, "two texts", ids, []int64{a, b})
		outdated, err := r.Outdated(ctx, 10)
		equal(t, "outdated", outdated, []int64{})
		return err
	})

	update(t, s, func(ctx context.Context, w memory.Writer) error { // the same vectors count as new ones
		if err := w.RenewTexts(ctx, []int64{a}); err != nil {
			return err
		}
		if err := embed(ctx, w, "m", p[a], direction(0)); err != nil {
			return err
		}
		if err := w.SetVector(ctx, c, "m/whole", "hash", direction(0)); err != nil { // its first
			return err
		}
		return w.SetVector(ctx, a, "m/whole", "hash", direction(0))
	})
	wantRenewals(t, s, "A made anew", []int64{b, c}, []int64{p[b].ID}, []int64{b})

	update(t, s, mark)
	wantRenewals(t, s, "marked again", []int64{a, b, c}, []int64{p[a].ID, p[b].ID}, []int64{a, b, c})

	update(t, s, func(ctx context.Context, w memory.Writer) error { // another text has no vector to make anew
		if _, err := w.InsertObservations(ctx, a, []string{"more"}); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{a})
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error { return w.DeleteEntity(ctx, b) })
	update(t, s, func(ctx context.Context, w memory.Writer) error { // B's text is gone
		return w.RenewTexts(ctx, []int64{a, b, c})
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		n, err := r.CountRenewals(ctx)
		equal(t, "texts and passages left", [2]int{n.Texts, n.Passages}, [2]int{})
		return err
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error { return w.UnmarkVectors(ctx) })
	wantRenewals(t, s, "unmarked", none, none, none)
}

// testRenewTexts writes an index that is found again, and keeps vectors.
func testRenewTexts(t *testing.T, s memory.Store) {
	a := add(t, s, "Faro", "lighthouse", "launches in March")
	p := passagesOf(t, s, a)[0]
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if err := embed(ctx, w, "m", p, direction(0)); err != nil {
			return err
		}
		return w.RenewTexts(ctx, []int64{a, a, 404})
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		ids, total, err := r.Containing(ctx, "lighthouse", 10, 0)
		if err != nil {
			return err
		}
		equal(t, "Containing", ids, []int64{a})
		equal(t, "all of them", total, 1)
		counts, err := r.TermCounts(ctx, []string{"lighthouse"})
		if err != nil {
			return err
		}
		equal(t, "entities of the index of words", counts.Entities, 1)
		due, _, err := r.CountPassagesDue(ctx, "m")
		equal(t, "passages without a vector", due, 0)
		return err
	})
}
