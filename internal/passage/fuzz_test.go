package passage_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/internal/passage"
)

// FuzzWindows cuts an entity of any texts: every word of an observation is in a
// window, windows are short, and cutting again cuts the same.
func FuzzWindows(f *testing.F) {
	f.Add("Ana", "Person", "knows Bob. Lives in Lisboa! Why? Because.\n\n- a list\n- of two", "second", "knows", "Bob")
	f.Add("", "", "", "", "", "")
	f.Add("東京", "都市", strings.Repeat("日本の首都は東京です。", 60), "\u0e09\u0e31\u0e19", "→", "; Rel: x | y")
	f.Add(strings.Repeat("n", 600), "t", strings.Repeat("word ", 500), strings.Repeat("x", 3000), "r", strings.Repeat("o", 600))
	f.Add("\xff", "\xf0\x9f", "a\xffb. c", "👩‍👩‍👧", "\u200d", "\u0301")
	f.Fuzz(func(t *testing.T, name, kind, first, second, relation, other string) {
		if len(first)+len(second) > 50_000 {
			t.Skip()
		}
		e := passage.Entity{
			Name: name, Type: kind, Observations: []string{first, second},
			Outgoing: []passage.Rel{{Type: relation, Other: other}}, Incoming: []passage.Rel{{Type: other, Other: relation}},
		}
		windows := passage.Windows(e)
		if len(windows) == 0 {
			t.Fatal("no window")
		}
		held := map[string]bool{}
		valid := utf8.ValidString(name + kind + first + second + relation + other)
		for _, w := range windows {
			if w.First > w.Last || w.First < -1 || w.Last > 1 || (w.First < 0) != (w.Last < 0) {
				t.Fatalf("a window of the observations %d to %d", w.First, w.Last)
			}
			if valid && !utf8.ValidString(w.Text) {
				t.Fatalf("a character is cut: %q", w.Text)
			}
			if n := passage.Tokens(w.Text); n > 300 {
				t.Fatalf("a window of %d tokens: %q", n, w.Text)
			}
			if !strings.HasSuffix(w.Text, w.Body) {
				t.Fatalf("%q does not end in %q", w.Text, w.Body)
			}
			for word := range strings.FieldsSeq(w.Body) {
				held[word] = true
			}
		}
		for _, o := range e.Observations {
			for word := range strings.FieldsSeq(o) {
				if len(word) <= 20 && passage.Tokens(o) <= 40 && !held[word] && plain(word) {
					t.Fatalf("%q of %q is in no window of %+v", word, o, windows)
				}
			}
		}
		if again := passage.Windows(e); len(again) != len(windows) || again[0].Hash() != windows[0].Hash() {
			t.Fatal("cut again, it is cut otherwise")
		}
	})
}

// plain reports whether a word is one of ASCII letters, of which none ends a
// sentence.
func plain(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
}

// FuzzText composes the text of an entity of any texts, within any budget.
func FuzzText(f *testing.F) {
	f.Add("Ana", "Person", "knows Bob|second|third", "knows", "Bob", 480)
	f.Add("", "", "", "", "", 0)
	f.Add(strings.Repeat("n ", 400), "t", strings.Repeat("o|", 40), strings.Repeat("r ", 300), "\xff", 20)
	f.Fuzz(func(t *testing.T, name, kind, observations, relation, other string, budget int) {
		if len(observations) > 20_000 || budget > 2000 {
			t.Skip()
		}
		e := passage.Entity{Name: name, Type: kind, Observations: strings.Split(observations, "|"), Outgoing: []passage.Rel{{Type: relation, Other: other}}}
		got, err := passage.Text(e, counter(utf8.RuneCountInString), budget)
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCountInString(got); n > max(budget, 0) {
			t.Fatalf("%d characters, more than %d", n, budget)
		}
	})
}
