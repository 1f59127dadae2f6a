package evaluation

import (
	"cmp"
	"math"
	"slices"

	"mcp-memory/internal/rank"
)

// Share is a number of cases out of all.
type Share struct{ Some, Of int }

func (s *Share) count(is bool) {
	s.Of++
	if is {
		s.Some++
	}
}

// Judgement is how true relevance is for some questions.
type Judgement struct {
	Name       string
	RightFirst Share    // questions that have an answer, by whether it came first
	Before     Accuracy // with the settings that were
	After      Accuracy // with those fitted
	Kept       Share    // of the right first results, those not called weak
	KeepAt     float64  // the Weak that 97 % of them reach
	WeakRight  Share    // of the first results called weak, those that are right
	// Told is, of the questions without an answer, those with nothing but weak
	// results, by the reason why there is none.
	Told map[string]Share
}

// Accuracy is how well relevance foretells what is right.
type Accuracy struct {
	// Brier is the mean squared difference of relevance and right (1) or wrong
	// (0), over all results; lower is better.
	Brier float64
	// AUC is the probability that a right first result has more relevance than
	// a wrong one of the same or another question; NaN where there is but one
	// of them.
	AUC float64
}

func judge(name string, parts []part, s, before rank.Settings) Judgement {
	j := Judgement{Name: name, Told: map[string]Share{}}
	results, firsts := weighed(parts, part.results), weighed(parts, part.firsts)
	j.Before = Accuracy{Brier: brier(results, before), AUC: auc(firsts, before)}
	j.After = Accuracy{Brier: brier(results, s), AUC: auc(firsts, s)}
	j.KeepAt = weakest(weighed(parts, part.rightFirsts), s)
	weak := func(r result) bool { return s.Relevance(r.evidence, r.gap) < s.Weak }
	for _, p := range parts {
		for _, a := range p.answers {
			if a.nothing == "" {
				j.RightFirst.count(len(a.results) > 0 && a.results[0].right)
			} else {
				told := j.Told[a.nothing]
				told.count(!slices.ContainsFunc(a.results, func(r result) bool { return !weak(r) }))
				j.Told[a.nothing] = told
			}
		}
	}
	for _, r := range firsts {
		if r.right {
			j.Kept.count(!weak(r))
		}
		if weak(r) {
			j.WeakRight.count(r.right)
		}
	}
	return j
}

// value is 1 for what is right.
func (r result) value() float64 {
	if r.right {
		return 1
	}
	return 0
}

// brier is the score of that name (Brier 1950, "Verification of Forecasts
// Expressed in Terms of Probability").
func brier(results []result, s rank.Settings) float64 {
	var sum, weight float64
	for _, r := range results {
		miss := s.Relevance(r.evidence, r.gap) - r.value()
		sum += r.weight * miss * miss
		weight += r.weight
	}
	return sum / weight
}

// auc is the area under the ROC curve: of all pairs of a right and a wrong
// result, the share in which the right one has more relevance, ties half.
func auc(results []result, s rank.Settings) float64 {
	relevance := func(r result) float64 { return s.Relevance(r.evidence, r.gap) }
	sorted := slices.Clone(results)
	slices.SortFunc(sorted, func(a, b result) int { return cmp.Compare(relevance(a), relevance(b)) })
	var area, right, wrong float64
	for from, to := 0, 0; from < len(sorted); from = to {
		var tiedRight, tiedWrong float64
		for to = from; to < len(sorted) && relevance(sorted[to]) == relevance(sorted[from]); to++ {
			if sorted[to].right {
				tiedRight += sorted[to].weight
			} else {
				tiedWrong += sorted[to].weight
			}
		}
		area += tiedRight * (wrong + tiedWrong/2)
		right += tiedRight
		wrong += tiedWrong
	}
	if right == 0 || wrong == 0 {
		return math.NaN()
	}
	return area / (right * wrong)
}

// bins is how many equal parts of the range of relevance are told apart.
const bins = 10

// Bin is the results with a relevance from Low to High. Were relevance quite
// true, Right would be Relevance.
type Bin struct {
	Low, High float64
	N         int
	Relevance float64 // mean, every set with the same weight, as Right
	Right     float64 // the share that is right
}

// reliability sorts results by relevance into bins.
func reliability(results []result, s rank.Settings) []Bin {
	list := make([]Bin, bins)
	weights := make([]float64, bins)
	for _, r := range results {
		relevance := s.Relevance(r.evidence, r.gap)
		i := min(int(relevance*bins), bins-1)
		list[i].N++
		list[i].Relevance += r.weight * relevance
		list[i].Right += r.weight * r.value()
		weights[i] += r.weight
	}
	for i := range list {
		b := &list[i]
		b.Low, b.High = float64(i)/bins, float64(i+1)/bins
		if b.N > 0 {
			b.Relevance /= weights[i]
			b.Right /= weights[i]
		}
	}
	return list
}
