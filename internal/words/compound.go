package words

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxParts bounds the parts of a compound that is a term as a whole: more are
// no name, but a table or encoded data.
const maxParts = 8

// piece is what lies between the hyphens, underscores, points and changes of
// script of a chunk.
type piece struct {
	text   string
	script script
	joint  joint
}

// joint is what joins a piece to the one before.
type joint uint8

const (
	none joint = iota
	point
	hyphen // or underscore
)

// addCompounds adds the tokens of a chunk that is more than one word.
func (ts *tokens) addCompounds(chunk string) {
	for compound := range groups(piecesOf(chunk), none) {
		numbers := slices.Collect(groups(compound, hyphen))
		if len(numbers) > 1 && len(compound) <= maxParts {
			ts.list = append(ts.list, wholeOf(compound))
		}
		for _, n := range numbers {
			ts.addNumber(n, len(numbers) > 1)
		}
	}
}

// groups cuts pieces where the joint between them is at.
func groups(pieces []piece, at joint) iter.Seq[[]piece] {
	return func(yield func([]piece) bool) {
		start := 0
		for i := range pieces {
			if i > start && pieces[i].joint == at {
				if !yield(pieces[start:i]) {
					return
				}
				start = i
			}
		}
		yield(pieces[start:])
	}
}

func piecesOf(chunk string) []piece {
	var pieces []piece
	start, s, joined := 0, separator, none
	cut := func(i int) { pieces = append(pieces, piece{chunk[start:i], s, joined}) }
	for i, r := range chunk {
		now := scriptOf(r)
		next, one := s.with(now)
		switch {
		case now == separator:
			cut(i)
			start, s, joined = i+1, separator, jointOf(r)
		case s == separator:
			s = now
			if now == unspaced {
				joined = none
			}
		case one:
			s = next
		default:
			cut(i)
			start, s, joined = i, now, none
		}
	}
	cut(len(chunk))
	for i := range pieces[1:] { // what follows an unspaced script stands for itself
		if pieces[i].script == unspaced {
			pieces[i+1].joint = none
		}
	}
	return pieces
}

func jointOf(r rune) joint {
	if r == '.' || r == ',' {
		return point
	}
	return hyphen
}

// wholeOf returns pieces as one word.
func wholeOf(pieces []piece) token {
	var b strings.Builder
	s := pieces[0].script
	for _, p := range pieces {
		b.WriteString(p.text)
		if next, one := s.with(p.script); one {
			s = next
		} else {
			s = other
		}
	}
	return token{text: b.String(), script: s, compound: true}
}

// addNumber adds a word, or a number with points and its parts.
func (ts *tokens) addNumber(pieces []piece, compound bool) {
	several := len(pieces) > 1
	if several && len(pieces) <= maxParts {
		whole := wholeOf(pieces)
		whole.version = true
		ts.list = append(ts.list, whole)
	}
	for i, p := range pieces {
		ts.addName(token{p.text, p.script, compound || several, several && i == 0})
	}
}

// addName adds a word, and if it is a name in camel case, its parts.
func (ts *tokens) addName(t token) {
	parts := camelParts(t.text)
	several := len(parts) > 1 && len(parts) <= maxParts
	t.compound = t.compound || several
	ts.list = append(ts.list, t)
	if !several {
		return
	}
	for _, part := range parts {
		ts.list = append(ts.list, token{part, t.script, true, false})
	}
}

// camelParts cuts getHTTPServer into get, HTTP and Server. A plural s stays
// with its capitals (URLs).
func camelParts(s string) []string {
	var parts []string
	start := 0
	before := rune(0)
	for i, r := range s {
		if i > start && unicode.IsUpper(r) {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if unicode.IsLower(before) || unicode.IsLower(next) && s[i+utf8.RuneLen(r):] != "s" {
				parts = append(parts, s[start:i])
				start = i
			}
		}
		before = r
	}
	return append(parts, s[start:])
}
