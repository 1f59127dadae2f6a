package evaluation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// resamples is how many random samples tests and intervals take: enough
	// for two digits of a p-value of 0.01.
	resamples = 20_000
	// level of confidence of an interval.
	level = 0.95
)

// Difference is how a figure moved from one run to the other, over the
// questions that have an answer.
type Difference struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Change float64 `json:"change"`
	// Low and High bound the change with 95 % confidence (percentile bootstrap
	// over questions).
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// P is the probability of a change this large, either way, between two
	// runs that are equally good.
	P float64 `json:"p"`
}

// Comparison tests whether two runs of the same questions differ. Of the tests
// that hold for retrieval figures, it takes the two that assume nothing about
// their distribution but pairs: randomisation for reciprocal ranks, and the
// sign test, exact, for hits, where it is the same as McNemar's (Smucker,
// Allan and Carterette 2007, "A Comparison of Statistical Significance Tests
// for Information Retrieval Evaluation").
type Comparison struct {
	Questions int        `json:"questions"`
	Hit1      Difference `json:"hit@1"`
	MRR10     Difference `json:"mrr@10"`
	Gained    int        `json:"gained"` // questions whose right answer came first only after
	Lost      int        `json:"lost"`   // and only before
}

// Compare compares two runs of the same questions in the same order. Equal
// runs give equal figures: the random numbers are always the same.
func Compare(before, after Run) (Comparison, error) {
	if err := sameQuestions(before, after); err != nil {
		return Comparison{}, err
	}
	before, after = before.answerable(), after.answerable()
	c := Comparison{Questions: len(before)}
	hits, ranks := make(pairs, len(before)), make(pairs, len(before))
	for i := range before {
		a, b := before[i].Rank(), after[i].Rank()
		hits[i] = pair{hit(a, 1), hit(b, 1)}
		ranks[i] = pair{reciprocal(a), reciprocal(b)}
		switch hits[i].change() {
		case 1:
			c.Gained++
		case -1:
			c.Lost++
		}
	}
	c.Hit1, c.MRR10 = hits.difference(), ranks.difference()
	c.Hit1.P = signTest(c.Gained, c.Lost)
	c.MRR10.P = permutationTest(ranks.changes(), resamples)
	return c, nil
}

func sameQuestions(before, after Run) error {
	if len(before) != len(after) {
		return fmt.Errorf("comparing runs of %d and %d questions", len(before), len(after))
	}
	for i := range before {
		if a, b := before[i].Question.ID, after[i].Question.ID; a != b {
			return fmt.Errorf("comparing runs of different questions: %s and %s", a, b)
		}
	}
	return nil
}

// pair is a figure of one question in both runs.
type pair struct{ before, after float64 }

func (p pair) change() float64 { return p.after - p.before }

type pairs []pair

func (p pairs) changes() []float64 {
	changes := make([]float64, len(p))
	for i := range p {
		changes[i] = p[i].change()
	}
	return changes
}

// difference describes the pairs but for the test.
func (p pairs) difference() Difference {
	if len(p) == 0 {
		return Difference{}
	}
	var d Difference
	for _, one := range p {
		d.Before += one.before / float64(len(p))
		d.After += one.after / float64(len(p))
	}
	d.Change = d.After - d.Before
	d.Low, d.High = bootstrap(p.changes(), resamples)
	return d
}

// random returns the same sequence of random numbers at every call.
func random() *rand.Rand { return rand.New(rand.NewPCG(2007, 11)) }

// bootstrap returns the bounds of the mean of values: the outer quantiles of
// the means of n samples drawn from them with replacement.
func bootstrap(values []float64, n int) (low, high float64) {
	rng := random()
	means := make([]float64, n)
	for i := range means {
		var sum float64
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return quantile(means, (1-level)/2), quantile(means, (1+level)/2)
}

// signTest returns the two-sided probability that of gained + lost changes,
// which go either way by chance, so few or fewer go the rarer way.
func signTest(gained, lost int) float64 {
	n := gained + lost
	var tail float64
	for k := range min(gained, lost) + 1 {
		tail += math.Exp(logBinomial(n, k) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

// logBinomial is the logarithm of n choose k.
func logBinomial(n, k int) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}

// sameSum is the rounding error within which two sums of changes are equal.
const sameSum = 1e-9

// permutationTest returns the two-sided probability that the sum of changes is
// at least as far from 0 when every change may go either way. It tries all
// combinations of signs if they are n at most, else n random ones, and the
// observed one besides, so that the result is never 0.
func permutationTest(changes []float64, n int) float64 {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c float64) bool { return c == 0 })
	var observed float64
	for _, c := range changes {
		observed += c
	}
	extreme := func(signs func(i int) bool) bool {
		var sum float64
		for i, c := range changes {
			if signs(i) {
				c = -c
			}
			sum += c
		}
		return math.Abs(sum) >= math.Abs(observed)-sameSum
	}
	count := 0
	if len(changes) < 31 && 1<<len(changes) <= n {
		for combination := range 1 << len(changes) {
			if extreme(func(i int) bool { return combination>>i&1 == 1 }) {
				count++
			}
		}
		return float64(count) / float64(int(1)<<len(changes))
	}
	rng := random()
	for range n {
		if extreme(func(int) bool { return rng.Uint64()&1 == 1 }) {
			count++
		}
	}
	return float64(count+1) / float64(n+1)
}
