package evaluation

import (
	"math"
	"slices"
	"time"
)

// Quality is how well questions that have an answer were answered, each figure
// from 0 to 1, the mean over the questions.
type Quality struct {
	Questions int     `json:"questions"`
	Hit1      float64 `json:"hit@1"`   // a right result came first
	Hit5      float64 `json:"hit@5"`   // one was among the first five
	Hit10     float64 `json:"hit@10"`  // one was among the first ten
	MRR10     float64 `json:"mrr@10"`  // 1/rank of the first right result, 0 beyond rank 10
	NDCG10    float64 `json:"ndcg@10"` // discounted gain over that of all right results first
}

// Group is the quality of a part of the questions.
type Group struct {
	Name string `json:"name"`
	Quality
}

// Latency is how long a search took, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
}

// Honesty is what the mark "weak" says: nothing but weak results is the right
// answer to a question that has none, and a right result should not be marked.
type Honesty struct {
	Unanswerable int `json:"unanswerable"`   // questions without an answer
	Misled       int `json:"misled"`         // of them, those with a result that is not marked weak
	RightTop     int `json:"right_top"`      // right results that came first
	RightTopWeak int `json:"right_top_weak"` // of them, those marked weak
}

// Summary is a run in figures.
type Summary struct {
	All       Quality `json:"all"`
	Languages []Group `json:"languages,omitempty"` // in order of name
	Kinds     []Group `json:"kinds,omitempty"`
	Honesty   Honesty `json:"honesty"`
	Latency   Latency `json:"latency"`
}

// Summarise computes the figures of a run.
func Summarise(r Run) Summary {
	return Summary{
		All:       quality(r.answerable()),
		Languages: groups(r, func(q Question) string { return q.Language }),
		Kinds:     groups(r, func(q Question) string { return q.Kind }),
		Honesty:   honesty(r),
		Latency:   latency(r),
	}
}

func quality(r Run) Quality {
	q := Quality{Questions: len(r)}
	if len(r) == 0 {
		return q
	}
	for _, o := range r {
		rank := o.Rank()
		q.Hit1 += hit(rank, 1)
		q.Hit5 += hit(rank, 5)
		q.Hit10 += hit(rank, 10)
		q.MRR10 += reciprocal(rank)
		q.NDCG10 += o.ndcg()
	}
	for _, sum := range []*float64{&q.Hit1, &q.Hit5, &q.Hit10, &q.MRR10, &q.NDCG10} {
		*sum /= float64(len(r))
	}
	return q
}

// hit is 1 if there is a rank and it is at most k.
func hit(rank, k int) float64 {
	if rank > 0 && rank <= k {
		return 1
	}
	return 0
}

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// ndcg is the normalised discounted cumulative gain at Depth of results that
// are right or wrong: Σ 1/log2(1 + rank), over that of the best order (Järvelin
// and Kekäläinen 2002).
func (o Outcome) ndcg() float64 {
	var gain, ideal float64
	for _, rank := range o.ranks() {
		gain += 1 / math.Log2(1+float64(rank))
	}
	for rank := 1; rank <= min(Depth, len(o.Question.Answers)); rank++ {
		ideal += 1 / math.Log2(1+float64(rank))
	}
	return gain / ideal
}

// groups splits the questions that have an answer by what name says of them,
// those without a name apart.
func groups(r Run, name func(Question) string) []Group {
	parts := map[string]Run{}
	var names []string
	for _, o := range r.answerable() {
		n := name(o.Question)
		if n == "" {
			continue
		}
		if parts[n] == nil {
			names = append(names, n)
		}
		parts[n] = append(parts[n], o)
	}
	slices.Sort(names)
	var list []Group
	for _, n := range names {
		list = append(list, Group{Name: n, Quality: quality(parts[n])})
	}
	return list
}

func honesty(r Run) Honesty {
	var h Honesty
	for _, o := range r {
		switch {
		case len(o.Question.Answers) == 0:
			h.Unanswerable++
			if slices.ContainsFunc(o.Found, func(f Found) bool { return !f.Weak }) {
				h.Misled++
			}
		case o.Rank() == 1:
			h.RightTop++
			if o.Found[0].Weak {
				h.RightTopWeak++
			}
		}
	}
	return h
}

func latency(r Run) Latency {
	var times []float64
	for _, o := range r {
		times = append(times, float64(o.Elapsed)/float64(time.Millisecond))
	}
	slices.Sort(times)
	return Latency{P50: quantile(times, 0.5), P95: quantile(times, 0.95)}
}

// quantile interpolates linearly between sorted values (type 7 of Hyndman and
// Fan 1996, the usual one).
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := p * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
