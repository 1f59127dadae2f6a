package words_test

import (
	"slices"

	"mcp-memory/internal/words"
)

// finds reports whether a text holds every word of a question.
func finds(text, question string) bool {
	terms := words.Terms(text)
	list := words.Query(question)
	for _, w := range list {
		if !slices.ContainsFunc(w.Variants, func(v string) bool { return slices.Contains(terms, v) }) {
			return false
		}
	}
	return len(list) > 0
}

// sentences hold one word more, in each language.
//
//nolint:misspell // other languages
var sentences = map[string]string{
	"English":    "we have been told about the %s that they were using",
	"Spanish":    "nos hablaron de %s y no sabemos cuándo se hizo",
	"Portuguese": "eles não falaram sobre %s até que você viesse",
	"French":     "nous avons parlé de %s avec les autres",
	"German":     "wir haben über %s mit den anderen gesprochen",
	"Italian":    "abbiamo parlato della %s con gli altri che sono qui",
	"Russian":    "мы говорили о %s и не знали",
	"Arabic":     "تحدثنا عن %s في هذا",
}
