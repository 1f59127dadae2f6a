package memory

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

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
// only.
type SemanticResult struct {
	Hits    []Hit
	Pending int
}

// SearchSemantic finds the entities nearest in meaning to the query, by any of
// their passages, together with those that share its words; use orders
// near-equals. Without the model it returns an error that wraps ErrNoModel. A
// blank query finds nothing.
func (s *Service) SearchSemantic(ctx context.Context, question Question) (SemanticResult, error) {
	if err := s.embedder.Load(ctx); err != nil {
		return SemanticResult{}, err
	}
	query := cut(question.Query, MaxQueryLength)
	if strings.TrimSpace(query) == "" {
		return SemanticResult{Hits: []Hit{}}, nil
	}
	if err := s.refresh(ctx); err != nil {
		return SemanticResult{}, err
	}
	pending, err := s.indexer.settle(ctx)
	if err != nil {
		return SemanticResult{}, err
	}
	search := semanticSearch{
		query: query, words: contentWords(words.Query(query)), embedded: s.embedQuery(ctx, query),
		modelID: s.indexer.modelID(), limit: question.Limit, ranking: s.ranking,
	}
	var hits []Hit
	err = s.store.View(ctx, func(r Reader) error {
		// For each statement that can be cancelled, the database's driver starts
		// a goroutine; all of these together take some milliseconds.
		ctx := context.WithoutCancel(ctx)
		var found bool
		if search.filter, found, err = filterOf(ctx, r, question); err != nil || !found {
			return err
		}
		hits, err = search.run(ctx, r)
		return err
	})
	if err != nil {
		return SemanticResult{}, err
	}
	s.usage.record(ctx, idsOf(hits))
	return SemanticResult{Hits: hits, Pending: pending}, nil
}

// headStart is how long the words are looked for before the model starts, where
// it would need all processors: in most memories that is enough to find them, and
// at the same time each would hold up the other by more than that.
const headStart = 4 * time.Millisecond

// embedQuery computes a question's vector, while the words are looked for if that
// takes long. The function that it returns waits for it.
func (s *Service) embedQuery(ctx context.Context, query string) func() (QueryVector, error) {
	var (
		vector QueryVector
		err    error
		done   = make(chan struct{})
	)
	start := sync.OnceFunc(func() {
		go func() {
			defer close(done)
			err = safely(func() error {
				vectors, err := s.embedder.Embed(ctx, Query, []string{query})
				if err == nil {
					vector = queryVector(vectors[0])
				}
				return err
			})
		}()
	})
	if runtime.GOMAXPROCS(0) > 2 {
		start()
	} else {
		time.AfterFunc(headStart, start)
	}
	return func() (QueryVector, error) {
		start()
		<-done
		return vector, err
	}
}

// refresh brings the index in step with what other programs changed, as far as
// a search may be held up for it.
func (s *Service) refresh(ctx context.Context) error {
	complete, err := s.texts.refresh(ctx)
	if err == nil && !complete {
		s.indexer.wakeUp()
	}
	return err
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

// semanticSearch is one search on one snapshot.
type semanticSearch struct {
	query    string
	words    []words.Word
	embedded func() (QueryVector, error) // waits for the query's vector
	modelID  string
	filter   Filter
	limit    int
	ranking  rank.Settings
}

// run gathers candidates, ranks them and reads the best.
func (s semanticSearch) run(ctx context.Context, r Reader) ([]Hit, error) {
	c, err := s.gather(ctx, r)
	if err != nil {
		return nil, err
	}
	scored, err := s.rank(ctx, r, c)
	if err != nil {
		return nil, err
	}
	scored = scored[:min(len(scored), s.limit)]
	return s.read(ctx, r, c, scored)
}

// rank scores the candidates by evidence and use, best first.
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
	return s.ranking.Rank(in), nil
}

// hoursSince returns the age of t, 0 for a time that is unknown or to come.
func hoursSince(t, now time.Time) float64 {
	if t.IsZero() || t.After(now) {
		return 0
	}
	return now.Sub(t).Hours()
}

// read reads the entities of the results, and of each the text that matched.
func (s semanticSearch) read(ctx context.Context, r Reader, c candidates, scored []rank.Scored) ([]Hit, error) {
	ids, passages := make([]int64, len(scored)), make([]int64, 0, len(scored))
	for i, found := range scored {
		ids[i] = found.ID
		if id := c.bestPassage(s.ranking, found.ID); id != 0 {
			passages = append(passages, id)
		}
	}
	entities, err := r.Entities(ctx, ids)
	if err != nil {
		return nil, err
	}
	texts, err := r.PassageTexts(ctx, passages)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]Entity, len(entities))
	for _, e := range entities {
		byID[e.ID] = e
	}
	matched := make(map[int64]PassageText, len(texts))
	for _, t := range texts {
		matched[t.EntityID] = t
	}
	m := newMatcher(s.words)
	hits := make([]Hit, 0, len(scored))
	for _, found := range scored {
		e, ok := byID[found.ID]
		if !ok {
			continue
		}
		hits = append(hits, Hit{
			Entity: e, Scored: found,
			Match:       m.match(e, matched[e.ID].Window),
			NearestRank: c.nearestRank[e.ID], WordsRank: c.wordsRank[e.ID],
		})
	}
	return hits, nil
}

func idsOf(hits []Hit) []int64 {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.Entity.ID
	}
	return ids
}
