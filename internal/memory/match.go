package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/passage"
	"mcp-memory/internal/words"
)

// matchLength is how many characters of what matched a result shows.
const matchLength = 240

// matcher finds what in a text matched a query.
type matcher struct {
	wanted map[string]int // variants of the query's words, by the word's place
}

func newMatcher(query []words.Word) matcher {
	m := matcher{wanted: map[string]int{}}
	for i, w := range query {
		for _, v := range w.Variants {
			m.wanted[v] = i
		}
	}
	return m
}

// match returns the observation in a window that holds most of the query's
// words, or all of the window where none does, cut around the words.
func (m matcher) match(e Entity, w passage.Window) string {
	best, most := w.Body, 0
	if w.First >= 0 && w.Last > w.First && w.Last < len(e.Observations) {
		for _, o := range e.Observations[w.First : w.Last+1] {
			if len(o) > len(w.Body) {
				continue // the window holds but a piece of it
			}
			if n := m.count(o); n > most {
				best, most = o, n
			}
		}
	}
	return m.cutAround(best)
}

// count counts the distinct words of the query that a text holds.
func (m matcher) count(text string) int {
	held := map[int]bool{}
	for _, term := range words.Terms(text) {
		if i, ok := m.wanted[term]; ok {
			held[i] = true
		}
	}
	return len(held)
}

// cutAround cuts a text to matchLength characters where most of the query's
// words stand together, at blanks.
func (m matcher) cutAround(text string) string {
	if utf8.RuneCountInString(text) <= matchLength {
		return text
	}
	chars := []rune(text)
	start := m.densest(chars)
	end := min(len(chars), start+matchLength)
	start = max(0, end-matchLength)
	piece := chars[start:end]
	prefix, suffix := "", ""
	if start > 0 {
		prefix = "…"
		piece = piece[blankIn(piece[:len(piece)/8]):]
	}
	if end < len(chars) {
		suffix = "…"
		tail := len(piece) - len(piece)/8
		if i := blankIn(piece[tail:]); i > 0 {
			piece = piece[:tail+i]
		}
	}
	return prefix + strings.TrimSpace(string(piece)) + suffix
}

// blankIn is the place of the first blank, or 0.
func blankIn(chars []rune) int {
	for i, r := range chars {
		if unicode.IsSpace(r) {
			return i
		}
	}
	return 0
}

// densest returns where a piece of matchLength characters begins that holds the
// most of the query's words, with some room in front of the first.
func (m matcher) densest(chars []rune) int {
	const step, lead = matchLength / 4, matchLength / 4
	best, most := 0, -1
	for start := 0; start < len(chars); start += step {
		piece := chars[start:min(len(chars), start+matchLength-lead)]
		if n := m.count(string(piece)); n > most {
			best, most = start, n
		}
	}
	if most <= 0 {
		return 0
	}
	return max(0, best-lead/2)
}
