package passage

import (
	"strings"
	"unicode"
)

// LexicalDiversity is the number of distinct words of s over that of all its
// words, whatever their case; 0 if there are none. Words are runs of letters,
// numbers and low lines.
func LexicalDiversity(s string) float64 {
	all := 0
	distinct := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), isNoWord) {
		all++
		distinct[word] = true
	}
	if all == 0 {
		return 0
	}
	return float64(len(distinct)) / float64(all)
}

func isNoWord(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}
