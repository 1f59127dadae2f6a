package fold

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Version names what Text does; it changes when the same text would fold
// otherwise, also with the version of Unicode.
const Version = "2/" + norm.Version

// Text maps a text to the form in which search compares texts: compatibility
// decomposed, without combining marks of alphabets, case folded, and with letters
// that have no decomposition as people write them without (letters). "CANCION"
// and "canción" fold alike, and so do full-width and plain letters. Marks of
// scripts in which they are letters of their own (Thai vowels, Devanagari)
// stay.
func Text(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return text(s, i)
		}
	}
	return strings.ToLower(s)
}

// text is Text for texts that begin with ascii bytes of ASCII.
func text(s string, ascii int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(strings.ToLower(s[:ascii]))
	for _, r := range s[ascii:] {
		if r >= separable {
			return whole(s)
		}
		b.WriteString(folded()[r])
	}
	return b.String()
}

// separable bounds the characters that fold whatever stands next to them:
// those of Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic letters, of
// which all marks go.
const separable = 0x700

// folded holds the separable characters, folded.
var folded = sync.OnceValue(func() []string {
	list := make([]string, separable)
	for r := range list {
		list[r] = whole(string(rune(r)))
	}
	return list
})

// whole is Text for any text.
func whole(s string) string {
	decomposed := norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(decomposed))
	for _, r := range decomposed {
		if !isAccent(r) {
			b.WriteRune(r)
		}
	}
	// Folding alone swaps the cases of Cherokee; lower case settles them.
	return norm.NFC.String(letters.Replace(strings.ToLower(cases.Fold().String(b.String()))))
}

// isAccent reports whether r is a mark that alphabets put on letters.
func isAccent(r rune) bool {
	if r == '\u3099' || r == '\u309a' { // kana voicing marks tell letters apart
		return false
	}
	return unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic, unicode.Greek)
}
