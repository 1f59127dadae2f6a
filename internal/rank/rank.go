package rank

import (
	"cmp"
	"math"
	"slices"
)

// Near is an entity of which the vector search found a passage: the one most
// like the query. Distance is what is reported, 1 - cos of the vectors as the
// model makes them; Likeness, the cosine without what they carry of their
// language, is what counts.
type Near struct {
	ID       int64
	Distance float64
	Likeness float64
}

// Text is an entity that the text search found, with the shares of the query's
// words (TextShare) that it and its best passage hold, in [0, 1].
type Text struct {
	ID              int64
	Entity, Passage float64
}

// Usage is how an entity was used: how often, how long ago in hours, and how
// many relations it has.
type Usage struct {
	Accesses int
	Degree   int
	Hours    float64
}

// Together is how often two entities were used together.
type Together struct {
	A, B  int64
	Count int
}

// Input is all that a ranking depends on. The candidates are the entities in
// Near, Text and Exact.
type Input struct {
	Near     []Near          // nearest first
	Text     []Text          // best first; empty when no word was found
	Exact    []int64         // entities that the query names
	Measured []Near          // distances of candidates beyond Near, where known
	Worded   []Text          // shares of candidates beyond Text, where known
	Usage    map[int64]Usage // absent: never used, of age 0
	Together []Together      // pairs that are not both candidates do not count
}

// Scored is a candidate with its score and how that came about.
type Scored struct {
	ID             int64
	LimbicScore    float64 // decides the order
	Evidence       float64 // before the signals
	Gap            float64 // how much more that is than for the best other candidate
	Meaning        float64 // its part that is meaning
	EntityWords    float64 // the share of the query's words that the entity holds
	PassageWords   float64 // and its best passage
	Relevance      float64 // how probably it is right
	Weak           bool    // it may well have nothing to do with the query
	Exact          bool    // the query is its name
	Importance     float64
	TemporalFactor float64
	CoocBoost      float64
	UseFactor      float64  // what these three multiplied the evidence by
	Distance       *float64 // nil when the vector search did not find it
	RRF            *float64 // nil when the text search found nothing, or not by a search
}

// Rank scores all candidates and returns them in order: exact names first,
// then by score, ties by id. The score of an exact name is raised to that of
// the best other, so that scores never increase along the list.
func (s Settings) Rank(in Input) []Scored {
	scored, index := gather(in)
	maxAccesses := 0
	for _, c := range scored {
		maxAccesses = max(maxAccesses, in.Usage[c.ID].Accesses)
	}
	counts := togetherCounts(in.Together, index)
	worded := make(map[int64]Text, len(in.Text)+len(in.Worded))
	for _, t := range slices.Concat(in.Text, in.Worded) {
		worded[t.ID] = t
	}
	likeness := likenesses(slices.Concat(in.Near, in.Measured))
	for i := range scored {
		c := &scored[i]
		s.weigh(c, likeness[c.ID], worded[c.ID])
		usage := in.Usage[c.ID]
		c.Importance = Importance(usage.Accesses, maxAccesses, usage.Degree)
		c.TemporalFactor = TemporalFactor(usage.Hours)
		c.CoocBoost = CoocBoost(counts[c.ID]...)
		c.UseFactor = s.UseFactor(c.Importance, c.TemporalFactor, c.CoocBoost)
		c.LimbicScore = c.Evidence * c.UseFactor
	}
	s.judge(scored, likeness)
	order(scored, in.Exact)
	return scored
}

// weigh joins what the searches say of a candidate.
func (s Settings) weigh(c *Scored, likeness *float64, t Text) {
	c.Meaning = s.Meaning(likeness)
	c.EntityWords, c.PassageWords = t.Entity, t.Passage
	c.Evidence = Evidence(c.Meaning, s.Words(t.Entity, t.Passage))
}

// enough is how many candidates it takes for the best of those that are wrong to be as
// good as such ones are.
const enough = 10

// judge says of each candidate how probably it is right, by its evidence and by
// how much more that is than for the best other one. Where there are not
// enough others, as in a small memory or behind a narrow filter, that is Noise at
// least: what the best of some has that have nothing to do with the query.
func (s Settings) judge(scored []Scored, likeness map[int64]*float64) {
	best, second := 0.0, 0.0
	if len(scored) < enough {
		best, second = s.Noise, s.Noise
	}
	for _, c := range scored {
		if c.Evidence > best {
			best, second = c.Evidence, best
		} else {
			second = max(second, c.Evidence)
		}
	}
	for i := range scored {
		c := &scored[i]
		others := best
		if c.Evidence == best {
			others = second
		}
		c.Gap = c.Evidence - others
		c.Relevance = s.Relevance(c.Evidence, c.Gap)
		c.Weak = likeness[c.ID] != nil && c.Relevance < s.Weak && c.Evidence < s.Sure // without a vector nothing is known of its meaning
	}
}

// gather lists the candidates, each once, with what the searches said, and the
// place of each in the list.
func gather(in Input) ([]Scored, map[int64]int) {
	scored := []Scored{}
	index := map[int64]int{}
	add := func(id int64) {
		if _, known := index[id]; !known {
			index[id] = len(scored)
			scored = append(scored, Scored{ID: id})
		}
	}
	var near, text []int64
	for _, n := range in.Near {
		add(n.ID)
		near = append(near, n.ID)
	}
	for _, t := range in.Text {
		add(t.ID)
		text = append(text, t.ID)
	}
	for _, id := range in.Exact {
		add(id)
	}
	for i, n := range in.Near {
		if !math.IsNaN(n.Distance) && !math.IsNaN(n.Likeness) {
			scored[index[n.ID]].Distance = &in.Near[i].Distance
		}
	}
	if len(text) > 0 {
		for _, f := range RRF(RRFK, near, text) {
			scored[index[f.ID]].RRF = &f.Score
		}
	}
	return scored, index
}

// likenesses maps ids to likenesses, without those that are no number, which
// vectors of length 0 have.
func likenesses(list []Near) map[int64]*float64 {
	m := make(map[int64]*float64, len(list))
	for i, n := range list {
		if !math.IsNaN(n.Likeness) {
			m[n.ID] = &list[i].Likeness
		}
	}
	return m
}

// togetherCounts lists, for each candidate, how often it was used with others.
func togetherCounts(pairs []Together, candidates map[int64]int) map[int64][]int {
	counts := map[int64][]int{}
	for _, p := range pairs {
		_, a := candidates[p.A]
		_, b := candidates[p.B]
		if a && b && p.A != p.B {
			counts[p.A] = append(counts[p.A], p.Count)
			counts[p.B] = append(counts[p.B], p.Count)
		}
	}
	return counts
}

// order sorts as Rank says and lifts the scores of exact names.
func order(scored []Scored, exact []int64) {
	isExact := make(map[int64]bool, len(exact))
	for _, id := range exact {
		isExact[id] = true
	}
	for i := range scored {
		if scored[i].Exact = isExact[scored[i].ID]; scored[i].Exact {
			scored[i].Relevance, scored[i].Weak = 1, false // it is what was asked for
		}
	}
	slices.SortFunc(scored, func(a, b Scored) int {
		if a.Exact != b.Exact {
			if a.Exact {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.LimbicScore, a.LimbicScore), cmp.Compare(a.ID, b.ID))
	})
	for i := min(len(isExact), len(scored)-1) - 1; i >= 0; i-- {
		scored[i].LimbicScore = max(scored[i].LimbicScore, scored[i+1].LimbicScore)
	}
}
