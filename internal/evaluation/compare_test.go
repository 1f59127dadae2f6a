package evaluation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcp-memory/internal/evaluation"
)

// ranked makes a run in which the right answer to each question has that rank.
func ranked(ranks ...int) evaluation.Run {
	var run evaluation.Run
	for i, rank := range ranks {
		o := evaluation.Outcome{Question: evaluation.Question{ID: fmt.Sprint(i), Answers: []string{"right"}}}
		for place := range evaluation.Depth {
			name := "wrong"
			if place+1 == rank {
				name = "right"
			}
			o.Found = append(o.Found, evaluation.Found{Name: name})
		}
		run = append(run, o)
	}
	return run
}

func compare(t *testing.T, before, after evaluation.Run) evaluation.Comparison {
	t.Helper()
	c, err := evaluation.Compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareCountsAndDifferences(t *testing.T) {
	before := ranked(1, 2, 2, 2, 2, 2, 2, 1, 0, 5)
	after := ranked(2, 1, 1, 1, 1, 1, 1, 1, 10, 5)
	before = append(before, evaluation.Outcome{Question: evaluation.Question{ID: "unanswerable"}})
	after = append(after, evaluation.Outcome{Question: evaluation.Question{ID: "unanswerable"}})
	want := evaluation.Comparison{
		Questions: 10,
		// Six of seven changes go one way: 2 · (1 + 7)/2⁷.
		Hit1:   evaluation.Difference{Before: 0.2, After: 0.7, Change: 0.5, P: 0.125},
		MRR10:  evaluation.Difference{Before: 0.52, After: 0.78, Change: 0.26},
		Gained: 6, Lost: 1,
	}
	got := compare(t, before, after)
	ignored := cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Low" || p.Last().String() == ".High" || p.String() == "MRR10.P"
	}, cmp.Ignore())
	if diff := cmp.Diff(want, got, ignored, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

func TestRunsThatDoNotCompare(t *testing.T) {
	if _, err := evaluation.Compare(ranked(1, 2), ranked(1)); err == nil || err.Error() != "comparing runs of 2 and 1 questions" {
		t.Errorf("different lengths: %v", err)
	}
	other := ranked(1, 1)
	other[1].Question.ID = "x"
	if _, err := evaluation.Compare(ranked(1, 1), other); err == nil || err.Error() != "comparing runs of different questions: 1 and x" {
		t.Errorf("different questions: %v", err)
	}
	if c, err := evaluation.Compare(nil, nil); err != nil || c.Questions != 0 {
		t.Errorf("nothing: %+v, %v", c, err)
	}
}
