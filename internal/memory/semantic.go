package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"mcp-memory/internal/passage"
	"mcp-memory/internal/rank"
	"mcp-memory/internal/words"
)

// expansion is how many candidates each branch of a search brings for every
// result asked for (the documented EXPANSION_FACTOR).
const expansion = 3

// Question is what a semantic search is asked for.
type Question struct {
	Query string
	Limit int
	// EntityType narrows the search to entities of a type, whatever its case and
	// accents; Since and Until to those that changed last in between, both
	// inclusive. Empty and zero are no bounds.
	EntityType   string
	Since, Until time.Time
}

// Hit is an entity that a semantic search found, with how its score came about.
type Hit struct {
	Entity Entity
	rank.Scored
	Match       string // the observation or relation that matched, cut around the words found
	NearestRank int    // its place among the nearest, from 1; 0 if it is not there
	WordsRank   int    // likewise among those that share words
}

// SemanticResult is the answer to a semantic search. Pending counts the
// entities of which parts have no vector yet: these were found by their words
// only. Incomplete says that others were not looked at, since they are not indexed
// yet.
type SemanticResult struct {
	Hits       []Hit
	Pending    int
	Incomplete bool
}

// SearchSemantic finds the entities nearest in meaning to the query, by any of
// their passages, together with those that share its words; use orders
// near-equals. Without the model it returns an error that wraps ErrNoModel. A
// blank query finds nothing.
func (s *Service) SearchSemantic(ctx context.Context, question Question) (SemanticResult, error) {
	if err := s.embedder.Load(ctx); err != nil {
		return SemanticResult{}, err
	}
	question.Query = bothEnds(question.Query, MaxQueryLength)
	if strings.TrimSpace(question.Query) == "" {
		return SemanticResult{Hits: []Hit{}}, nil
	}
	s.indexer.touch()
	asked := words.Query(question.Query)
	search := semanticSearch{
		Question: question, words: contentWords(asked), store: s.store,
		modelID: s.indexer.modelID(), ranking: s.ranking, entities: &s.entities,
	}
	if !isLookUp(asked) {
		search.ranking.AllWords = 0 // what has the words of a question need not have the answer
	}
	early := search.early(ctx)
	vector, err := s.embedQuery(ctx, question.Query)
	if err != nil {
		return SemanticResult{}, err
	}
	result := SemanticResult{}
	found, err := search.run(ctx, vector, early, true)
	if errors.Is(err, errBehind) {
		var complete bool
		if result.Pending, complete, err = s.catchUp(ctx); err != nil {
			return SemanticResult{}, err
		}
		result.Incomplete = !complete
		search.modelID = s.indexer.modelID()
		found, err = search.run(ctx, vector, search.early(ctx), false)
	}
	if err != nil {
		return SemanticResult{}, err
	}
	recorded := s.usage.recordAside(ctx, idsOf(found))
	defer recorded()
	result.Hits = search.match(found)
	return result, nil
}

// embedQuery computes the vector of a query, or of both its ends where it has more
// tokens than the model takes: that would leave out the end alone.
func (s *Service) embedQuery(ctx context.Context, query string) (QueryVector, error) {
	if len(query) > passage.Budget { // else it has no more tokens
		counts, err := s.embedder.CountTokens(ctx, []string{query})
		if err != nil {
			return QueryVector{}, err
		}
		if counts[0] > passage.Budget {
			query = bothEnds(query, utf8.RuneCountInString(query)*passage.Budget/counts[0])
		}
	}
	vectors, err := s.embedder.Embed(ctx, Query, []string{query})
	if err != nil {
		return QueryVector{}, err
	}
	return queryVector(vectors[0]), nil
}

// catchUp brings the index and the vectors in step, as far as a search may be
// held up for it. It returns how many entities still lack vectors, and whether the
// index is complete.
func (s *Service) catchUp(ctx context.Context) (pending int, complete bool, err error) {
	if complete, err = s.refresh(ctx); err == nil {
		pending, err = s.indexer.settle(ctx)
	}
	return pending, complete, err
}

// refresh brings the index in step with what other programs changed, as far as
// a search may be held up for it. It reports false if something is left.
func (s *Service) refresh(ctx context.Context) (complete bool, err error) {
	complete, err = s.texts.refresh(ctx)
	if err == nil && !complete {
		s.indexer.wakeUp()
	}
	return complete, err
}

// filterOf makes a filter of what the question asks for. It reports false if no
// entity can pass it.
func filterOf(ctx context.Context, r Reader, q Question) (f Filter, possible bool, err error) {
	f = Filter{Since: q.Since, Until: q.Until}
	if strings.TrimSpace(q.EntityType) == "" {
		return f, true, nil
	}
	types, err := r.EntityTypes(ctx)
	if err != nil {
		return f, false, err
	}
	for _, t := range types {
		if sameName(t, q.EntityType) {
			f.Types = append(f.Types, t)
		}
	}
	return f, len(f.Types) > 0, nil
}

// semanticSearch is one search.
type semanticSearch struct {
	Question
	words    []words.Word
	store    Store
	modelID  string
	ranking  rank.Settings
	entities *atomic.Int64 // how many there were in the last search
}

// errBehind says that the index or the vectors are not in step.
var errBehind = errors.New("the index is behind")

// unmatchedHit is a hit whose match is still to be found in a window of it.
type unmatchedHit struct {
	Hit
	window passage.Window
}

// run gathers candidates, ranks them and reads the best. If inStep is asked for,
// it returns errBehind where there is something to catch up with.
func (s semanticSearch) run(
	ctx context.Context, vector QueryVector, sought wordSearch, inStep bool,
) (hits []unmatchedHit, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		// For each statement that can be cancelled, the database's driver starts
		// a goroutine; all of these together take some milliseconds.
		ctx := context.WithoutCancel(ctx)
		if inStep {
			if err := s.checkInStep(ctx, r); err != nil {
				return err
			}
		}
		filter, possible, err := filterOf(ctx, r, s.Question)
		if err != nil || !possible {
			return err
		}
		c, err := s.gather(ctx, r, vector, filter, sought)
		if err != nil {
			return err
		}
		scored, err := s.rank(ctx, r, c)
		if err != nil {
			return err
		}
		hits, err = s.read(ctx, r, c, scored[:min(len(scored), s.Limit)])
		return err
	})
	return hits, err
}

func (s semanticSearch) checkInStep(ctx context.Context, r Reader) error {
	outdated, err := r.Outdated(ctx, 1)
	if err != nil {
		return err
	}
	due, _, err := r.CountPassagesDue(ctx, s.modelID)
	if err == nil && len(outdated)+due > 0 {
		err = errBehind
	}
	return err
}

// rank scores the candidates that there still are by evidence and use, best first.
func (s semanticSearch) rank(ctx context.Context, r UsageReader, c candidates) ([]rank.Scored, error) {
	in := c.input()
	usages, err := r.Usages(ctx, c.ids)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	in.Usage = make(map[int64]rank.Usage, len(usages))
	for _, u := range usages {
		in.Usage[u.EntityID] = rank.Usage{Accesses: u.Accesses, Degree: u.Degree, Hours: hoursSince(u.LastAccess, now)}
	}
	pairs, err := r.CoOccurrences(ctx, c.ids)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		in.Together = append(in.Together, rank.Together{A: p.A, B: p.B, Count: p.Count})
	}
	return slices.DeleteFunc(s.ranking.Rank(in), func(found rank.Scored) bool {
		_, exists := in.Usage[found.ID]
		return !exists
	}), nil
}

// hoursSince returns the age of t, 0 for a time that is unknown or to come.
func hoursSince(t, now time.Time) float64 {
	if t.IsZero() || t.After(now) {
		return 0
	}
	return now.Sub(t).Hours()
}

// read reads the entities of the results, and of each the passage that spoke most
// for it.
func (s semanticSearch) read(ctx context.Context, r Reader, c candidates, scored []rank.Scored) ([]unmatchedHit, error) {
	passages := make([]int64, 0, len(scored))
	for _, found := range scored {
		if id := c.bestPassage(s.ranking, found.ID); id != 0 {
			passages = append(passages, id)
		}
	}
	texts, err := r.PassageTexts(ctx, passages)
	if err != nil {
		return nil, err
	}
	matched := make(map[int64]PassageText, len(texts))
	for _, t := range texts {
		matched[t.Entity.ID] = t
	}
	var unmatched []int64
	for _, found := range scored {
		if _, ok := matched[found.ID]; !ok {
			unmatched = append(unmatched, found.ID)
		}
	}
	others, err := r.Entities(ctx, unmatched)
	if err != nil {
		return nil, err
	}
	for _, e := range others {
		matched[e.ID] = PassageText{Entity: e}
	}
	hits := make([]unmatchedHit, 0, len(scored))
	for _, found := range scored {
		text, ok := matched[found.ID]
		if !ok {
			continue
		}
		hits = append(hits, unmatchedHit{window: text.Window, Hit: Hit{
			Entity: text.Entity, Scored: found,
			NearestRank: c.nearestRank[found.ID], WordsRank: c.wordsRank[found.ID],
		}})
	}
	return hits, nil
}

// match finds in each hit what matched.
func (s semanticSearch) match(unmatched []unmatchedHit) []Hit {
	m := newMatcher(s.words)
	hits := make([]Hit, len(unmatched))
	for i, u := range unmatched {
		hits[i] = u.Hit
		hits[i].Match = m.match(u.Entity, u.window)
	}
	return hits
}

func idsOf(hits []unmatchedHit) []int64 {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.Entity.ID
	}
	return ids
}
