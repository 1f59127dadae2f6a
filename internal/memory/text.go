package memory

import (
	"cmp"
	"context"
	"slices"

	"mcp-memory/internal/rank"
)

// textHit is an entity that shares words with a query. Share is how much of
// the query it covers, by weight of the words, from 0 to about 1.
type textHit struct {
	id    int64
	share float64
}

// matchText finds the entities that share words or fragments with the query,
// best first and ties by id.
func matchText(ctx context.Context, r TextReader, query string, limit int) ([]textHit, error) {
	t := termsOf(query)
	all := float64(len(t.words) + len(t.fragments))
	shares := map[int64]float64{}
	if len(t.words) > 0 {
		if err := addWordShares(ctx, r, t.words, limit, float64(len(t.words))/all, shares); err != nil {
			return nil, err
		}
	}
	if len(t.fragments) > 0 {
		counts, err := r.ContainingAny(ctx, t.fragments, limit)
		if err != nil {
			return nil, err
		}
		for _, c := range counts {
			shares[c.EntityID] += float64(c.Count) / all
		}
	}
	hits := make([]textHit, 0, len(shares))
	for id, share := range shares {
		hits = append(hits, textHit{id, share})
	}
	slices.SortFunc(hits, func(a, b textHit) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.id, b.id))
	})
	return hits[:min(len(hits), limit)], nil
}

// addWordShares adds to shares what entities cover of the words, times weight.
func addWordShares(ctx context.Context, r TextReader, words []string, limit int, weight float64, shares map[int64]float64) error {
	matches, err := r.MatchAny(ctx, words, limit)
	if err != nil || len(matches) == 0 {
		return err
	}
	counts, err := r.TermCounts(ctx, words)
	if err != nil {
		return err
	}
	holding := make([]int, len(words))
	for i, word := range words {
		holding[i] = counts.Holding[word]
	}
	mass := rank.IDFMass(counts.Documents, holding)
	for _, m := range matches {
		shares[m.EntityID] += weight * rank.TextShare(m.BM25, mass)
	}
	return nil
}
