package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/words"
)

func TestQuery(t *testing.T) {
	for question, want := range map[string][]words.Word{
		"":    nil,
		"?!.": nil,
		"¿Qué proyectos decidió?": {
			{Variants: []string{"que"}, Common: true},
			{Variants: []string{"proyect", "proyecto", "proyectos"}},
			{Variants: []string{"decid", "decidio", "decidi"}},
		},
		"the runs, the running and the RUN": {
			{Variants: []string{"the"}, Common: true},
			{Variants: []string{"run", "runs", "running"}},
			{Variants: []string{"and"}, Common: true},
		},
		"会议室":          {{Variants: []string{"会议"}}, {Variants: []string{"议室"}}},
		"书":            {{Variants: []string{"书"}}},
		"где решения":  {{Variants: []string{"где"}, Common: true}, {Variants: []string{"решен"}}},
		"أين الكتاب":   {{Variants: []string{"اين"}, Common: true}, {Variants: []string{"كتاب"}}},
		"since v1.2":   {{Variants: []string{"sinc", "since"}}, {Variants: []string{"v12", "12"}}, {Variants: []string{"v1", "1"}}, {Variants: []string{"2"}}},
		"που το είδες": {{Variants: []string{"που"}}, {Variants: []string{"το"}}, {Variants: []string{"ειδεσ"}}},
	} {
		if diff := cmp.Diff(want, words.Query(question)); diff != "" {
			t.Errorf("Query(%q) (-want +got):\n%s", question, diff)
		}
	}
}

func TestQueryIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "word%d 字%c ", i, 0x4e00+i)
	}
	if got := len(words.Query(b.String())); got != 64 {
		t.Errorf("%d words, want 64", got)
	}
	long := strings.Repeat("ä", 1000)
	if !finds(long, long) {
		t.Error("a word of a thousand letters does not find itself")
	}
	if got := words.Query(strings.Repeat("\u0301", 100) + "1.2"); len(got) == 0 {
		t.Error("marks before a number hide it")
	}
}

func TestLongQueriesKeepBothEnds(t *testing.T) {
	var pasted []string
	for i := range 200 {
		pasted = append(pasted, fmt.Sprintf("filler%d", i))
	}
	text := strings.Join(pasted, " ")
	for _, question := range []string{"skiing zermatt " + text, text + " skiing zermatt"} {
		list := words.Query(question)
		var variants []string
		for _, w := range list {
			variants = append(variants, w.Variants...)
		}
		if len(list) != 64 || !slices.Contains(variants, "zermatt") || !slices.Contains(variants, "filler0") || !slices.Contains(variants, "filler199") {
			t.Errorf("%d words: %q", len(list), variants)
		}
	}
}
