package passage_test

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/internal/passage"
)

// counter counts each text by itself.
func counter(count func(string) int) passage.Counter {
	return func(texts []string) ([]int, error) {
		counts := make([]int, len(texts))
		for i, s := range texts {
			counts[i] = count(s)
		}
		return counts, nil
	}
}

// words stands in for a tokenizer: a token for every four characters of a word.
func words(s string) int {
	n := 0
	for word := range strings.FieldsSeq(s) {
		n += (utf8.RuneCountInString(word) + 3) / 4
	}
	return n
}

// text renders e and checks that it keeps to the budget.
func text(t *testing.T, e passage.Entity, count func(string) int, budget int) string {
	t.Helper()
	s, err := passage.Text(e, counter(count), budget)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(s); n > budget {
		t.Errorf("%d tokens, want at most %d: %q", n, budget, s)
	}
	return s
}

func TestText(t *testing.T) {
	rels := []passage.Rel{{Type: "usa", Other: "SQLite"}, {Type: "dirige", Other: "Ana"}}
	for _, c := range []struct {
		name string
		e    passage.Entity
		want string
	}{
		{"empty", passage.Entity{Name: "Vacía", Type: "T"}, "Vacía (T)"},
		{
			"relations without observations",
			passage.Entity{Name: "Vacía", Type: "T", Outgoing: rels},
			"Vacía (T) | Rel: usa → SQLite; dirige → Ana",
		},
		{
			"one observation",
			passage.Entity{Name: "Una", Type: "T", Observations: []string{"sola"}},
			"Una (T) | sola",
		},
		{
			"incoming relations are told apart and come last",
			passage.Entity{Name: "Una", Type: "T", Observations: []string{"sola"}, Outgoing: rels[:1], Incoming: rels[1:]},
			"Una (T) | sola | Rel: usa → SQLite; Ana → dirige",
		},
		{
			"blank observations",
			passage.Entity{Name: "Vacías", Type: "T", Observations: []string{"", " ", ""}},
			"Vacías (T) |  |   | ",
		},
		{
			"separators inside",
			passage.Entity{Name: "Uni", Type: "日本", Observations: []string{"東京", "🚦 semáforo", "a | b"}},
			"Uni (日本) | 東京 | 🚦 semáforo | a | b",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := text(t, c.e, words, passage.Budget); got != c.want {
				t.Errorf("Text = %q, want %q", got, c.want)
			}
		})
	}
}

// TestTextChoosesLikeFirstVersion compares the observations chosen with those
// that the first version of the system chose, by the characters that it
// reckoned with: 455 tokens of 3.57.
func TestTextChoosesLikeFirstVersion(t *testing.T) {
	data, err := os.ReadFile("testdata/selection.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Type   string
		Observations []string
		Relations    [][2]string
		Chosen       []int
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		e := passage.Entity{Name: c.Name, Type: c.Type, Observations: c.Observations}
		want := c.Name + " (" + c.Type + ")"
		for _, i := range c.Chosen {
			want += " | " + c.Observations[i]
		}
		for i, r := range c.Relations {
			e.Outgoing = append(e.Outgoing, passage.Rel{Type: r[0], Other: r[1]})
			if i == 0 {
				want += " | Rel: "
			} else {
				want += "; "
			}
			want += r[0] + " → " + r[1]
		}
		if got := text(t, e, utf8.RuneCountInString, 1624); got != want {
			t.Errorf("%s: got %q, want %q", c.Name, got, want)
		}
	}
}

// numbered makes n observations of that many four-letter words, all distinct.
func numbered(n, length int) []string {
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for j := range length {
			b.WriteString(" x" + strconv.Itoa(100+(i*length+j)%900))
		}
		list[i] = "o" + strconv.Itoa(i) + b.String()
	}
	return list
}

func TestTextPrefersVariedWords(t *testing.T) {
	e := passage.Entity{Name: "N", Type: "T", Observations: numbered(14, 3)}
	e.Observations[3] = "same same same same"
	e.Observations[4] = "many many word word"
	e.Observations[5] = "each word once only"
	e.Observations[6] = "this also once each"
	// Header 2, ends 10·(4+1), and two of the four between at 5 each.
	got := text(t, e, words, 62)
	want := "N (T) | " + strings.Join(append(append(append([]string{}, e.Observations[:3]...), e.Observations[5:7]...), e.Observations[7:]...), " | ")
	if got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
}

func TestTextCutsEndsEvenly(t *testing.T) {
	e := passage.Entity{Name: "N", Type: "T", Observations: numbered(30, 200), Outgoing: []passage.Rel{{Type: "r", Other: "Z"}}}
	e.Observations[1] = "short"
	got := text(t, e, words, 480)
	for i, o := range e.Observations {
		prefix := strings.Join(strings.Fields(o)[:1], " ")
		isEnd := i < 3 || i >= 23
		if held := strings.Contains(got, "| "+prefix+" "); held != isEnd {
			t.Errorf("observation %d present: %v, want %v", i, held, isEnd)
		}
	}
	if !strings.HasSuffix(got, " | Rel: r → Z") {
		t.Errorf("the relation was cut off: %q", got)
	}
	for _, part := range strings.Split(got, " | ")[1:11] {
		if n := words(part); part != "short" && (n < 40 || n > 52) {
			t.Errorf("a share of %d tokens, want about 50: %q", n, part)
		}
		if last := part[strings.LastIndex(part, " ")+1:]; part != "short" && len(last) != 4 {
			t.Errorf("cut inside a word: %q", part)
		}
	}
	if n := words(got); n < 440 {
		t.Errorf("%d tokens used of 480", n)
	}
}

func TestTextKeepsHalfForRelations(t *testing.T) {
	e := passage.Entity{Name: "N", Type: "T", Observations: numbered(40, 20)}
	for i := range 300 {
		e.Outgoing = append(e.Outgoing, passage.Rel{Type: "r", Other: "z" + strconv.Itoa(i)})
	}
	observations, relations, _ := strings.Cut(text(t, e, words, 480), " | Rel: ")
	if n := words(relations); n < 200 || n > 240 {
		t.Errorf("relations take %d tokens, want close to 240", n)
	}
	items := strings.Split(relations, "; ")
	for i, item := range items {
		if want := "r → z" + strconv.Itoa(i); item != want {
			t.Errorf("relation %d = %q, want %q", i, item, want)
		}
	}
	if n := words(observations); n < 200 {
		t.Errorf("observations take %d tokens, want what relations leave", n)
	}

	e.Observations = nil
	_, relations, _ = strings.Cut(text(t, e, words, 480), " | Rel: ")
	if n := words(relations); n < 450 {
		t.Errorf("without observations, relations take %d tokens, want most of 480", n)
	}
}

func TestTextKeepsBeginningsOfLongNames(t *testing.T) {
	e := passage.Entity{
		Name: strings.Repeat("名", 2000), Type: strings.Repeat("型", 2000), Observations: []string{"one two three"},
		Outgoing: []passage.Rel{{Type: "r", Other: strings.Repeat("z", 2000)}},
	}
	got := text(t, e, utf8.RuneCountInString, 480)
	parts := strings.Split(got, " | ")
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "名名名") || parts[1] != "one two three" || !strings.HasPrefix(parts[2], "Rel: r → zzz") {
		t.Errorf("Text = %q, want something of each part", got)
	}
	if n := utf8.RuneCountInString(got); n < 400 {
		t.Errorf("%d tokens used of 480", n)
	}
}

func TestTextCountsWhatMattersOnly(t *testing.T) {
	e := passage.Entity{Name: "N", Type: "T", Observations: append(numbered(20_000, 3), strings.Repeat("x", 1_000_000))}
	calls, runes := 0, 0
	got, err := passage.Text(e, func(texts []string) ([]int, error) {
		calls++
		for _, s := range texts {
			runes += utf8.RuneCountInString(s)
		}
		return counter(words)(texts)
	}, 480)
	if err != nil {
		t.Fatal(err)
	}
	if calls > 4 || runes > 30_000 {
		t.Errorf("counted %d characters in %d calls", runes, calls)
	}
	if n := words(got); n > 480 || n < 400 {
		t.Errorf("%d tokens used of 480", n)
	}
}

func TestTextReportsCounterErrors(t *testing.T) {
	broken := errors.New("no tokenizer")
	if _, err := passage.Text(passage.Entity{Name: "N"}, func([]string) ([]int, error) { return nil, broken }, 480); !errors.Is(err, broken) {
		t.Errorf("error = %v, want %v", err, broken)
	}
	if _, err := passage.Text(passage.Entity{Name: "N"}, func([]string) ([]int, error) { return []int{1}, nil }, 480); err == nil {
		t.Error("too few counts gave no error")
	}
}

func TestLexicalDiversity(t *testing.T) {
	for _, c := range []struct {
		s    string
		want float64
	}{
		{"", 0},
		{"   ", 0},
		{"¿¡!", 0},
		{"uno", 1},
		{"uno uno", 0.5},
		{"Uno uno DOS", 0.6666666666666666},
		{"uno-dos uno_dos", 1},
		{"a.b.c a", 0.75},
		{"ñandú Ñandú", 0.5},
		{"東京 東京", 0.5},
		{"x1 x1 2", 0.6666666666666666},
		{"don't dont", 1},
	} {
		if got := passage.LexicalDiversity(c.s); got != c.want {
			t.Errorf("LexicalDiversity(%q) = %v, want %v", c.s, got, c.want)
		}
	}
}

func TestHash(t *testing.T) {
	base := passage.Entity{
		Name: "N", Type: "T", Observations: []string{"a", "b"},
		Outgoing: []passage.Rel{{Type: "r", Other: "Z"}}, Incoming: []passage.Rel{{Type: "s", Other: "Y"}},
	}
	hash := passage.Hash(base)
	if copied := base; passage.Hash(copied) != hash || len(hash) != 64 {
		t.Fatalf("Hash = %q, want the same 64 digits each time", hash)
	}
	for name, change := range map[string]func(e *passage.Entity){
		"name":                    func(e *passage.Entity) { e.Name = "M" },
		"type":                    func(e *passage.Entity) { e.Type = "U" },
		"observation":             func(e *passage.Entity) { e.Observations = []string{"a", "c"} },
		"order":                   func(e *passage.Entity) { e.Observations = []string{"b", "a"} },
		"joined observations":     func(e *passage.Entity) { e.Observations = []string{"a | b"} },
		"moved border":            func(e *passage.Entity) { e.Name, e.Type = "NT", "" },
		"direction":               func(e *passage.Entity) { e.Outgoing, e.Incoming = e.Incoming, e.Outgoing },
		"all relations outgoing":  func(e *passage.Entity) { e.Outgoing, e.Incoming = append(e.Outgoing, e.Incoming...), nil },
		"long text's far end":     func(e *passage.Entity) { e.Observations = []string{"a", "b" + strings.Repeat(" x", 10_000)} },
		"relation type and other": func(e *passage.Entity) { e.Outgoing = []passage.Rel{{Type: "Z", Other: "r"}} },
	} {
		e := base
		change(&e)
		if passage.Hash(e) == hash {
			t.Errorf("a changed %s left the hash as it was", name)
		}
	}
}
