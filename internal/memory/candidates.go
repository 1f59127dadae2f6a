package memory

import (
	"context"
	"slices"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/rank"
)

// candidates are the entities that a search considers.
type candidates struct {
	near     []PassageNeighbour           // the nearest passage of each of the nearest entities
	measured []PassageNeighbour           // that of other candidates
	nearest  map[int64][]PassageNeighbour // of an entity, all passages known to be near
	worded
	ids []int64 // all candidates, each once

	nearestRank, wordsRank map[int64]int // places in near and found, from 1
}

// gather collects the candidates of all branches.
func (s semanticSearch) gather(ctx context.Context, r Reader, vector QueryVector, f Filter, sought wordSearch) (c candidates, err error) {
	if sought == nil {
		sought = s.beside(ctx, f)
	}
	if c.near, c.nearest, err = s.nearestEntities(ctx, r, vector, f, s.depth()); err != nil {
		return c, err
	}
	if c.worded, err = sought(ctx, r, f); err != nil {
		return c, err
	}
	if c.entities > 0 {
		s.entities.Store(int64(c.entities))
	}
	c.list()
	c.measured, err = r.NearestOf(ctx, s.modelID, vector, c.notNear())
	for _, m := range c.measured {
		c.nearest[m.EntityID] = append(c.nearest[m.EntityID], m)
	}
	return c, err
}

// depth is how many candidates each branch brings.
func (s semanticSearch) depth() int { return expansion * s.Limit }

// nearestEntities finds the entities of the n nearest passages, and of more if
// these belong to fewer entities than results are asked for; and all passages of
// them that it has seen.
func (s semanticSearch) nearestEntities(
	ctx context.Context, r PassageReader, vector QueryVector, f Filter, n int,
) ([]PassageNeighbour, map[int64][]PassageNeighbour, error) {
	for k := n; ; k *= 4 {
		passages, err := r.NearestPassages(ctx, s.modelID, vector, f, k)
		if err != nil {
			return nil, nil, err
		}
		seen := map[int64][]PassageNeighbour{}
		var first []PassageNeighbour
		for _, p := range passages { // nearest first
			if seen[p.EntityID] == nil {
				first = append(first, p)
			}
			seen[p.EntityID] = append(seen[p.EntityID], p)
		}
		if len(first) >= s.Limit || len(passages) < k {
			return first[:min(n, len(first))], seen, nil
		}
	}
}

// sameName reports whether two names differ at most in case, accents and form.
func sameName(a, b string) bool {
	return fold.Text(CanonicalName(a)) == fold.Text(CanonicalName(b))
}

// passes reports whether a filter lets an entity through.
func (f Filter) passes(e Entity) bool {
	return (f.Types == nil || slices.Contains(f.Types, e.Type)) &&
		(f.Since.IsZero() || !e.UpdatedAt.Before(f.Since)) &&
		(f.Until.IsZero() || !e.UpdatedAt.After(f.Until))
}

// list lists all candidates and notes their places.
func (c *candidates) list() {
	c.nearestRank, c.wordsRank = map[int64]int{}, map[int64]int{}
	seen := map[int64]bool{}
	note := func(id int64) {
		if !seen[id] {
			seen[id] = true
			c.ids = append(c.ids, id)
		}
	}
	for i, n := range c.near {
		c.nearestRank[n.EntityID] = i + 1
		note(n.EntityID)
	}
	for i, hit := range c.found {
		c.wordsRank[hit.id] = i + 1
		note(hit.id)
	}
	for _, id := range c.exact {
		note(id)
	}
}

// notNear lists the candidates that are not among the nearest.
func (c *candidates) notNear() []int64 {
	var ids []int64
	for _, id := range c.ids {
		if c.nearestRank[id] == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// input is what the ranking needs to know of the candidates.
func (c *candidates) input() rank.Input {
	in := rank.Input{Exact: c.exact}
	for _, n := range c.near {
		in.Near = append(in.Near, rank.Near{ID: n.EntityID, Distance: n.Distance, Likeness: n.Likeness})
	}
	for _, n := range c.measured {
		in.Measured = append(in.Measured, rank.Near{ID: n.EntityID, Distance: n.Distance, Likeness: n.Likeness})
	}
	for _, hit := range c.found {
		in.Text = append(in.Text, rank.Text{ID: hit.id, Entity: hit.share, Passage: hit.passageShare})
	}
	for _, id := range c.ids {
		if hit, ok := c.texts[id]; ok && c.wordsRank[id] == 0 {
			in.Worded = append(in.Worded, rank.Text{ID: id, Entity: hit.share, Passage: hit.passageShare})
		}
	}
	return in
}

// bestPassage is the passage of an entity that speaks most for it, 0 if none is
// known.
func (c *candidates) bestPassage(s rank.Settings, entityID int64) int64 {
	hit := c.texts[entityID]
	best, most := hit.passage, s.Words(0, hit.passageShare)
	for i, n := range c.nearest[entityID] {
		evidence := s.Meaning(&n.Likeness)
		if n.PassageID == hit.passage {
			evidence += s.Words(0, hit.passageShare)
		}
		if evidence > most || i == 0 && hit.passage == 0 {
			best, most = n.PassageID, evidence
		}
	}
	return best
}
