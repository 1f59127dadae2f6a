package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxTerms bounds the words and fragments of one query.
const maxTerms = 64

// terms is what a text search looks for when the whole query is nowhere a
// substring.
type terms struct {
	words     []string // letters, digits and marks; each once, in order
	fragments []string // folded pairs of characters, for scripts without blanks
}

// termsOf cuts a query into words and, where its script puts no blanks between
// words, into pairs of neighbouring characters.
func termsOf(query string) terms {
	var t terms
	seen := map[string]bool{}
	add := func(list *[]string, s string) {
		if s != "" && !seen[s] && len(*list) < maxTerms {
			seen[s] = true
			*list = append(*list, s)
		}
	}
	isSeparator := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) }
	for word := range strings.FieldsFuncSeq(norm.NFC.String(query), isSeparator) {
		for run, unspaced := range scriptRuns(word) {
			if !unspaced {
				add(&t.words, strings.ToLower(run))
				continue
			}
			for _, pair := range pairs([]rune(Fold(run))) {
				add(&t.fragments, pair)
			}
		}
	}
	return t
}

// scriptRuns cuts a word where a script without blanks begins or ends, so that
// a name glued to Chinese text is a word of its own.
func scriptRuns(word string) func(yield func(run string, unspaced bool) bool) {
	return func(yield func(string, bool) bool) {
		start, unspaced := 0, false
		for i, r := range word {
			if now := isUnspaced(r); now != unspaced && !unicode.Is(unicode.M, r) {
				if i > start && !yield(word[start:i], unspaced) {
					return
				}
				start, unspaced = i, now
			}
		}
		if start < len(word) {
			yield(word[start:], unspaced)
		}
	}
}

// isUnspaced reports whether r belongs to a script that writes words without
// blanks between them, or glues particles to them as Korean does.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// pairs returns the pairs of neighbours, or the only one there is.
func pairs(chars []rune) []string {
	if len(chars) == 1 {
		return []string{string(chars)}
	}
	list := make([]string, 0, len(chars))
	for i := 1; i < len(chars); i++ {
		list = append(list, string(chars[i-1:i+1]))
	}
	return list
}
