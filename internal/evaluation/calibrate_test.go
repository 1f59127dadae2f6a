package evaluation_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/rank"
)

// truth is what made-up results are right by.
var truth = rank.Settings{Base: -4, ByEvidence: 2.5, ByGap: 6, Floor: 0.1, Span: 0.45}

// madeUp is a run in which results are right as often as truth says: at most
// one a question, so that all of its results but one have little evidence.
func madeUp(seed uint64, questions int) evaluation.Run {
	random := rand.New(rand.NewPCG(seed, 0))
	var run evaluation.Run
	for i := range questions {
		o := evaluation.Outcome{Question: evaluation.Question{ID: fmt.Sprint(i), Answers: []string{"right"}}}
		for range 3 {
			f := evaluation.Found{Name: "wrong", Evidence: 2 * random.Float64(), Gap: 1.6*random.Float64() - 0.8}
			if random.Float64() < truth.Relevance(f.Evidence, f.Gap) {
				f.Name = "right"
			}
			o.Found = append(o.Found, f)
		}
		run = append(run, o)
	}
	return run
}

func calibrate(t *testing.T, trials ...evaluation.Trial) evaluation.Calibration {
	t.Helper()
	c, err := evaluation.Calibrate(trials, rank.Settings{Base: -1, Floor: truth.Floor, Span: truth.Span})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCalibrationRecoversTheTruth(t *testing.T) {
	c := calibrate(t, evaluation.Trial{Whole: madeUp(1, 8_000)})
	for name, pair := range map[string][2]float64{
		"Base":       {c.Settings.Base, truth.Base},
		"ByEvidence": {c.Settings.ByEvidence, truth.ByEvidence},
		"ByGap":      {c.Settings.ByGap, truth.ByGap},
	} {
		if got, want := pair[0], pair[1]; math.Abs(got-want) > 0.25 {
			t.Errorf("%s = %v, want about %v", name, got, want)
		}
	}
	if c.Settings.Floor != truth.Floor || c.Settings.Span != truth.Span {
		t.Errorf("other settings have changed: %+v", c.Settings)
	}
	if !(c.All.After.Brier < c.All.Before.Brier) || !(c.All.After.AUC > c.All.Before.AUC) {
		t.Errorf("no better than before: %+v", c.All)
	}
	for _, b := range slices.Concat(c.Results, c.Firsts) {
		if sigma := math.Sqrt(0.25 / float64(max(b.N, 1))); b.N > 0 && math.Abs(b.Relevance-b.Right) > 4*sigma {
			t.Errorf("relevance %.3f of results of which %.3f are right: %+v", b.Relevance, b.Right, b)
		}
	}
}

// Every set weighs the same, however many questions it has: two sets that
// contradict each other make a coin's toss.
func TestSetsWeighTheSame(t *testing.T) {
	constant := func(right string, questions int) evaluation.Run {
		var run evaluation.Run
		for i := range questions {
			run = append(run, evaluation.Outcome{
				Question: evaluation.Question{ID: fmt.Sprint(i), Answers: []string{right}},
				Found:    []evaluation.Found{{Name: "a", Evidence: 1}},
			})
		}
		return run
	}
	c := calibrate(t,
		evaluation.Trial{Name: "small", Whole: constant("a", 4)},
		evaluation.Trial{Name: "large", Whole: constant("b", 400)})
	if got := c.Settings.Relevance(1, 0); math.Abs(got-0.5) > 0.01 {
		t.Errorf("relevance %v, want 0.5", got)
	}
}

// perfect is a run in which all right results have evidence of their own and
// nothing else has any. No finite curve fits that.
func perfect(evidences ...float64) evaluation.Run {
	var run evaluation.Run
	for i, e := range evidences {
		run = append(run, evaluation.Outcome{
			Question: evaluation.Question{ID: fmt.Sprint(i), Answers: []string{"a"}},
			Found:    []evaluation.Found{{Name: "a", Evidence: e, Gap: e}, {Name: "b", Gap: -e}},
		})
	}
	return run
}

func TestCalibrationOfAPerfectSearchEnds(t *testing.T) {
	s := calibrate(t, evaluation.Trial{Whole: perfect(1, 1, 1, 1)}).Settings
	if got := s.Relevance(1, 1); !(got > 0.99) {
		t.Errorf("relevance of what is right %v", got)
	}
	if got := s.Relevance(0, -1); !(got < 0.01) {
		t.Errorf("relevance of what is wrong %v", got)
	}
}

// Weak is the largest of three digits that 97 % of the right first results of
// every second question reach.
func TestWeakKeepsWhatIsRight(t *testing.T) {
	run := madeUp(3, 2_000)
	s := calibrate(t, evaluation.Trial{Whole: run}).Settings
	kept := func(weak float64) float64 {
		var n, all float64
		for i := 0; i < len(run); i += 2 {
			if first := run[i].Found[0]; first.Name == "right" {
				all++
				if s.Relevance(first.Evidence, first.Gap) >= weak {
					n++
				}
			}
		}
		return n / all
	}
	if got := kept(s.Weak); got < 0.97 {
		t.Errorf("weak %v keeps %v", s.Weak, got)
	}
	if got := kept(s.Weak + 0.01); got >= 0.97 {
		t.Errorf("weak %v keeps %v as well", s.Weak+0.01, got)
	}
}

func TestCalibrationNeedsRightResults(t *testing.T) {
	run := perfect(1)
	for _, trials := range [][]evaluation.Trial{nil, {{}}, {{Whole: run}}, {{Halved: run}}} {
		if _, err := evaluation.Calibrate(trials, truth); err == nil {
			t.Errorf("no error for %+v", trials)
		}
	}
}

// trial is one of all kinds of questions.
func trial(name string, seed uint64) evaluation.Trial {
	whole := madeUp(seed, 60)
	var halved, unrelated evaluation.Run
	for i, o := range madeUp(seed+1, 60) {
		switch {
		case i%3 == 0: // the set says that there is none
			whole[i].Question.Answers = nil
		case i%3 == 1:
			o.Question.Answers = nil
			halved = append(halved, o)
		default:
			o.Question.Answers = nil
			o.Question.Kind = []string{evaluation.OffTopic, evaluation.Nonsense}[i/6%2]
			for place := range o.Found {
				o.Found[place].Evidence *= 0.1
			}
			unrelated = append(unrelated, o)
		}
	}
	return evaluation.Trial{Name: name, Whole: whole, Halved: halved, Unrelated: unrelated}
}

func TestCalibrationIsTheSameEveryTime(t *testing.T) {
	text := func() string {
		var b bytes.Buffer
		if err := evaluation.WriteCalibration(&b, calibrate(t, trial("a", 1), trial("b", 5))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if diff := cmp.Diff(text(), text()); diff != "" {
		t.Error(diff)
	}
}
