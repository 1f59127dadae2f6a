package memory

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/passage"
	"mcp-memory/internal/words"
)

const (
	// matchLength is how many characters of what matched a result shows.
	matchLength = 240
	// stretch is how long the parts are by which a text is searched for the place
	// to show, in characters.
	stretch = matchLength / 4
)

// matcher finds what in a text matched a query.
type matcher struct {
	wanted map[string]held // variants of the query's words
}

// held is a set of a query's words, which are 64 at most: a bit each.
type held uint64

func (h held) count() int { return bits.OnesCount64(uint64(h)) }

func newMatcher(query []words.Word) matcher {
	m := matcher{wanted: map[string]held{}}
	for i, w := range query {
		for _, v := range w.Variants {
			m.wanted[v] = 1 << i
		}
	}
	return m
}

// match returns the observation in a window that holds most of the query's
// words, or all of the window where none does, cut around the words.
func (m matcher) match(e Entity, w passage.Window) string {
	var best searched
	if w.First >= 0 && w.Last > w.First && w.Last < len(e.Observations) {
		for _, o := range e.Observations[w.First : w.Last+1] {
			if len(o) > len(w.Body) {
				continue // the window holds but a piece of it
			}
			if s := m.search(o); s.all.count() > best.all.count() {
				best = s
			}
		}
	}
	if best.all == 0 {
		best = m.search(w.Body)
	}
	return best.cut()
}

// searched is a text in stretches, with the words of the query that each holds.
type searched struct {
	stretches []string
	held      []held
	all       held
}

func (m matcher) search(text string) searched {
	s := searched{stretches: stretchesOf(text)}
	s.held = make([]held, len(s.stretches))
	for i, terms := range words.TermsOfPieces(s.stretches) {
		for _, term := range terms {
			s.held[i] |= m.wanted[term]
		}
		s.all |= s.held[i]
	}
	return s
}

// stretchesOf cuts a text into pieces that begin with a word, or where there are
// no blanks between words, anywhere.
func stretchesOf(text string) []string {
	var pieces []string
	start, length := 0, 0
	for i, r := range text {
		if length >= stretch && unicode.IsSpace(r) || length >= 2*stretch {
			pieces = append(pieces, text[start:i])
			start, length = i, 0
		}
		length++
	}
	return append(pieces, text[start:])
}

// cut returns matchLength characters of the text, from where most of the query's
// words stand together, and cut at blanks.
func (s searched) cut() string {
	text := strings.Join(s.stretches, "")
	if utf8.RuneCountInString(text) <= matchLength {
		return text
	}
	chars := []rune(text)
	start := s.densest()
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

// densest returns where to begin, in characters, so that most of the query's
// words are shown, with some room in front of the first.
func (s searched) densest() int {
	const shown, lead = 3, stretch / 2 // stretches that fit into matchLength with the lead
	best, most := 0, 0
	at := 0
	for i, text := range s.stretches {
		var together held
		for _, h := range s.held[i:min(i+shown, len(s.held))] {
			together |= h
		}
		if n := together.count(); n > most {
			best, most = at, n
		}
		at += utf8.RuneCountInString(text)
	}
	return max(0, best-lead)
}
