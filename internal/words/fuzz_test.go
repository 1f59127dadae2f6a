package words_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/words"
)

var seeds = []string{
	"", "a", "La canción decidió ÁRBOLES 1,250.75", "getUserName v1.2.3-rc1 ERR_CONN_RESET foo--bar _x_", "NAS在书房步2 サーバー ﾊﾞﾅﾅ",
	"เครื่องพิมพ์", "학교에 \u1112\u1161\u11ab", "والكتاب كِتاب مكتبة", "за\u0301мок Ёлка", "STRASSE straße ﬁn İstanbul ŉ ǅ", "\u0301\u0301a\u0327\u0301", "\xff\xfea",
	"a\u200db\u00adc\u200c\u0301", "①.② ½ ㎏ ﷺ", "हिन्दी ΟΔΌΣ ꭰᏸ", strings.Repeat("ab", 60), strings.Repeat("\u0e48", 90) + "ก", "0A0,0и \xc3aA0,0 1.2-3.4_x字-y", "été çà où garçons Müller",
}

func FuzzTerms(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms := words.Terms(text)
		for _, term := range terms {
			checkTerm(t, text, term)
		}
		if again := words.Terms(text); !slices.Equal(terms, again) {
			t.Fatalf("Terms(%q) = %q, and again %q", text, terms, again)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		list := words.Query(question)
		if len(list) > 64 {
			t.Fatalf("Query(%q) has %d words", question, len(list))
		}
		first := map[string]bool{}
		for _, w := range list {
			if len(w.Variants) == 0 {
				t.Fatalf("Query(%q) has a word without variants", question)
			}
			if first[w.Variants[0]] {
				t.Fatalf("Query(%q) has %q twice", question, w.Variants[0])
			}
			first[w.Variants[0]] = true
			for i, v := range w.Variants {
				checkTerm(t, question, v)
				if slices.Contains(w.Variants[:i], v) {
					t.Fatalf("Query(%q) has the variant %q twice", question, v)
				}
			}
		}
	})
}

func checkTerm(t *testing.T, text, term string) {
	t.Helper()
	switch {
	case term == "":
		t.Fatalf("%q gives an empty term", text)
	case utf8.RuneCountInString(term) > 64:
		t.Fatalf("%q gives a term of %d characters", text, utf8.RuneCountInString(term))
	case strings.ContainsFunc(term, func(r rune) bool { return !isWordRune(r) }):
		t.Fatalf("%q gives %q, which is no word", text, term)
	case fold.Text(term) != term:
		t.Fatalf("%q gives %q, which is not folded: %q", text, term, fold.Text(term))
	}
}

func isWordRune(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// FuzzEachWordFindsItsText checks what the variants are for: whatever language
// a text is taken to be in, a word of it alone finds it.
func FuzzEachWordFindsItsText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
		for _, sentence := range sentences {
			f.Add(strings.ReplaceAll(sentence, "%s", s))
		}
	}
	// Characters that are invisible inside words are not what this is about.
	visible := strings.NewReplacer("\u00ad", "", "\u200c", "", "\u200d", "", "\u200e", "", "\u200f", "", "\u2060", "", "\ufeff", "", "ـ", "")
	f.Fuzz(func(t *testing.T, text string) {
		text = norm.NFKC.String(visible.Replace(norm.NFKC.String(text)))
		terms := map[string]bool{}
		for _, term := range words.Terms(text) {
			terms[term] = true
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
			for _, w := range words.Query(word) {
				if !slices.ContainsFunc(w.Variants, func(v string) bool { return terms[v] }) {
					t.Fatalf("%q does not find %q: none of %q in %q", word, text, w.Variants, slices.Sorted(maps.Keys(terms)))
				}
			}
		}
	})
}
