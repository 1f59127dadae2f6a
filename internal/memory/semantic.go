package memory

import (
	"context"
	"strings"
	"time"

	"mcp-memory/internal/rank"
)

// expansion is how many candidates each branch of a search brings for every
// result asked for (the documented EXPANSION_FACTOR).
const expansion = 3

// Hit is an entity that a semantic search found, with how its score came about.
type Hit struct {
	Entity         Entity
	LimbicScore    float64
	Importance     float64
	TemporalFactor float64
	CoocBoost      float64
	Distance       *float64 // cosine distance; nil when only the text index found it
	RRFScore       *float64 // nil when the text index found nothing at all
	Weak           bool     // it may well have nothing to do with the query
}

// SemanticResult is the answer to a semantic search. Pending counts the
// entities that have no vector for their present text yet: they were found by
// their words only.
type SemanticResult struct {
	Hits    []Hit
	Pending int
}

// SearchSemantic finds the entities nearest in meaning to the query, fused with
// those that share its words and re-ranked by use. Without the model it
// returns an error that wraps ErrNoModel. A blank query finds nothing.
func (s *Service) SearchSemantic(ctx context.Context, query string, limit int) (SemanticResult, error) {
	if err := s.embedder.Load(ctx); err != nil {
		return SemanticResult{}, err
	}
	query = cut(query, MaxQueryLength)
	if strings.TrimSpace(query) == "" {
		return SemanticResult{Hits: []Hit{}}, nil
	}
	if err := s.texts.refresh(ctx); err != nil {
		return SemanticResult{}, err
	}
	pending, err := s.indexer.settle(ctx)
	if err != nil {
		return SemanticResult{}, err
	}
	vectors, err := s.embedder.Embed(ctx, Query, []string{query})
	if err != nil {
		return SemanticResult{}, err
	}
	var (
		hits []Hit
		ids  []int64
	)
	err = s.store.View(ctx, func(r Reader) error {
		c, err := gather(ctx, r, s.indexer.modelID(), query, vectors[0], expansion*limit)
		if err != nil {
			return err
		}
		scored, err := c.rank(ctx, r)
		if err != nil {
			return err
		}
		scored = scored[:min(len(scored), limit)]
		ids = idsOf(scored)
		entities, err := r.Entities(ctx, ids)
		if err != nil {
			return err
		}
		hits = hitsOf(scored, entities)
		return nil
	})
	if err != nil {
		return SemanticResult{}, err
	}
	s.usage.record(ctx, ids)
	return SemanticResult{Hits: hits, Pending: pending}, nil
}

// candidates are the entities that a search considers.
type candidates struct {
	near     []Neighbour
	texts    []textHit
	measured []Neighbour    // of texts, those beyond near
	exact    map[int64]bool // entities whose name is the query
}

// gather collects the candidates of both branches, n at most of each.
func gather(ctx context.Context, r Reader, modelID, query string, vector []float32, n int) (candidates, error) {
	var c candidates
	var err error
	if c.near, err = r.Nearest(ctx, modelID, vector, n); err != nil {
		return c, err
	}
	if c.texts, err = matchText(ctx, r, query, n); err != nil {
		return c, err
	}
	if c.measured, err = r.Distances(ctx, modelID, vector, c.foundByTextOnly()); err != nil {
		return c, err
	}
	c.exact, err = named(ctx, r, query, c.texts)
	return c, err
}

// foundByTextOnly lists the text hits that are not among the nearest.
func (c candidates) foundByTextOnly() []int64 {
	near := make(map[int64]bool, len(c.near))
	for _, n := range c.near {
		near[n.EntityID] = true
	}
	var ids []int64
	for _, t := range c.texts {
		if !near[t.id] {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// maxNamesCompared bounds the text hits whose names are compared with a query.
const maxNamesCompared = 20

// named finds the entities whose name is the query: to the letter, or but for
// case and accents among the best text hits, where such a name must be.
func named(ctx context.Context, r Reader, query string, texts []textHit) (map[int64]bool, error) {
	exact := map[int64]bool{}
	known, err := resolve(ctx, r, []string{query})
	if err != nil {
		return nil, err
	}
	if id, ok := known.id(query); ok {
		exact[id] = true
		return exact, nil
	}
	ids := make([]int64, 0, maxNamesCompared)
	for _, hit := range texts[:min(len(texts), maxNamesCompared)] {
		ids = append(ids, hit.id)
	}
	entities, err := r.Entities(ctx, ids)
	if err != nil {
		return nil, err
	}
	folded := Fold(CanonicalName(query))
	for _, e := range entities {
		if Fold(CanonicalName(e.Name)) == folded {
			exact[e.ID] = true
		}
	}
	return exact, nil
}

// rank scores the candidates by relevance and use, best first.
func (c candidates) rank(ctx context.Context, r UsageReader) ([]rank.Scored, error) {
	in := rank.Input{Calibration: rank.E5Small, Usage: map[int64]rank.Usage{}}
	var ids []int64
	seen := map[int64]bool{}
	note := func(id int64) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, n := range c.near {
		in.Near = append(in.Near, rank.Near{ID: n.EntityID, Distance: n.Distance})
		note(n.EntityID)
	}
	for _, n := range c.measured {
		in.Measured = append(in.Measured, rank.Near{ID: n.EntityID, Distance: n.Distance})
	}
	for _, t := range c.texts {
		in.Text = append(in.Text, rank.Text{ID: t.id, Share: t.share})
		note(t.id)
	}
	for id := range c.exact {
		in.Exact = append(in.Exact, id)
		note(id)
	}
	usages, err := r.Usages(ctx, ids)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, u := range usages {
		in.Usage[u.EntityID] = rank.Usage{Accesses: u.Accesses, Degree: u.Degree, Hours: hoursSince(u.LastAccess, now)}
	}
	pairs, err := r.CoOccurrences(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		in.Together = append(in.Together, rank.Together{A: p.A, B: p.B, Count: p.Count})
	}
	return rank.Rank(in), nil
}

// hoursSince returns the age of t, 0 for a time that is unknown or to come.
func hoursSince(t, now time.Time) float64 {
	if t.IsZero() || t.After(now) {
		return 0
	}
	return now.Sub(t).Hours()
}

func idsOf(scored []rank.Scored) []int64 {
	ids := make([]int64, len(scored))
	for i, s := range scored {
		ids[i] = s.ID
	}
	return ids
}

// hitsOf joins scores and entities, both in the same order.
func hitsOf(scored []rank.Scored, entities []Entity) []Hit {
	byID := make(map[int64]Entity, len(entities))
	for _, e := range entities {
		byID[e.ID] = e
	}
	hits := make([]Hit, 0, len(scored))
	for _, s := range scored {
		if e, ok := byID[s.ID]; ok {
			hits = append(hits, Hit{
				Entity: e, LimbicScore: s.LimbicScore, Importance: s.Importance,
				TemporalFactor: s.TemporalFactor, CoocBoost: s.CoocBoost,
				Distance: s.Distance, RRFScore: s.RRF,
				// Without a vector nothing is known of its meaning.
				Weak: s.Distance != nil && s.Relevance < rank.WeakRelevance,
			})
		}
	}
	return hits
}
