package evaluation

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Depth is how many results of a search count.
const Depth = 10

// Searcher is what is measured.
type Searcher interface {
	// Search returns at most limit entities, best first.
	Search(ctx context.Context, question string, limit int) ([]Found, error)
}

// Found is one result of a search.
type Found struct {
	Name string
	// Evidence for it, how much more that is than for the best other one, and
	// what relevance the two make (see rank.Settings.Relevance).
	Evidence, Gap, Relevance float64
	Weak                     bool // it may well have nothing to do with the question
}

// RunOptions say how to ask.
type RunOptions struct {
	Limit    int                   // results asked for; Depth if 0. Those beyond Depth do not count
	Warm     int                   // about how many searches come first, unmeasured, so that there is use to learn from
	Now      func() time.Time      // clock; time.Now if nil
	Progress func(done, total int) // called after every measured search, if not nil
}

// Outcome is what came of one question.
type Outcome struct {
	Question Question
	Found    []Found // Depth at most
	Elapsed  time.Duration
}

// Run is a whole set asked.
type Run []Outcome

// Ask asks every question of a set, one after the other.
func Ask(ctx context.Context, s Searcher, questions []Question, o RunOptions) (Run, error) {
	if o.Limit == 0 {
		o.Limit = Depth
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	search := func(q Question) (Outcome, error) {
		began := o.Now()
		found, err := s.Search(ctx, q.Text, o.Limit)
		elapsed := o.Now().Sub(began)
		if err != nil {
			return Outcome{}, fmt.Errorf("searching for question %s: %w", q.ID, err)
		}
		return Outcome{Question: q, Found: found[:min(len(found), Depth)], Elapsed: elapsed}, nil
	}
	if o.Warm > 0 {
		for _, q := range every(questions, o.Warm) {
			if _, err := search(q); err != nil {
				return nil, err
			}
		}
	}
	run := make(Run, 0, len(questions))
	for _, q := range questions {
		outcome, err := search(q)
		if err != nil {
			return nil, err
		}
		run = append(run, outcome)
		if o.Progress != nil {
			o.Progress(len(run), len(questions))
		}
	}
	return run, nil
}

// ranks returns the places of the right results, from 1.
func (o Outcome) ranks() []int {
	var ranks []int
	for i, f := range o.Found {
		if slices.Contains(o.Question.Answers, f.Name) {
			ranks = append(ranks, i+1)
		}
	}
	return ranks
}

// Rank returns the place of the first right result from 1 on, 0 for none.
func (o Outcome) Rank() int {
	if ranks := o.ranks(); len(ranks) > 0 {
		return ranks[0]
	}
	return 0
}

// answerable are the outcomes of the questions that have an answer.
func (r Run) answerable() Run {
	var some Run
	for _, o := range r {
		if len(o.Question.Answers) > 0 {
			some = append(some, o)
		}
	}
	return some
}
