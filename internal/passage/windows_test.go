package passage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/internal/passage"
)

func texts(windows []passage.Window) []string {
	list := make([]string, len(windows))
	for i, w := range windows {
		list[i] = w.Text
	}
	return list
}

func TestWindowsOfSmallEntities(t *testing.T) {
	for _, c := range []struct {
		name   string
		entity passage.Entity
		want   []string
	}{
		{"nothing but a name", passage.Entity{Name: "Ana", Type: "person"}, []string{"Ana (person)"}},
		{"blank observations", passage.Entity{Name: "Ana", Type: "person", Observations: []string{" ", "\n"}}, []string{"Ana (person)"}},
		{
			"short observations stay together",
			passage.Entity{Name: "Ana", Type: "person", Observations: []string{"likes tea", "vive en Cádiz. Tiene un barco.\nSe llama Nube"}},
			[]string{"Ana (person) | likes tea | vive en Cádiz. Tiene un barco. Se llama Nube"},
		},
		{
			"relations are a passage of their own",
			passage.Entity{
				Name: "Ana", Type: "person", Observations: []string{"likes tea"},
				Outgoing: []passage.Rel{{Type: "leads", Other: "Faro"}}, Incoming: []passage.Rel{{Type: "knows", Other: "Luis"}},
			},
			[]string{"Ana (person) | likes tea", "Ana (person) | Rel: leads → Faro; Luis → knows"},
		},
	} {
		if diff := cmp.Diff(c.want, texts(passage.Windows(c.entity))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestWindowsCutAtSentences(t *testing.T) {
	for name, sentences := range map[string][]string{
		"English":  {`He said "stop." `, "Version 1.2.3 is out! ", "Really?! ", "Yes (see above.) ", "End"},
		"Spanish":  {"¿Quién viene? ", "Viene la Sra. ", "López… ", "Y más."},
		"Chinese":  {"他住在北京。", "她住在上海！", "真的吗？", "是的"},
		"Hindi":    {"वह दिल्ली में रहता है। ", "वह खुश है।"},
		"Arabic":   {"أين تسكن؟ ", "في القاهرة."},
		"of lines": {"one\n", "two\r\n", "three"},
	} {
		// With this many, every window begins and ends with a whole sentence.
		whole := map[string]bool{}
		var b strings.Builder
		for range 60 {
			for _, s := range sentences {
				whole[strings.TrimSpace(s)] = true
				b.WriteString(s)
			}
			b.WriteString("\n")
		}
		windows := passage.Windows(passage.Entity{Name: "N", Type: "T", Observations: []string{b.String()}})
		if len(windows) < 2 {
			t.Errorf("%s: one window", name)
		}
		for _, w := range windows {
			starts, ends := false, false
			for s := range whole {
				starts = starts || strings.HasPrefix(w.Body, s)
				ends = ends || strings.HasSuffix(w.Body, s)
			}
			if !starts || !ends {
				t.Errorf("%s: window %q is cut within a sentence", name, w.Body)
			}
		}
	}
}

func TestTokensIsNearTheTruth(t *testing.T) {
	// The model's own counts.
	for text, tokens := range map[string]int{
		"El tren de la mañana a Toledo sale del andén nueve.":     14,
		"The morning train to Toledo leaves from platform nine.":  12,
		"func (s *Service) Close() error { return s.db.Close() }": 21,
		"Поезд на Толедо отправляется утром с девятой платформы.": 16,
		"早上去托莱多的火车从九号站台出发。":                                       17,
		"รถไฟเช้าไปโทเลโดออกจากชานชาลาที่เก้า":                    13,
	} {
		got := passage.Tokens(text)
		if float64(got) < 0.8*float64(tokens) || float64(got) > 1.6*float64(tokens) {
			t.Errorf("Tokens(%q) = %d, the model has %d", text, got, tokens)
		}
	}
}

// described draws entities with all sorts of text.
func described(t *rapid.T) passage.Entity {
	text := rapid.OneOf(
		rapid.StringMatching(`[a-zé]{1,12}( [a-zé]{1,12}){0,40}[.!?]?`),
		rapid.StringOfN(rapid.RuneFrom([]rune("ab 。.!\n日本語ก็มٌ😀|")), 0, 300, -1),
		rapid.Map(rapid.IntRange(1, 2000), func(n int) string { return strings.Repeat("x", n) }),
	)
	e := passage.Entity{
		Name: text.Draw(t, "name"), Type: rapid.SampledFrom([]string{"", "T", strings.Repeat("long type ", 50)}).Draw(t, "type"),
		Observations: rapid.SliceOfN(text, 0, 12).Draw(t, "observations"),
	}
	for i := range rapid.IntRange(0, 60).Draw(t, "relations") {
		e.Outgoing = append(e.Outgoing, passage.Rel{Type: "knows", Other: fmt.Sprint("Entity ", i)})
	}
	return e
}

func TestWindowsHoldEverything(t *testing.T) {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	rapid.Check(t, func(t *rapid.T) {
		e := described(t)
		windows := passage.Windows(e)
		if len(windows) == 0 {
			t.Fatal("no window")
		}
		held := map[int]string{}
		var relations strings.Builder
		for i, w := range windows {
			if n := passage.Tokens(w.Text); n > 200 {
				t.Errorf("window %d has %d tokens", i, n)
			}
			if !strings.HasSuffix(w.Text, w.Body) || w.First > w.Last {
				t.Errorf("window %d is %+v", i, w)
			}
			for o := max(w.First, 0); o <= w.Last; o++ {
				held[o] += squeeze(w.Body)
			}
			if w.First < 0 {
				relations.WriteString(w.Body + "; ")
			}
		}
		for i, o := range e.Observations {
			for _, line := range strings.FieldsFunc(o, func(r rune) bool { return strings.ContainsRune("\n。.! ", r) }) {
				if !strings.Contains(held[i], squeeze(line)) && len(line) < 80 {
					t.Errorf("%q of observation %d is in none of its windows %q", line, i, held[i])
				}
			}
		}
		for _, r := range e.Outgoing {
			if !strings.Contains(relations.String(), "knows → "+r.Other+";") {
				t.Errorf("relation to %s is in no window", r.Other)
			}
		}
		if diff := cmp.Diff(windows, passage.Windows(e)); diff != "" {
			t.Errorf("cut twice, differently:\n%s", diff)
		}
	})
}

// What is added at the end leaves the windows before it alone, so that they
// need no new vectors; and what changes at the beginning leaves most of those
// after it.
func TestWindowsAreStable(t *testing.T) {
	diary := func(from, to int) []string {
		var list []string
		for day := from; day < to; day++ {
			list = append(list, fmt.Sprintf("Day %d: we walked to place number %d and found %d shells on the beach.", day, day*7, day*13%101))
		}
		return list
	}
	lost := func(before, after []string) (n, of int) {
		known := map[string]bool{}
		for _, w := range passage.Windows(passage.Entity{Name: "Diary", Type: "log", Observations: after}) {
			known[w.Hash()] = true
		}
		windows := passage.Windows(passage.Entity{Name: "Diary", Type: "log", Observations: before})
		for _, w := range windows {
			if !known[w.Hash()] {
				n++
			}
		}
		return n, len(windows)
	}
	for length := 30; length <= 300; length += 30 {
		if n, _ := lost(diary(0, length), diary(0, length+1)); n > 1 {
			t.Errorf("%d days: a day more changes %d windows, want the last one at most", length, n)
		}
		if n, of := lost(diary(0, length), diary(1, length)); n > 12 || length > 200 && n > of/4 {
			t.Errorf("%d days: without the first, %d of %d windows change", length, n, of)
		}
	}
}
