package evaluation_test

import (
	"slices"
	"testing"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/memory"
)

func TestHalvesLackTheAnswers(t *testing.T) {
	set, err := evaluation.Notes(0)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{}
	answerable := 0
	for _, q := range set.Questions {
		answers[q.ID] = q.Answers
		if len(q.Answers) > 0 {
			answerable++
		}
	}
	asked := 0
	var gone []string
	for _, half := range set.Halves() {
		gone = append(gone, half.Gone...)
		if n := len(set.Entities); len(half.Gone) < n/3 || len(half.Gone) > n*2/3 {
			t.Errorf("%d of %d entities are gone, want about half", len(half.Gone), n)
		}
		for _, q := range half.Questions {
			asked++
			if len(q.Answers) > 0 || len(answers[q.ID]) == 0 {
				t.Errorf("question %s has answers %q, had %q", q.ID, q.Answers, answers[q.ID])
			}
			for _, name := range answers[q.ID] {
				if !slices.Contains(half.Gone, name) {
					t.Errorf("question %s is answered by %s", q.ID, name)
				}
			}
		}
	}
	slices.Sort(gone)
	if len(gone) != len(set.Entities) || len(slices.Compact(gone)) != len(gone) {
		t.Errorf("%d entities are gone from the two, want each of %d once", len(gone), len(set.Entities))
	}
	if asked < answerable*9/10 {
		t.Errorf("%d of %d questions are asked", asked, answerable)
	}
}

func TestQuestionsWithAnswersInBothHalvesAreLeftOut(t *testing.T) {
	var set evaluation.Set
	q := evaluation.Question{ID: "q"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		set.Entities = append(set.Entities, memory.NewEntity{Name: name})
		q.Answers = append(q.Answers, name)
	}
	set.Questions = append(set.Questions, q)
	for _, half := range set.Halves() {
		if len(half.Gone) == 0 || len(half.Questions) > 0 {
			t.Errorf("%d entities are gone, and there are the questions %v", len(half.Gone), half.Questions)
		}
	}
}

func TestUnrelatedQuestionsAreSound(t *testing.T) {
	questions, err := evaluation.Unrelated()
	if err != nil {
		t.Fatal(err)
	}
	notes, err := evaluation.Notes(0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, q := range notes.Questions {
		seen[plain(q.Text)] = true
	}
	kinds := map[string]int{}
	for _, q := range questions {
		kinds[q.Kind]++
		if len(q.Answers) > 0 || seen[plain(q.Text)] {
			t.Errorf("question %s has answers or is asked twice", q.ID)
		}
		seen[plain(q.Text)] = true
	}
	if off, none := kinds[evaluation.OffTopic], kinds[evaluation.Nonsense]; off < 20 || none < 15 || off+none != len(questions) {
		t.Errorf("questions of each kind: %v", kinds)
	}
}
