package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/words"
)

// alphabet is short, so that random texts have substrings in common, and holds
// what SQL, FTS5 or its tokenizers could take for something else.
var alphabet = []string{
	"a", "b", "x\u0301", "\u00fc", " ", "\"", "'", "%", "_", "*", "\\", "(", "\u001f", "\n", "\u4eac", "\u90fd", "\u30eb",
	"\u0e14\u0e2d", "\u0928\u092e\u0938\u094d", "\U0001f600", "\u0301", "\ufffd", "\ufffe", "\uffff", "1", "AND", "\x00", "\xff", "\xed\xa0\x80",
}

func randomText(random *rand.Rand, length int) string {
	var b strings.Builder
	for range length {
		b.WriteString(alphabet[min(random.IntN(len(alphabet)), random.IntN(len(alphabet)))])
	}
	return b.String()
}

// TestContainingEqualsComparison compares the answers of the index with those
// of a plain comparison, for every kind of text and length.
func TestContainingEqualsComparison(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	random := rand.New(rand.NewPCG(1, 2))
	plain := strings.NewReplacer("\x1f", " ", "\x00", " ") // those two cannot be told apart from a blank
	var texts []string
	for i := range 60 {
		text := randomText(random, 1+random.IntN(60))
		if i == 0 {
			text = strings.Repeat(randomText(random, 500), 10)
		}
		texts = append(texts, plain.Replace(fold.Text(text)))
		add(t, db, string(rune(0x5000+i)), text) // a name that no needle is part of
	}
	for i := range 1000 {
		needle := fold.Text(randomText(random, 1+random.IntN(6)))
		if i%3 == 0 { // a part of a text
			chars := []rune(texts[random.IntN(len(texts))])
			at := random.IntN(len(chars))
			needle = string(chars[at:min(len(chars), at+1+random.IntN(2_000))])
		}
		want := []int64{}
		for i, text := range texts {
			if strings.Contains(text, plain.Replace(needle)) {
				want = append(want, int64(i+1))
			}
		}
		err := db.View(t.Context(), func(r memory.Reader) error {
			got, total, err := r.Containing(t.Context(), needle, 100, 0)
			equal(t, fmt.Sprintf("found for %q", needle), got, want)
			equal(t, "total", total, len(want))
			return err
		})
		if err != nil {
			t.Fatalf("Containing(%q): %v", needle, err)
		}
	}
}

// Every term that words gives comes out of the index as it went in.
func TestTermsStayWhole(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	texts := []string{
		"getUserName foo-bar 1.2.3 \u00bd x\u00b2 C++ caf\u00e9 na\u00efve", "\u0e14\u0e2d\u0e01\u0e44\u0e21\u0e49\u0e2a\u0e27\u0e22\u0e07\u0e32\u0e21",
		"\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e \u0967\u0968\u0969", "\u6771\u4eac\u30bf\u30ef\u30fc\u306f\u9ad8\u3044 \ud55c\uad6d\uc5b4",
		"\u041c\u043e\u0441\u043a\u0432\u0430 \u0391\u03b8\u03ae\u03bd\u03b1 \u05e9\u05dc\u05d5\u05dd \u0645\u062d\u0645\u062f \u10d7\u10d1\u10d8\u10da\u10d8\u10e1\u10d8 \U00020000\U0002a700 \U0001e900\U0001e922",
		strings.Repeat("long", 40),
	}
	for i, text := range texts {
		add(t, db, "name "+string(rune('A'+i)), text)
		for _, term := range words.Terms(text) {
			err := db.View(t.Context(), func(r memory.Reader) error {
				counts, err := r.TermCounts(t.Context(), []string{term})
				if counts.Holding[term] == 0 {
					t.Errorf("term %q of %q is not in the index", term, text)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	repaired, err := db.CheckText(t.Context())
	equal(t, "to repair", repaired, 0)
	if err != nil {
		t.Error(err)
	}
}
