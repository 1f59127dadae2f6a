package fold_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mcp-memory/internal/fold"
)

func TestText(t *testing.T) {
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
		{"Đường", "duong", "ĐƯỜNG"},
		{"Łódź", "LODZ", "lodz"},
		{"żółw", "zolw", "ŻÓŁW"},
		{"ışık", "isik", "IŞIK"},
		{"ılık", "ilik"},
		{"Ærø, Œuvre", "aero, oeuvre", "æro\u0338, œuvre"},
		{"Þórður á Seyðisfirði", "THORDUR A SEYDISFIRDI"},
		{"Ħ Ŧ Ŋ", "h t n"},
		{"Azərbaycan", "AZƏRBAYCAN", "azerbaycan"},
		{"کتابی", "كتابي"},
	}
	for _, spellings := range same {
		for _, s := range spellings[1:] {
			if got, want := fold.Text(s), fold.Text(spellings[0]); got != want {
				t.Errorf("Text(%q) = %q, want %q as for %q", s, got, want, spellings[0])
			}
		}
	}
	different := [][2]string{
		{"か", "が"},      // voicing tells kana apart
		{"ก่", "ก"},     // Thai tone marks stay
		{"कि", "क"},     // so do Devanagari vowels
		{"a b", "a  b"}, // blanks are text
		{"100%", "100"},
		{"ł", "t"},
	}
	for _, pair := range different {
		if fold.Text(pair[0]) == fold.Text(pair[1]) {
			t.Errorf("Text(%q) = Text(%q) = %q, want them to differ", pair[0], pair[1], fold.Text(pair[0]))
		}
	}
}

func TestTextIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if once := fold.Text(s); fold.Text(once) != once {
			t.Fatalf("Text(%q) = %q, and again %q", s, once, fold.Text(once))
		}
	})
}

// Characters of common alphabets are folded one by one, others with what
// stands around them; a text of both must fold as its parts do.
func TestTextFoldsAlphabetsOneByOne(t *testing.T) {
	letter := rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 0x6ff, Stride: 1}}, LatinOffset: 0})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(letter).Draw(t, "s")
		if got, want := fold.Text(s), strings.TrimSuffix(fold.Text(s+"語"), "語"); got != want {
			t.Fatalf("Text(%q) = %q, and before another character %q", s, got, want)
		}
	})
}

func TestTextOfEachCharacterOfAlphabets(t *testing.T) {
	for r := range rune(0x700) {
		s := "a" + string(r) + "b\u0301"
		if got, want := fold.Text(s), strings.TrimSuffix(fold.Text(s+"語"), "語"); got != want {
			t.Errorf("Text(%q) = %q, and before another character %q", s, got, want)
		}
	}
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("La canción del mar se oyó después. ", 30)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		fold.Text(s)
	}
}
