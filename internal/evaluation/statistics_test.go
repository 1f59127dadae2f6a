//go:build !race

// Tens of thousands of samples of pure functions: nothing for the race detector, which makes them take half a minute.

package evaluation_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcp-memory/internal/evaluation"
)

// Published values of the exact sign test: of n changes, k go the rarer way.
func TestSignTest(t *testing.T) {
	for _, test := range []struct {
		k, n int
		want float64
	}{
		{0, 0, 1},
		{0, 1, 1},
		{0, 5, 0.0625},
		{0, 6, 0.03125},
		{1, 8, 0.0703125},
		{5, 10, 1},
		{4, 10, 0.75390625},
		{2, 12, 0.03857421875},
		{30, 100, 7.85013964559367e-05},
	} {
		var before, after []int
		for i := range test.n {
			if i < test.k {
				before, after = append(before, 1), append(after, 2)
			} else {
				before, after = append(before, 2), append(after, 1)
			}
		}
		for _, p := range []float64{
			compare(t, ranked(before...), ranked(after...)).Hit1.P,
			compare(t, ranked(after...), ranked(before...)).Hit1.P,
		} {
			if math.Abs(p-test.want) > 1e-9 {
				t.Errorf("%d of %d: p = %v, want %v", test.k, test.n, p, test.want)
			}
		}
	}
}

// bruteForce is the share of all combinations of signs with which the changes
// sum to as much as they do.
func bruteForce(before, after []int) float64 {
	var changes []float64
	for i := range before {
		changes = append(changes, inverse(after[i])-inverse(before[i]))
	}
	sums := []float64{0}
	var observed float64
	for _, c := range changes {
		observed += c
		var longer []float64
		for _, s := range sums {
			longer = append(longer, s+c, s-c)
		}
		sums = longer
	}
	extreme := 0
	for _, s := range sums {
		if math.Abs(s) >= math.Abs(observed)-1e-9 {
			extreme++
		}
	}
	return float64(extreme) / float64(len(sums))
}

func inverse(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

func TestPermutationTestAgainstBruteForce(t *testing.T) {
	for name, test := range map[string]struct {
		before, after []int
		tolerance     float64 // 0 where all combinations are tried
	}{
		"equal":             {before: []int{1, 2, 3}, after: []int{1, 2, 3}, tolerance: 1e-12},
		"one change":        {before: []int{1, 2, 3}, after: []int{1, 2, 1}, tolerance: 1e-12},
		"all better":        {before: []int{2, 3, 4, 5, 0, 2}, after: []int{1, 1, 1, 1, 1, 1}, tolerance: 1e-12},
		"mixed":             {before: []int{2, 1, 4, 5, 0, 2, 1, 3, 3, 8}, after: []int{1, 3, 1, 5, 9, 1, 2, 1, 4, 0}, tolerance: 1e-12},
		"worse":             {before: []int{1, 1, 4, 1, 2, 2, 1, 3, 3, 8}, after: []int{2, 3, 7, 5, 9, 1, 2, 1, 0, 0}, tolerance: 1e-12},
		"random, marked":    {before: []int{2, 3, 2, 4, 1, 2, 5, 2, 3, 9, 2, 1, 2, 4, 0, 2, 3, 2}, after: []int{1, 1, 1, 2, 3, 1, 1, 3, 2, 4, 1, 2, 1, 1, 5, 3, 1, 1}, tolerance: 0.004},
		"random, undecided": {before: []int{2, 1, 2, 4, 1, 2, 5, 1, 3, 9, 1, 1, 2, 4, 1, 2, 3, 1}, after: []int{1, 3, 1, 2, 3, 1, 1, 3, 2, 4, 2, 2, 1, 1, 0, 3, 1, 2}, tolerance: 0.015},
	} {
		t.Run(name, func(t *testing.T) {
			want := bruteForce(test.before, test.after)
			got := compare(t, ranked(test.before...), ranked(test.after...)).MRR10.P
			if math.Abs(got-want) > test.tolerance {
				t.Errorf("p = %.4f, want %.4f", got, want)
			}
		})
	}
}

func TestIntervals(t *testing.T) {
	var before, after []int
	for i := range 400 { // a gain in every fourth question
		before = append(before, 2)
		after = append(after, min(2, 1+i%4))
	}
	d := compare(t, ranked(before...), ranked(after...)).Hit1
	// A mean of 0.25 of 400 yes-or-no values: 1.96 · √(0.25·0.75/400) = 0.0424.
	if math.Abs(d.Low-(0.25-0.0424)) > 0.005 || math.Abs(d.High-(0.25+0.0424)) > 0.005 {
		t.Errorf("interval %.4f … %.4f, want about 0.2076 … 0.2924", d.Low, d.High)
	}
	same := compare(t, ranked(before...), ranked(before...))
	want := evaluation.Difference{Before: 0.5, After: 0.5, P: 1}
	if diff := cmp.Diff(want, same.MRR10, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(d, compare(t, ranked(before...), ranked(after...)).Hit1); diff != "" {
		t.Errorf("the same comparison differs: %s", diff)
	}
}
