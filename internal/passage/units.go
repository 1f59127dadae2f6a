package passage

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is what windows are made of: a sentence, or an observation of one.
type unit struct {
	observation int // index
	text        string
	tokens      int
	apart       bool // always begins a window
}

// apartOneIn is of how many observations one stands apart: by what it says, so
// that after a change in front of it all windows are as before from there on,
// and keep their vectors.
const apartOneIn = 8

func standsApart(observation string) bool {
	h := fnv.New32a()
	h.Write([]byte(observation))
	return h.Sum32()%apartOneIn == 0
}

// unitsOf cuts observations into sentences, and those that are too long where
// a word ends.
func unitsOf(observations []string) []unit {
	var units []unit
	for i, o := range observations {
		apart := standsApart(o)
		for sentence := range sentences(o) {
			for sentence != "" {
				piece := cutTokens(sentence, windowTokens)
				sentence = strings.TrimSpace(sentence[len(piece):])
				if piece = strings.TrimSpace(piece); piece != "" {
					units = append(units, unit{i, piece, Tokens(piece), apart})
					apart = false
				}
			}
		}
	}
	return units
}

// sentences yields the sentences of a text, without the blanks between them. A
// sentence ends with a line, or with a mark that ends one in some script and,
// unless that script writes none, a blank.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		ended := false // the last character, but for closing marks, ends a sentence
		give := func(end int) bool {
			s := strings.TrimSpace(text[start:end])
			start, ended = end, false
			return s == "" || yield(s)
		}
		for i, r := range text {
			switch {
			case r >= 'a' && r <= 'z': // most of most texts
				ended = false
			case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
				if !give(i) {
					return
				}
			case ended && unicode.IsSpace(r):
				if !give(i) {
					return
				}
			case strings.ContainsRune("。！？｡", r):
				if !give(i + utf8.RuneLen(r)) {
					return
				}
			case strings.ContainsRune(".!?…؟۔।॥", r):
				ended = true
			case ended && strings.ContainsRune(`"'»”’)]`, r):
			default:
				ended = false
			}
		}
		give(len(text))
	}
}

// Tokens estimates how many tokens of the model a text has, without the model:
// within a fifth of the truth for prose in 15 languages and for code, and rather
// too many than too few.
func Tokens(text string) int {
	var m meter
	for _, r := range text {
		m.add(r)
	}
	return m.tokens()
}

// meter adds up the estimate, in hundredths of a token.
type meter struct {
	hundredths int
	inWord     bool // the last character was a letter of an alphabet
}

func (m *meter) tokens() int { return (m.hundredths + 99) / 100 }

func (m *meter) add(r rune) {
	wasInWord := m.inWord
	m.inWord = false
	switch {
	case r < 0x80 && asciiCosts[r] >= 0:
		m.hundredths += int(asciiCosts[r])
	case r < 0x530 && unicode.IsLetter(r): // Latin, Greek, Cyrillic
		m.letter(20, wasInWord)
	case unicode.In(r, unicode.Han):
		m.hundredths += 75
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		m.hundredths += 60
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		m.hundredths += 32
	case unicode.IsLetter(r) || unicode.IsMark(r):
		m.letter(25, wasInWord)
	case unicode.IsDigit(r):
		m.hundredths += 50
	case unicode.IsSpace(r) || unicode.IsControl(r):
	default:
		m.hundredths += 125
	}
}

// letter adds a letter of an alphabet; those that begin a word cost more.
func (m *meter) letter(cost int, wasInWord bool) {
	m.inWord = true
	if !wasInWord {
		cost += 50
	}
	m.hundredths += cost
}

// asciiCosts are the costs of ASCII characters but for letters, which have -1.
var asciiCosts = func() (costs [0x80]int16) {
	for r := range costs {
		switch c := rune(r); {
		case unicode.IsLetter(c):
			costs[r] = -1
		case unicode.IsDigit(c):
			costs[r] = 50
		case unicode.IsSpace(c) || unicode.IsControl(c):
			costs[r] = 0
		default:
			costs[r] = 125
		}
	}
	return costs
}()

// cutTokens returns the beginning of a text that has at most so many tokens by
// estimate, up to the end of a word if one ends in its second half.
func cutTokens(text string, tokens int) string {
	var m meter
	blank := 0
	for i, r := range text {
		m.add(r)
		if m.hundredths > 100*tokens {
			if blank > 0 {
				return text[:blank]
			}
			return text[:i]
		}
		if unicode.IsSpace(r) && m.hundredths > 50*tokens {
			blank = i
		}
	}
	return text
}
