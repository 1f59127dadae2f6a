package words

import (
	"strings"

	"mcp-memory/internal/fold"
)

// language is what a word is stemmed in.
type language uint8

const (
	english language = iota // also of Latin letters that show no language
	spanish
	portuguese
	french
	german
	italian
	latinLanguages          // how many languages those of Latin letters are
	russian        language = iota - 1
	arabicText
	noLanguage
)

// languages is a set of the languages of Latin letters, a bit each.
type languages uint8

const (
	// sampled bounds the words that are looked at for a text's language.
	sampled = 200
	// minEnding is the length of words with meaningful endings, in bytes.
	minEnding = 4

	// Weights of evidence, shared by the languages that it speaks for.
	functionWordWeight = 120
	letterWeight       = 60
	endingWeight       = 12 // a byte of the ending, up to longEnding
	longEnding         = 4
	rareWeight         = 12 // of letters that names bring into all languages
)

// languageOf returns the language that Latin words seem to be in, by function
// words, letters and endings. Parts of compounds say nothing: names in
// programs are English everywhere.
func languageOf(list []token) language {
	var e evidence
	n := 0
	for _, t := range list {
		if t.script != latin || t.compound {
			continue
		}
		if n++; n > sampled {
			break
		}
		e.addWord(strings.ToLower(t.text))
	}
	return e.best()
}

// evidence is what speaks for each language.
type evidence [latinLanguages]int

func (e *evidence) best() language {
	best := english
	for lang, score := range e {
		if score > e[best] {
			best = language(lang)
		}
	}
	return best
}

func (e *evidence) add(set languages, weight int) {
	if set == 0 {
		return
	}
	n := 0
	for lang := range e {
		n += int(set >> lang & 1)
	}
	for lang := range e {
		e[lang] += int(set>>lang&1) * weight / n
	}
}

func (e *evidence) addWord(word string) {
	if set := functionWords[word]; set != 0 {
		e.add(set, functionWordWeight)
		return
	}
	for i, r := range word {
		switch {
		case r == 'w' || r == 'k':
			e.add(of(english, german), rareWeight)
		case r >= 0x80:
			e.add(letters[r], letterWeight)
		case r == 'h' && i > 0:
			e.add(digraphs[word[i-1:i+1]], rareWeight)
		}
	}
	if len(word) < minEnding {
		return
	}
	for n := min(maxEnding, len(word)-1); n > 0; n-- {
		if set, known := wordEndings[word[len(word)-n:]]; known {
			e.add(set, min(n, longEnding)*endingWeight)
			return
		}
	}
}

// isCommon reports whether a token is a function word: of lang, or of the
// language of its script.
func isCommon(t token, lang language) bool {
	lang = languageIn(t.script, lang)
	if lang == noLanguage {
		return false
	}
	word := lower(t.text, lang)
	if lang < latinLanguages {
		return functionWords[word]&of(lang) != 0
	}
	return otherFunctionWords[fold.Text(word)]
}

func of(list ...language) (set languages) {
	for _, lang := range list {
		set |= 1 << lang
	}
	return set
}
