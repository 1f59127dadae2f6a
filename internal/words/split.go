package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word as it is written, or a run of an unspaced script.
type token struct {
	text     string
	script   script
	compound bool // a compound or a part of one
	version  bool // a number with points or the first part of one
}

// tokens are those of one text, in order: a compound before its parts.
type tokens struct{ list []token }

var tokenPool = sync.Pool{New: func() any { return new(tokens) }}

// maxKept bounds the tokens for which memory is kept.
const maxKept = 1 << 14

// tokensOf cuts a text into tokens. The caller releases them.
func tokensOf(text string) *tokens {
	ts := acquireTokens()
	ts.split(normal(text))
	return ts
}

func acquireTokens() *tokens { return tokenPool.Get().(*tokens) }

func (ts *tokens) release() {
	if cap(ts.list) > maxKept {
		return
	}
	clear(ts.list[:cap(ts.list)])
	ts.list = ts.list[:0]
	tokenPool.Put(ts)
}

// normal returns a text in compatibility composition, with the digits of all
// scripts as those of ASCII and without what is invisible inside words.
func normal(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			composed := norm.NFKC.String(text)
			mapped := strings.Map(plain, composed)
			if mapped == composed {
				return mapped
			}
			return norm.NFKC.String(mapped) // what was dropped may have kept marks off
		}
	}
	return text
}

// plain maps a character for normal; negative drops it.
func plain(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r == '\u00ad' || r >= '\u200c' && r <= '\u200f' || r == '\u2060' || r == '\ufeff':
		return -1 // soft hyphen, joiners, directions
	case r == 'ـ':
		return -1 // stretches Arabic words
	case r == '‐':
		return '-'
	case r >= '\u0660' && unicode.Is(unicode.Nd, r):
		return asciiDigit(r)
	}
	return r
}

// asciiDigit returns the digit of the value of r: Unicode has them in tens.
func asciiDigit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// split appends the tokens of a text in normal form.
func (ts *tokens) split(text string) {
	start := -1 // of the chunk that i is in
	var s script
	simple := true // the chunk is one word
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		now := scriptOf(r)
		switch {
		case now == separator && start < 0:
		case now == separator && joins(text, i):
			simple = false
		case now == separator:
			ts.addChunk(text[start:i], s, simple)
			start = -1
		case start < 0:
			start, s, simple = i, now, true
		default:
			next, one := s.with(now)
			simple = simple && one && (now == unspaced || !unicode.IsUpper(r))
			s = next
		}
		i += size
	}
	if start >= 0 {
		ts.addChunk(text[start:], s, simple)
	}
}

// joins reports whether the separator at i makes one compound of the word
// characters before and after it: a hyphen or underscore, and a point or comma
// between digits.
func joins(text string, i int) bool {
	if i+1 == len(text) {
		return false
	}
	switch text[i] {
	case '-', '_':
		next, _ := utf8.DecodeRuneInString(text[i+1:])
		return scriptOf(next) > mark
	case '.', ',':
		return isDigit(text[i-1]) && isDigit(text[i+1])
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (ts *tokens) addChunk(chunk string, s script, simple bool) {
	if simple {
		ts.list = append(ts.list, token{text: chunk, script: s})
		return
	}
	ts.addCompounds(chunk)
}
