package words

import "slices"

// maxWords bounds the words of one question.
const maxWords = 64

// Word is a word of a question.
type Word struct {
	// Variants are the terms under which a text may hold the word: one at
	// least, distinct, the most likely first.
	Variants []string
	// Common says that the word is a function word of the language that the
	// question seems to be in ("the", "que").
	Common bool
}

// Query returns the words of a question in order, each once. Of more than 64 it returns
// the first and the last 32: what is asked stands before or after what is pasted.
// Scripts without blanks give pairs of neighbouring characters, or the single
// character that there is.
func Query(question string) []Word {
	tokens := tokensOf(question)
	defer tokens.release()
	stems := acquireStemmer()
	defer stems.release()
	lang := languageOf(tokens.list)
	q := query{places: map[string]int{}}
	for _, t := range ends(distinct(tokens.list)) {
		if t.script != unspaced {
			q.add(Word{Variants: stems.variants(t, lang), Common: isCommon(t, lang)})
			continue
		}
		for _, gram := range queryCharacters(t.text) {
			q.add(Word{Variants: []string{gram}})
		}
	}
	return ends(q.words)
}

// distinct returns each token where it comes first.
func distinct(list []token) []token {
	seen := make(map[token]bool, len(list))
	var once []token
	for _, t := range list {
		if !seen[t] {
			seen[t] = true
			once = append(once, t)
		}
	}
	return once
}

// ends returns the beginning and the end of a list that is longer than maxWords.
func ends[T any](list []T) []T {
	if len(list) <= maxWords {
		return list
	}
	return slices.Concat(list[:maxWords/2], list[len(list)-maxWords/2:])
}

// query collects words.
type query struct {
	words  []Word
	places map[string]int // the first variant → its place in words
}

// add adds a word, or its variants to the one that has the same first variant.
func (q *query) add(w Word) {
	if len(w.Variants) == 0 {
		return
	}
	at, known := q.places[w.Variants[0]]
	if !known {
		if len(q.words) == maxWords {
			return
		}
		q.places[w.Variants[0]] = len(q.words)
		q.words = append(q.words, w)
		return
	}
	word := &q.words[at]
	word.Common = word.Common && w.Common
	for _, v := range w.Variants {
		if !slices.Contains(word.Variants, v) {
			word.Variants = append(word.Variants, v)
		}
	}
}
