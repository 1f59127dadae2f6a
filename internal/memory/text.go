package memory

import (
	"cmp"
	"context"
	"slices"

	"mcp-memory/internal/rank"
	"mcp-memory/internal/words"
)

const (
	// textDepth is how many of the best entities, and how many of the best
	// passages, are known by their words: more than are candidates, so that
	// what another ranker found gets its share, too.
	textDepth = 200
	// maxPostings bounds the entities, and the passages, that one search for
	// words scores: words that very many hold say little, and are left out
	// where there are better ones.
	maxPostings = 4_000
)

// textHit is an entity that shares words with a query. Shares are how much of
// the query something covers, by weight of the words, from 0 to 1.
type textHit struct {
	id           int64
	share        float64 // of the whole entity
	passageShare float64 // of its best passage
	passage      int64   // the best one, 0 if none is known
}

// weight is what the words of a hit add to evidence.
func (h textHit) weight(s rank.Settings) float64 { return s.Words(h.share, h.passageShare) }

// textHits maps ids to what is known of their words.
type textHits map[int64]textHit

// contentWords are the words of a query but for function words, which are rare
// only because much of a memory may be in another language.
func contentWords(query []words.Word) []words.Word {
	return slices.DeleteFunc(slices.Clone(query), func(w words.Word) bool { return w.Common })
}

// isLookUp reports whether a query asks for its words rather than about them: it has no
// function words, as questions have.
func isLookUp(query []words.Word) bool {
	return !slices.ContainsFunc(query, func(w words.Word) bool { return w.Common })
}

// matchWords finds what shares words with the query, those that afford chooses, among
// how many entities.
func matchWords(
	ctx context.Context, r TextReader, query []words.Word, f Filter, s rank.Settings, depth int, afford func([]weighed) []WeighedWord,
) (hits textHits, entities int, err error) {
	hits = textHits{}
	counts, err := countTerms(ctx, r, query)
	if err != nil {
		return nil, 0, err
	}
	weighed, mass := weigh(query, counts)
	if len(weighed) == 0 {
		return hits, counts.Entities, nil
	}
	wanted := afford(weighed)
	if len(wanted) == 0 {
		return hits, counts.Entities, nil
	}
	complete := mass-massOf(wanted) < negligible*rank.IDF(counts.Entities, 1)
	whole, err := r.MatchAny(ctx, Entities, wanted, f, depth)
	if err != nil {
		return nil, 0, err
	}
	for _, m := range whole {
		hits[m.EntityID] = textHit{id: m.EntityID, share: rank.TextShare(m.BM25, mass)}
	}
	passages, err := r.MatchAny(ctx, Passages, wanted, f, depth)
	if err != nil {
		return nil, 0, err
	}
	for _, m := range passages { // the best first
		hit := hits[m.EntityID]
		if hit.passage == 0 {
			hit.id, hit.passage, hit.passageShare = m.EntityID, m.PassageID, rank.TextShare(m.BM25, mass)
			if m.All && complete {
				hit.passageShare = s.Whole(hit.passageShare)
			}
			hits[m.EntityID] = hit
		}
	}
	return hits, counts.Entities, nil
}

// best lists hits by what their shares add to relevance, best first and ties by id.
func (h textHits) best(s rank.Settings, limit int) []textHit {
	type weighedHit struct {
		textHit
		weight float64
	}
	list := make([]weighedHit, 0, len(h))
	for _, hit := range h {
		list = append(list, weighedHit{hit, hit.weight(s)})
	}
	slices.SortFunc(list, func(a, b weighedHit) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
	})
	hits := make([]textHit, min(len(list), limit))
	for i := range hits {
		hits[i] = list[i].textHit
	}
	return hits
}

// weighed is a word of a query with the number of entities that hold it.
type weighed struct {
	WeighedWord
	holding int
}

// countTerms counts who holds the words of a query.
func countTerms(ctx context.Context, r TextReader, query []words.Word) (TermCounts, error) {
	var terms []string
	for _, w := range query {
		terms = append(terms, w.Variants...)
	}
	if len(terms) == 0 {
		return TermCounts{}, nil
	}
	return r.TermCounts(ctx, terms)
}

// isCommonplace reports whether so many entities hold it that it tells nothing apart.
func (w weighed) isCommonplace() bool { return w.holding >= commonplace && w.IDF < leastIDF }

// leastIDF is more than the weight of a word that half of all entities hold.
const leastIDF = 1e-3

// weigh weighs the words that there are, and sums up the weights of all. Those
// that nothing holds weigh most: who asks for them does not find all that was
// asked for. Passages are weighed by the same weights: to count in how many of
// them a common word is takes longer than the rest of a search.
func weigh(query []words.Word, counts TermCounts) (list []weighed, mass float64) {
	for _, w := range query {
		var found weighed
		for _, v := range w.Variants {
			if n := counts.Holding[v]; n > 0 {
				found.Terms = append(found.Terms, v)
				found.holding += n
			}
		}
		found.holding = min(found.holding, counts.Entities)
		found.IDF = rank.IDF(counts.Entities, found.holding)
		mass += found.IDF
		if found.holding > 0 {
			list = append(list, found)
		}
	}
	return list, mass
}

const (
	// negligible is the part of the rarest word's weight below which a word, that
	// is in a great part of all entities, is looked for only as far as
	// cheapPostings allows.
	negligible    = 0.12
	cheapPostings = 2_000
	// commonplace is how many entities, at least half of all, hold a word that is not
	// looked for: it tells nothing apart, and takes longest.
	commonplace = 200
	// bearable bounds the entities that hold the only word to look for: to score
	// them and their passages takes as long as to search 250,000 vectors.
	bearable = 10_000
)

// massOf sums up the weights of words.
func massOf(list []WeighedWord) (mass float64) {
	for _, w := range list {
		mass += w.IDF
	}
	return mass
}

// affordable returns the words to search for: the rarest, as far as maxPostings allows,
// and one at least, unless all are so common that they say nothing.
func affordable(list []weighed) []WeighedWord {
	return rarest(list, func(w, first weighed, i int) int {
		switch {
		case w.isCommonplace():
			return 0
		case i == 0:
			return bearable
		case w.IDF < negligible*first.IDF:
			return cheapPostings
		}
		return maxPostings
	})
}

// evenCommon returns the words to search for where nothing but common ones is asked
// for, and nothing else finds what is meant.
func evenCommon(list []weighed) []WeighedWord {
	return rarest(list, func(weighed, weighed, int) int { return bearable })
}

// rarest returns words, the rarest first, until those that hold them are more than most
// says for one: w, which is number i from 0, after the first.
func rarest(list []weighed, most func(w, first weighed, i int) int) (chosen []WeighedWord) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b weighed) int { return cmp.Compare(a.holding, b.holding) })
	postings := 0
	for i, w := range list {
		if postings += w.holding; postings > most(w, list[0], i) {
			break
		}
		chosen = append(chosen, w.WeighedWord)
	}
	return chosen
}
