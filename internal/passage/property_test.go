package passage_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcp-memory/internal/passage"
)

// counts are ways to count tokens; the last one has more for a whole than for
// its parts together.
var counts = map[string]func(string) int{
	"words":      words,
	"characters": utf8.RuneCountInString,
	"bytes":      func(s string) int { return len(s) },
	"growing":    func(s string) int { n := words(s); return n + n*n/200 },
}

func entities(t *rapid.T, str *rapid.Generator[string]) passage.Entity {
	rels := func(label string) []passage.Rel {
		list := []passage.Rel{}
		for range rapid.IntRange(0, 30).Draw(t, label) {
			list = append(list, passage.Rel{Type: str.Draw(t, "type"), Other: str.Draw(t, "other")})
		}
		return list
	}
	return passage.Entity{
		Name: str.Draw(t, "name"), Type: str.Draw(t, "entity type"),
		Observations: rapid.SliceOfN(str, 0, 40).Draw(t, "observations"),
		Outgoing:     rels("outgoing"), Incoming: rels("incoming"),
	}
}

func TestTextNeverExceedsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entities(t, rapid.String())
		count := counts[rapid.SampledFrom([]string{"words", "characters", "bytes", "growing"}).Draw(t, "counter")]
		budget := rapid.IntRange(-1, 600).Draw(t, "budget")
		got, err := passage.Text(e, counter(count), budget)
		if err != nil {
			t.Fatal(err)
		}
		if n := count(got); n > max(budget, 0) {
			t.Fatalf("%d tokens, want at most %d", n, budget)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("invalid text %q", got)
		}
		if again, _ := passage.Text(e, counter(count), budget); again != got {
			t.Fatalf("two renderings differ: %q, %q", got, again)
		}
	})
}

// TestTextKeepsOrderEndsAndRelations checks entities of plain words, whose
// text can be taken apart again.
func TestTextKeepsOrderEndsAndRelations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entities(t, rapid.StringMatching(`[a-z]{1,6}( [a-z]{1,6}){0,12}`))
		got, err := passage.Text(e, counter(words), passage.Budget)
		if err != nil {
			t.Fatal(err)
		}
		body, relations, _ := strings.Cut(got, " | Rel: ")
		chosen := strings.Split(body, " | ")[1:]

		cost := 1 // of "Rel:"
		wanted := []string{}
		for _, r := range e.Outgoing {
			wanted = append(wanted, r.Type+" → "+r.Other)
		}
		for _, r := range e.Incoming {
			wanted = append(wanted, r.Other+" → "+r.Type)
		}
		all := strings.Join(wanted, "; ")
		cost += words(all)
		if cost < passage.Budget/2-len(wanted) && relations != all {
			t.Fatalf("relations of %d tokens were cut: %q, want %q", cost, relations, all)
		}
		if !strings.HasPrefix(all, relations) {
			t.Fatalf("relations %q are not the first of %q", relations, all)
		}

		head := min(3, len(e.Observations))
		tail := min(7, len(e.Observations)-head)
		if len(chosen) < head+tail {
			t.Fatalf("%d observations, want at least %d", len(chosen), head+tail)
		}
		for i, o := range e.Observations {
			if i < head {
				checkBeginning(t, chosen[i], o)
			} else if fromEnd := len(e.Observations) - i; fromEnd <= tail {
				checkBeginning(t, chosen[len(chosen)-fromEnd], o)
			}
		}
		next := head
		for _, o := range chosen[head : len(chosen)-tail] {
			for next < len(e.Observations)-tail && e.Observations[next] != o {
				next++
			}
			if next == len(e.Observations)-tail {
				t.Fatalf("%q is out of order or no whole observation", o)
			}
			next++
		}
	})
}

// checkBeginning fails unless got is something of o, from its beginning.
func checkBeginning(t *rapid.T, got, o string) {
	if got == "" || !strings.HasPrefix(o, got) {
		t.Fatalf("%q is not a beginning of %q", got, o)
	}
}
