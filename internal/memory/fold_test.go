package memory_test

import (
	"testing"

	"pgregory.net/rapid"

	"mcp-memory/internal/memory"
)

func TestFold(t *testing.T) {
	same := [][]string{
		{"canción", "CANCIÓN", "CANCION", "cancio\u0301n"},
		{"ñandú", "Nandu"},
		{"Straße", "STRASSE"},
		{"ＮＡＳ", "nas"},
		{"ΟΔΌΣ", "οδός", "οδοσ"},
		{"ёлка", "ЕЛКА"},
		{"İstanbul", "istanbul"},
		{"ﬁn", "FIN"},
		{"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"},
		{"كِتاب", "كتاب"},
	}
	for _, spellings := range same {
		for _, s := range spellings[1:] {
			if got, want := memory.Fold(s), memory.Fold(spellings[0]); got != want {
				t.Errorf("Fold(%q) = %q, want %q as for %q", s, got, want, spellings[0])
			}
		}
	}
	different := [][2]string{
		{"か", "が"},      // voicing tells kana apart
		{"ก่", "ก"},     // Thai tone marks stay
		{"कि", "क"},     // so do Devanagari vowels
		{"a b", "a  b"}, // blanks are text
		{"100%", "100"},
	}
	for _, pair := range different {
		if memory.Fold(pair[0]) == memory.Fold(pair[1]) {
			t.Errorf("Fold(%q) = Fold(%q) = %q, want them to differ", pair[0], pair[1], memory.Fold(pair[0]))
		}
	}
}

func TestFoldIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if once := memory.Fold(s); memory.Fold(once) != once {
			t.Fatalf("Fold(%q) = %q, and again %q", s, once, memory.Fold(once))
		}
	})
}

func TestCanonicalName(t *testing.T) {
	for in, want := range map[string]string{
		" Orion\t":    "Orion",
		"cafe\u0301":  "café",
		"\u00a0a b\n": "a b",
		"a\tb":        "a\tb",
	} {
		if got := memory.CanonicalName(in); got != want {
			t.Errorf("CanonicalName(%q) = %q, want %q", in, got, want)
		}
	}
}
