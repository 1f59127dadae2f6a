package evaluation_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/evaluation"
)

// The loader sees to it that ids are unique and answers exist; the rest of what
// makes the notes a fair test is here.
func TestNotesAreSound(t *testing.T) {
	set, err := evaluation.Notes(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Entities) < 80 || len(set.Questions) < 160 {
		t.Errorf("%d entities and %d questions, want 80 and 160 at least", len(set.Entities), len(set.Questions))
	}
	noted := map[string]string{} // names and observations, to the entity
	long := 0
	for _, e := range set.Entities {
		noted[plain(e.Name)] = e.Name
		if e.Type == nil || len(e.Observations) == 0 {
			t.Errorf("%s has no type or no observation", e.Name)
		}
		if len(e.Observations) >= 15 {
			long++
		}
		for _, o := range e.Observations {
			if other, ok := noted[plain(o)]; ok {
				t.Errorf("%s: %q is in %s, too", e.Name, o, other)
			}
			noted[plain(o)] = e.Name
		}
	}
	if long < 5 {
		t.Errorf("%d long entities, want 5 at least", long)
	}

	languages, kinds, asked := map[string]int{}, map[string]int{}, map[string]bool{}
	answered := map[string]bool{}
	for _, q := range set.Questions {
		languages[q.Language]++
		kinds[q.Kind]++
		if asked[plain(q.Text)] {
			t.Errorf("question %s is asked twice: %s", q.ID, q.Text)
		}
		asked[plain(q.Text)] = true
		if of, ok := noted[plain(q.Text)]; ok {
			t.Errorf("question %s is copied from %s: %s", q.ID, of, q.Text)
		}
		if none := len(q.Answers) == 0; none != (q.Kind == "none") {
			t.Errorf("question %s is of kind %q and has %d answers", q.ID, q.Kind, len(q.Answers))
		}
		for _, name := range q.Answers {
			answered[name] = true
		}
	}
	for _, e := range set.Entities {
		if !answered[e.Name] {
			t.Errorf("no question is answered by %s", e.Name)
		}
	}
	counted := func(what string, counts, least map[string]int) {
		for name, n := range counts {
			if least[name] == 0 || n < least[name] {
				t.Errorf("%d questions of %s %q, want %d at least, and none of an unknown one", n, what, name, least[name])
			}
		}
		if len(counts) != len(least) {
			t.Errorf("questions of each %s: %v, want %v at least", what, counts, least)
		}
	}
	counted("language", languages, map[string]int{"es": 60, "en": 60, "pt": 1, "fr": 1, "de": 1, "zh": 1, "ja": 1, "ru": 1})
	counted("kind", kinds, map[string]int{"same": 50, "cross": 50, "long": 15, "words": 15, "twin": 10, "relation": 10, "none": 15})
}

// plain is a text without what does not make another text of it.
func plain(s string) string {
	return strings.Trim(strings.ToLower(strings.Join(strings.Fields(s), " ")), "¿?!¡. ")
}

func TestNotesCanBeSampled(t *testing.T) {
	set, err := evaluation.Notes(20)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(set.Questions); n < 20 || n > 30 {
		t.Errorf("%d questions, want about 20", n)
	}
}
