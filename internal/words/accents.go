package words

import (
	"iter"
	"strings"
)

// Stemmers know endings by their accents (decidió is decid-ió, and edificio is
// edifici-o), which people leave out. Endings that are always accented get their
// accents back before stemming (endings); for others, a question looks for the
// stems of each accented spelling there may be (accentedSpellings).

// accents are the accented letters of the endings that stemmers know.
var accents = map[language]map[byte][]string{
	spanish:    {'a': {"á"}, 'e': {"é"}, 'i': {"í"}, 'o': {"ó"}, 'u': {"ú"}},
	portuguese: {'a': {"á", "ã", "â"}, 'e': {"é", "ê"}, 'i': {"í"}, 'o': {"ó", "õ"}, 'u': {"ú"}},
	french:     {'e': {"é", "è"}},
	italian:    {'a': {"à"}, 'e': {"è"}, 'i': {"ì"}, 'o': {"ò"}, 'u': {"ù"}},
}

// accentedVowels is how far from the end endings have accents, in vowels that
// may have them.
const accentedVowels = 3

// accentedSpellings yields the spellings of a word without accents that have
// one accent in the ending.
func accentedSpellings(word string, lang language) iter.Seq[string] {
	return func(yield func(string) bool) {
		n := 0
		for i := len(word) - 1; i >= 0 && n < accentedVowels; i-- {
			list, ok := accents[lang][word[i]]
			if !ok {
				continue
			}
			for _, letter := range list {
				if !yield(word[:i] + letter + word[i+1:]) {
					return
				}
			}
			n++
		}
	}
}

// German umlauts are also written as two letters; folded they are one.
var (
	umlautsAsTwo = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")
	umlautsAsOne = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
)
