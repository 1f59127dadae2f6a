package words

import (
	"slices"
	"strings"

	"mcp-memory/internal/fold"
)

// inQuestion is a word of a question in a language.
type inQuestion struct {
	token
	language
}

// variants returns the terms that Terms may have made of a token, in a text of
// any language and with or without accents; the first is that of a text in lang.
func (s *stemmer) variants(t token, lang language) []string {
	asked := inQuestion{t, lang}
	list, known := s.asked[asked]
	if !known {
		list = slices.Clip(s.makeVariants(t, lang))
		if len(s.asked) >= maxAsked {
			clear(s.asked)
		}
		asked.text = strings.Clone(t.text)
		s.asked[asked] = list
	}
	return list
}

func (s *stemmer) makeVariants(t token, lang language) []string {
	v := variants{stemmer: s}
	v.add(s.term(t, lang))
	word := cut(t.text)
	switch t.script {
	case latin:
		v.addLatin(t, lower(word, lang), lang)
	case arabic:
		v.addArabic(lower(word, arabicText))
	}
	if t.version && len(v.list) > 0 {
		v.addVersion(v.list[0])
	}
	return v.list
}

type variants struct {
	*stemmer
	list []string
}

func (v *variants) add(term string) {
	if term != "" && !slices.Contains(v.list, term) {
		v.list = append(v.list, term)
	}
}

// addLatin adds the terms of a word in each language as it is written, then
// those of its other spellings: without its accents, or with some.
func (v *variants) addLatin(t token, word string, lang language) {
	languages := []language{lang}
	for l := range latinLanguages {
		if l != lang {
			languages = append(languages, l)
		}
	}
	for _, l := range languages {
		v.add(v.term(t, l))
	}
	folded := fold.Text(word)
	for _, l := range languages {
		if folded != word {
			v.add(v.stem(folded, l))
			continue
		}
		for spelling := range accentedSpellings(word, l) {
			v.add(v.stem(spelling, l))
		}
	}
	v.addUmlauts(word, lang)
}

// addUmlauts adds the terms of a German word with umlauts as two letters, or of
// one that seems to have them so, without.
func (v *variants) addUmlauts(word string, lang language) {
	if spelling := umlautsAsTwo.Replace(word); spelling != word {
		v.add(v.stem(spelling, german))
	}
	if spelling := umlautsAsOne.Replace(word); lang == german && spelling != word {
		v.add(v.stem(spelling, german))
	}
}

// addArabic adds the terms of a word with the endings that are interchanged.
func (v *variants) addArabic(word string) {
	for _, pair := range [][2]string{{"ة", "ه"}, {"ه", "ة"}, {"ى", "ي"}, {"ي", "ى"}} {
		if stem, ok := strings.CutSuffix(fold.Text(word), pair[0]); ok {
			v.add(v.stem(stem+pair[1], arabicText))
		}
	}
}

// addVersion adds a version with or without its v.
func (v *variants) addVersion(term string) {
	number := strings.TrimPrefix(term, "v")
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return
	}
	v.add(number)
	v.add(cut("v" + number))
}
