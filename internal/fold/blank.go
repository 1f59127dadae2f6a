package fold

import (
	"strings"
	"unicode"
)

// IsBlank reports whether a text has no character that can be seen: it is empty,
// or has only white space, controls, and characters that shape or part others,
// such as joiners, soft hyphens and byte order marks.
func IsBlank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !isInvisible(r) }) < 0
}

func isInvisible(r rune) bool {
	if r == '\u2800' { // Braille without a dot
		return true
	}
	return unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
