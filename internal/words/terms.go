package words

import (
	"unicode"

	"mcp-memory/internal/fold"
)

// FormatVersion names what Terms does; it changes when the same text would
// give other terms, also with the version of Unicode or of the stemmers.
const FormatVersion = "1/" + fold.Version + "/" + unicode.Version + "/snowballstem-" + stemmersVersion

// maxRunes bounds one term.
const maxRunes = 64

// Terms returns the index terms of a text, in order, repeated as often as they
// occur.
func Terms(text string) []string {
	tokens := tokensOf(text)
	defer tokens.release()
	stems := acquireStemmer()
	defer stems.release()
	lang := languageOf(tokens.list)
	terms := make([]string, 0, expectedTerms(tokens.list))
	for _, t := range tokens.list {
		if t.script == unspaced {
			terms = appendCharacters(terms, t.text)
		} else if term := stems.term(t, lang); term != "" {
			terms = append(terms, term)
		}
	}
	return terms
}

// expectedTerms estimates how many terms tokens make.
func expectedTerms(list []token) int {
	n := len(list)
	for _, t := range list {
		if t.script == unspaced {
			n += len(t.text) * 2 / 3 // two a character, and that of three bytes
		}
	}
	return n
}
