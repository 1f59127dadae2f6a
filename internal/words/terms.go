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
func Terms(text string) []string { return TermsOfPieces([]string{text})[0] }

// TermsOfPieces returns the terms of each piece of one text, whose language is
// that of all of them.
func TermsOfPieces(pieces []string) [][]string {
	tokens := acquireTokens()
	defer tokens.release()
	ends := make([]int, len(pieces))
	for i, piece := range pieces {
		tokens.split(normal(piece))
		ends[i] = len(tokens.list)
	}
	stems := acquireStemmer()
	defer stems.release()
	lang := languageOf(tokens.list)
	terms := make([][]string, len(pieces))
	start := 0
	for i, end := range ends {
		terms[i] = stems.terms(tokens.list[start:end], lang)
		start = end
	}
	return terms
}

// terms returns the terms of tokens of a text in lang.
func (s *stemmer) terms(list []token, lang language) []string {
	terms := make([]string, 0, expectedTerms(list))
	for _, t := range list {
		if t.script == unspaced {
			terms = appendCharacters(terms, t.text)
		} else if term := s.term(t, lang); term != "" {
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
