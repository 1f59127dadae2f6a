package evaluation_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcp-memory/internal/evaluation"
)

// answers is a Searcher that knows all answers by heart.
type answers struct {
	found map[string][]evaluation.Found
	asked []string
}

func (a *answers) Search(_ context.Context, question string, limit int) ([]evaluation.Found, error) {
	a.asked = append(a.asked, question)
	found, ok := a.found[question]
	if !ok {
		return nil, errors.New("the index is broken")
	}
	return found[:min(len(found), limit)], nil
}

// clock moves on by one of the steps at every second look.
func clock(steps ...time.Duration) func() time.Time {
	now, looks := time.Unix(0, 0), 0
	return func() time.Time {
		if looks%2 == 1 {
			now = now.Add(steps[looks/2%len(steps)])
		}
		looks++
		return now
	}
}

func strong(names ...string) []evaluation.Found { return found(false, names) }
func weak(names ...string) []evaluation.Found   { return found(true, names) }

func found(weak bool, names []string) []evaluation.Found {
	var list []evaluation.Found
	for _, name := range names {
		list = append(list, evaluation.Found{Name: name, Weak: weak})
	}
	return list
}

func ask(t *testing.T, s evaluation.Searcher, questions []evaluation.Question, o evaluation.RunOptions) evaluation.Run {
	t.Helper()
	run, err := evaluation.Ask(t.Context(), s, questions, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// sample is a run whose figures are easily computed by hand.
func sample(t *testing.T) evaluation.Run {
	s := &answers{found: map[string][]evaluation.Found{
		"first":    strong("a", "b", "c"),
		"third":    append(weak("b"), strong("c", "a", "d")...),
		"tenth":    strong("b", "c", "d", "e", "f", "g", "h", "i", "j", "a"),
		"eleventh": strong("b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "a"),
		"two":      weak("a", "c", "b"),
		"nothing":  nil,
		"honest":   weak("a", "b"),
		"misled":   append(weak("a"), strong("b")...),
	}}
	questions := []evaluation.Question{
		{ID: "1", Language: "es", Kind: "same", Text: "first", Answers: []string{"a"}},
		{ID: "2", Language: "es", Text: "third", Answers: []string{"a"}},
		{ID: "3", Language: "en", Kind: "same", Text: "tenth", Answers: []string{"a"}},
		{ID: "4", Language: "en", Text: "eleventh", Answers: []string{"a"}},
		{ID: "5", Language: "en", Text: "two", Answers: []string{"a", "b"}},
		{ID: "6", Text: "nothing", Answers: []string{"a"}},
		{ID: "7", Language: "es", Kind: "none", Text: "honest"},
		{ID: "8", Language: "es", Kind: "none", Text: "misled"},
		{ID: "9", Kind: "none", Text: "nothing"},
	}
	return ask(t, s, questions, evaluation.RunOptions{Limit: 20, Now: clock(
		10*time.Millisecond, 20*time.Millisecond, 30*time.Millisecond, 40*time.Millisecond, 50*time.Millisecond,
		60*time.Millisecond, 70*time.Millisecond, 80*time.Millisecond, 100*time.Millisecond)})
}

func TestSummary(t *testing.T) {
	var (
		third = 1 / math.Log2(4)
		tenth = 1 / math.Log2(11)
		two   = (1 + 1/math.Log2(4)) / (1 + 1/math.Log2(3))
	)
	want := evaluation.Summary{
		All: evaluation.Quality{
			Questions: 6, Hit1: 2.0 / 6, Hit5: 3.0 / 6, Hit10: 4.0 / 6,
			MRR10: (1 + 1.0/3 + 0.1 + 1) / 6, NDCG10: (1 + third + tenth + two) / 6,
		},
		Languages: []evaluation.Group{
			{Name: "en", Quality: evaluation.Quality{Questions: 3, Hit1: 1.0 / 3, Hit5: 1.0 / 3, Hit10: 2.0 / 3, MRR10: 1.1 / 3, NDCG10: (tenth + two) / 3}},
			{Name: "es", Quality: evaluation.Quality{Questions: 2, Hit1: 0.5, Hit5: 1, Hit10: 1, MRR10: 4.0 / 6, NDCG10: (1 + third) / 2}},
		},
		Kinds: []evaluation.Group{
			{Name: "same", Quality: evaluation.Quality{Questions: 2, Hit1: 0.5, Hit5: 0.5, Hit10: 1, MRR10: 0.55, NDCG10: (1 + tenth) / 2}},
		},
		Honesty: evaluation.Honesty{Unanswerable: 3, Misled: 1, RightTop: 2, RightTopWeak: 1},
		Latency: evaluation.Latency{P50: 50, P95: 92}, // 80 + 0.6 · (100 − 80)
	}
	if diff := cmp.Diff(want, evaluation.Summarise(sample(t)), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryOfNothing(t *testing.T) {
	if diff := cmp.Diff(evaluation.Summary{}, evaluation.Summarise(nil)); diff != "" {
		t.Error(diff)
	}
}

func TestWarmSearchesComeFirstAndDoNotCount(t *testing.T) {
	s := &answers{found: map[string][]evaluation.Found{"a": nil, "b": nil, "c": nil, "d": nil}}
	var questions []evaluation.Question
	for _, text := range []string{"a", "b", "c", "d"} {
		questions = append(questions, evaluation.Question{ID: text, Text: text, Answers: []string{text}})
	}
	var reported []int
	run := ask(t, s, questions, evaluation.RunOptions{Warm: 2, Progress: func(done, total int) {
		reported = append(reported, done, total)
	}})
	if want := []string{"a", "c", "a", "b", "c", "d"}; !cmp.Equal(want, s.asked) {
		t.Errorf("asked %v, want %v", s.asked, want)
	}
	if len(run) != 4 {
		t.Errorf("%d outcomes, want 4", len(run))
	}
	if want := []int{1, 4, 2, 4, 3, 4, 4, 4}; !cmp.Equal(want, reported) {
		t.Errorf("progress %v, want %v", reported, want)
	}
}

func TestLimitIsPassedOn(t *testing.T) {
	s := &answers{found: map[string][]evaluation.Found{"?": strong("b", "c", "a")}}
	questions := []evaluation.Question{{ID: "1", Text: "?", Answers: []string{"a"}}}
	if got := ask(t, s, questions, evaluation.RunOptions{Limit: 2})[0].Rank(); got != 0 {
		t.Errorf("rank %d among two results, want none", got)
	}
	if got := ask(t, s, questions, evaluation.RunOptions{})[0].Rank(); got != 3 {
		t.Errorf("rank %d, want 3", got)
	}
}

func TestAFailedSearchNamesItsQuestion(t *testing.T) {
	_, err := evaluation.Ask(t.Context(), &answers{}, []evaluation.Question{{ID: "q7", Text: "?"}}, evaluation.RunOptions{})
	if err == nil || err.Error() != "searching for question q7: the index is broken" {
		t.Errorf("error: %v", err)
	}
}
