package words

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	snowballarabic "github.com/blevesearch/snowballstem/arabic"
	snowballenglish "github.com/blevesearch/snowballstem/english"
	snowballfrench "github.com/blevesearch/snowballstem/french"
	snowballgerman "github.com/blevesearch/snowballstem/german"
	snowballitalian "github.com/blevesearch/snowballstem/italian"
	snowballportuguese "github.com/blevesearch/snowballstem/portuguese"
	snowballrussian "github.com/blevesearch/snowballstem/russian"
	snowballspanish "github.com/blevesearch/snowballstem/spanish"
	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/fold"
)

// stemmersVersion is that of the stemmers' module.
const stemmersVersion = "0.9.0"

var snowball = [...]func(*snowballstem.Env) bool{
	english:    snowballenglish.Stem,
	spanish:    snowballspanish.Stem,
	portuguese: snowballportuguese.Stem,
	french:     snowballfrench.Stem,
	german:     snowballgerman.Stem,
	italian:    snowballitalian.Stem,
	russian:    snowballrussian.Stem,
	arabicText: snowballarabic.Stem,
}

const (
	// maxMemory bounds the stems that a stemmer remembers of one language.
	maxMemory = 1 << 13
	// maxAsked bounds the words of questions of which it remembers the variants.
	maxAsked = 1 << 10
)

// stemmer makes terms of words, and remembers those it made.
type stemmer struct {
	env    *snowballstem.Env
	memory [noLanguage]map[string]string
	asked  map[inQuestion][]string // variants
}

var stemmerPool = sync.Pool{New: func() any {
	s := &stemmer{env: snowballstem.NewEnv(""), asked: map[inQuestion][]string{}}
	for lang := range s.memory {
		s.memory[lang] = map[string]string{}
	}
	return s
}}

func acquireStemmer() *stemmer { return stemmerPool.Get().(*stemmer) }

func (s *stemmer) release() { stemmerPool.Put(s) }

// term returns the term of a token of a text in Latin letters in lang, "" if
// nothing of it stays.
func (s *stemmer) term(t token, lang language) string {
	lang = languageIn(t.script, lang)
	word := cut(t.text)
	if lang == noLanguage {
		return cut(fold.Text(word))
	}
	memory := s.memory[lang]
	term, known := memory[word]
	if !known {
		term = s.stem(lower(word, lang), lang)
		if len(memory) >= maxMemory {
			clear(memory)
		}
		memory[strings.Clone(word)] = term
	}
	return term
}

// languageIn returns the language to stem a word of a script in, where lang is
// that of Latin letters.
func languageIn(s script, lang language) language {
	switch s {
	case latin:
		return lang
	case cyrillic:
		return russian
	case arabic:
		return arabicText
	}
	return noLanguage
}

// lower returns a word in lower case and in the spelling that stemmers expect.
func lower(word string, lang language) string {
	w := strings.ToLower(word)
	switch lang {
	case russian:
		w = strings.ReplaceAll(strings.ReplaceAll(w, "\u0301", ""), "ё", "е") // stress marks
	case arabicText:
		w = arabicLetters.Replace(w)
	default:
		w = strings.ReplaceAll(w, "ß", "ss")
	}
	return norm.NFC.String(w)
}

// stem returns the folded stem of a word in lower case. Words with digits are
// names of things, and stay.
func (s *stemmer) stem(word string, lang language) string {
	if strings.ContainsAny(word, "0123456789") {
		return cut(fold.Text(word))
	}
	s.env.SetCurrent(respelt(word, lang))
	snowball[lang](s.env)
	stem := fold.Text(s.env.Current())
	if lang == arabicText {
		stem = arabicEndings.Replace(stem)
	}
	if stem == "" {
		stem = fold.Text(word)
	}
	return cut(stem)
}

var (
	// arabicLetters maps the carriers of alef, and Persian letters, to the plain
	// Arabic ones: which of them are written is a matter of habit.
	arabicLetters = strings.NewReplacer("أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ی", "ي", "ک", "ك")
	// arabicEndings maps letters that are interchanged at ends of words.
	arabicEndings = strings.NewReplacer("ى", "ي", "ة", "ه")
)
