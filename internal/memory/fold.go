package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldVersion names what Fold does; it changes when the same text would fold
// otherwise, also with the version of Unicode.
const FoldVersion = "1/" + norm.Version

// Fold maps a text to the form in which search compares texts: compatibility
// decomposed, without combining marks of alphabets, case folded. "CANCION"
// and "canción" fold alike, and so do full-width and plain letters. Marks of
// scripts in which they are letters of their own (Thai vowels, Devanagari)
// stay.
func Fold(s string) string {
	if folded, ok := foldASCII(s); ok {
		return folded
	}
	decomposed := norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(decomposed))
	for _, r := range decomposed {
		if !isAccent(r) {
			b.WriteRune(r)
		}
	}
	// Folding alone swaps the cases of Cherokee; lower case settles them.
	return norm.NFC.String(strings.ToLower(cases.Fold().String(b.String())))
}

// foldASCII is Fold for texts of ASCII alone, which most are in part.
func foldASCII(s string) (string, bool) {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return "", false
		}
	}
	return strings.ToLower(s), true
}

// isAccent reports whether r is a mark that alphabets put on letters.
func isAccent(r rune) bool {
	if r == '\u3099' || r == '\u309a' { // kana voicing marks tell letters apart
		return false
	}
	return unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic, unicode.Greek)
}
