package words

import (
	"strings"
	"unicode/utf8"
)

// ending is an ending that stemmers get wrong: written without accents but out
// of habit, or a plural that they would not bring to the singular's stem.
type ending struct {
	from, to string
	shortest int // the characters of the shortest word that it is the ending of
}

var endings = map[language][]ending{
	spanish: {
		{"ion", "ión", 5},
		{"dades", "dad", 6}, // the stemmer has ciudad as ciud-ad and ciudades as ciudad-es
	},
	portuguese: {
		{"cao", "ção", 4},
		{"ções", "ção", 5},
		{"coes", "ção", 5},
		{"ao", "ão", 3},
		{"ões", "ão", 4},
		{"oes", "ão", 5},
		{"encia", "ência", 6},
		{"encias", "ências", 7},
		{"ais", "al", 6},
		{"avel", "ável", 6},
		{"ivel", "ível", 6},
		{"áveis", "ável", 6},
		{"íveis", "ível", 6},
		{"aveis", "ável", 6},
		{"iveis", "ível", 6},
	},
}

// respelt returns a word in lower case as the stemmer of its language knows it.
func respelt(word string, lang language) string {
	for _, e := range endings[lang] {
		if stem, ok := strings.CutSuffix(word, e.from); ok && utf8.RuneCountInString(word) >= e.shortest {
			return stem + e.to
		}
	}
	switch lang {
	case spanish:
		return shortSingular(word)
	case arabicText:
		return withoutAnd(word)
	}
	return word
}

// shortSingular returns the singular of años and días, which are too short for
// the stemmer to take endings off.
func shortSingular(word string) string {
	if utf8.RuneCountInString(word) == 4 && word != "dios" && (strings.HasSuffix(word, "as") || strings.HasSuffix(word, "os")) {
		return word[:len(word)-1]
	}
	return word
}

// withoutAnd takes "and" off an Arabic word with an article, where the stemmer
// takes it for a part of the word.
func withoutAnd(word string) string {
	for _, and := range []string{"و", "ف"} {
		if rest, ok := strings.CutPrefix(word, and); ok && strings.HasPrefix(rest, "ال") && utf8.RuneCountInString(rest) >= 5 {
			return rest
		}
	}
	return word
}
