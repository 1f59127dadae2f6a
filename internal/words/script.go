package words

import "unicode"

// script is how characters make words, and words terms.
type script uint8

const (
	separator script = iota // no part of a word
	mark                    // belongs to the character before
	digit                   // belongs to the letters around, of whatever alphabet
	latin
	cyrillic
	arabic
	unspaced // written without blanks between words, or with particles glued to them
	other
)

// withoutBlanks are the scripts that are written as unspaced says.
var withoutBlanks = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// scriptOf returns the script of a character of a text in normal form.
func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		return asciiScripts[r]
	case r <= 0x24f && r >= 0xc0 && r != '×' && r != '÷':
		return latin // here and below: blocks of one script, faster than by table
	case r >= 0x400 && r <= 0x481:
		return cyrillic
	case r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa:
		return unspaced
	case r >= 0xe01 && r <= 0xe30 || r >= 0xe40 && r <= 0xe46:
		return unspaced
	case unicode.Is(unicode.M, r):
		return mark
	case !unicode.In(r, unicode.L, unicode.N):
		return separator
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.Is(unicode.Arabic, r):
		return arabic
	case r == 'ー' || unicode.In(r, withoutBlanks...): // both kana share the long vowel mark
		return unspaced
	case unicode.Is(unicode.N, r):
		return digit
	}
	return other
}

var asciiScripts = func() (table [0x80]script) {
	for r := range table {
		switch {
		case 'a' <= r|0x20 && r|0x20 <= 'z':
			table[r] = latin
		case '0' <= r && r <= '9':
			table[r] = digit
		}
	}
	return table
}()

// with returns the script of a word of script s after a character of script t,
// and false where a word ends between them: at an unspaced script, so that a
// name glued to Chinese text is a word of its own, and between alphabets that
// are stemmed otherwise.
func (s script) with(t script) (script, bool) {
	switch {
	case s == t || t == mark:
		return s, true
	case s == mark:
		return t, true
	case s == unspaced || t == unspaced:
		return 0, false
	case t == digit:
		return s, true
	case s == digit:
		return t, true
	case s == other || t == other:
		return other, true
	}
	return 0, false
}
