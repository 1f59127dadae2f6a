package evaluation

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"mcp-memory/internal/rank"
)

// Trial is what a set contributes to a calibration: how results look that
// answer a question, and how they look where nothing does.
type Trial struct {
	Name      string
	Whole     Run // its questions, asked of its memory
	Halved    Run // those that can be, asked of a memory without the answers (see Set.Halves)
	Unrelated Run // questions about something else, asked of its memory
}

// keep is the share of right first results that must not be called weak.
const keep = 0.97

// Calibration is how relevance follows from evidence and gap, and how far that
// is true.
type Calibration struct {
	Settings rank.Settings // with Base, ByEvidence, ByGap and Weak as fitted
	Sets     []Judgement   // in the order of the trials
	All      Judgement     // AUC and Brier score with equal weight of all sets, counts added up
	Results  []Bin         // reliability of all results
	Firsts   []Bin         // and of those that came first
}

// Calibrate fits the settings to every second question of all sets, and judges
// them by the others. Every set weighs the same. Relevance is fitted to the
// results of all questions; Weak is the largest that keeps 97 % of the right
// first results of questions asked of the whole memory.
func Calibrate(trials []Trial, in rank.Settings) (Calibration, error) {
	var fitting, judging []part
	for _, t := range trials {
		even, odd := t.split()
		fitting, judging = append(fitting, even), append(judging, odd)
	}
	results := weighed(fitting, part.results)
	isRight := func(r result) bool { return r.right }
	if !slices.ContainsFunc(results, isRight) || !slices.ContainsFunc(weighed(judging, part.results), isRight) {
		return Calibration{}, errors.New("there are too few questions with a right result to calibrate by")
	}
	s := fitRelevance(results, in)
	s.Weak = weakest(weighed(fitting, part.rightFirsts), s)
	c := Calibration{
		Settings: s,
		All:      judge("all", judging, s, in),
		Results:  reliability(weighed(judging, part.results), s),
		Firsts:   reliability(weighed(judging, part.firsts), s),
	}
	for _, p := range judging {
		c.Sets = append(c.Sets, judge(p.name, []part{p}, s, in))
	}
	return c, nil
}

// fitRelevance returns the settings with new factors of relevance, rounded to
// what is worth writing down.
func fitRelevance(results []result, s rank.Settings) rank.Settings {
	list := make([]observation, len(results))
	for i, r := range results {
		list[i] = observation{terms: terms{1, r.evidence, gapTerm(r.gap)}, right: r.right, weight: r.weight}
	}
	f := fitLogistic(list)
	s.Base, s.ByEvidence, s.ByGap = round(f[0], 0.01), round(f[1], 0.01), round(f[2], 0.01)
	return s
}

// gapTerm is what a gap adds to the logarithm of the odds for a ByGap of 1: the
// gap within the bounds that Relevance sets it.
func gapTerm(gap float64) float64 {
	p := rank.Settings{ByGap: 1}.Relevance(0, gap)
	return math.Log(p / (1 - p))
}

// weakest returns the largest relevance, rounded down, that the share keep of
// these results reaches.
func weakest(results []result, s rank.Settings) float64 {
	relevance := func(r result) float64 { return s.Relevance(r.evidence, r.gap) }
	slices.SortFunc(results, func(a, b result) int { return cmp.Compare(relevance(a), relevance(b)) })
	var total, below float64
	for _, r := range results {
		total += r.weight
	}
	for _, r := range results {
		if below += r.weight; below > (1-keep)*total {
			return math.Floor(relevance(r)*1000) / 1000
		}
	}
	return 0
}

// round rounds to a multiple of a unit.
func round(f, unit float64) float64 { return math.Round(f/unit) / math.Round(1/unit) }

// result is a result as far as it matters here.
type result struct {
	evidence, gap float64
	right         bool
	weight        float64
}

// answer is what one question brought.
type answer struct {
	nothing string // why nothing is right; "" where something may be
	results []result
}

// part is the half of a trial to fit or to judge by.
type part struct {
	name    string
	answers []answer
}

// The reasons why nothing is right. Of unrelated questions, it is their kind.
const (
	takenAway    = "taken away"   // the memory lacks the half with the answer
	unanswerable = "unanswerable" // the set says so
)

// split deals out the questions of a trial in turn. What a question brought
// from a memory without its answer goes where that of the whole memory goes.
func (t Trial) split() (even, odd part) {
	parts := [2]part{{name: t.Name}, {name: t.Name}}
	add := func(i int, o Outcome, nothing string) {
		a := answer{nothing: nothing}
		for _, f := range o.Found {
			a.results = append(a.results, result{evidence: f.Evidence, gap: f.Gap, right: slices.Contains(o.Question.Answers, f.Name)})
		}
		parts[i%2].answers = append(parts[i%2].answers, a)
	}
	place := map[string]int{}
	for i, o := range t.Whole {
		place[o.Question.ID] = i
		nothing := ""
		if len(o.Question.Answers) == 0 {
			nothing = unanswerable
		}
		add(i, o, nothing)
	}
	for _, o := range t.Halved {
		add(place[o.Question.ID], o, takenAway)
	}
	for i, o := range t.Unrelated {
		add(i, o, o.Question.Kind)
	}
	return parts[0], parts[1]
}

func (p part) results() []result {
	var list []result
	for _, a := range p.answers {
		list = append(list, a.results...)
	}
	return list
}

// firsts are the first results of all questions.
func (p part) firsts() []result {
	var list []result
	for _, a := range p.answers {
		list = append(list, a.results[:min(1, len(a.results))]...)
	}
	return list
}

func (p part) rightFirsts() []result {
	return slices.DeleteFunc(p.firsts(), func(r result) bool { return !r.right })
}

// weighed lists what pick returns of all parts, every part with the same
// weight.
func weighed(parts []part, pick func(part) []result) []result {
	var all []result
	for _, p := range parts {
		list := pick(p)
		for i := range list {
			list[i].weight = 1 / float64(len(list)*len(parts))
		}
		all = append(all, list...)
	}
	return all
}
