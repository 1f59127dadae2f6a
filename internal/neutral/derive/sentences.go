package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// sentences has a block a sentence, with a line in each language: its code, a
// blank, the sentence.
//
//go:embed sentences.txt
var sentences string

// language holds the sentences in one language.
type language struct {
	code      string
	sentences []string
}

func translations() ([]language, error) { return parse(sentences) }

// parse reads blocks that all have the same languages in the same order.
func parse(text string) ([]language, error) {
	var languages []language
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(block, "\n")
		if i == 0 {
			languages = make([]language, len(lines))
		}
		if len(lines) != len(languages) {
			return nil, fmt.Errorf("sentence %d is in %d languages, the first in %d", i+1, len(lines), len(languages))
		}
		for j, line := range lines {
			code, sentence, _ := strings.Cut(line, " ")
			if i == 0 {
				languages[j].code = code
			}
			if code != languages[j].code || strings.TrimSpace(sentence) == "" {
				return nil, fmt.Errorf("sentence %d: want %q and the sentence, not %q", i+1, languages[j].code, line)
			}
			languages[j].sentences = append(languages[j].sentences, sentence)
		}
	}
	return languages, nil
}

// passageSentences is how many sentences make a passage, which is longer than a
// question.
const passageSentences = 3

// passages joins neighbouring sentences, the last ones with the first.
func (l language) passages() []string {
	around := slices.Concat(l.sentences, l.sentences)
	passages := make([]string, len(l.sentences))
	for i := range passages {
		passages[i] = strings.Join(around[i:i+passageSentences], " ")
	}
	return passages
}
