package words

import (
	"mcp-memory/internal/fold"
)

// appendCharacters appends the terms of a run of an unspaced script: each
// character, and each pair of neighbours.
func appendCharacters(terms []string, run string) []string {
	run = foldUnspaced(run)
	before := 0 // where the last character began
	for start, end := range characters(run) {
		if start > 0 {
			terms = append(terms, cut(run[before:end]))
		}
		terms = append(terms, cut(run[start:end]))
		before = start
	}
	return terms
}

// queryCharacters returns what to look for to find a run: its pairs of
// neighbours, or its only character.
func queryCharacters(run string) []string {
	run = foldUnspaced(run)
	var pairs []string
	before := 0
	for start, end := range characters(run) {
		if start > 0 {
			pairs = append(pairs, cut(run[before:end]))
		}
		before = start
	}
	if len(pairs) == 0 && run != "" {
		return []string{cut(run)}
	}
	return pairs
}

// characters yields where the characters of s begin and end, each with the
// marks on it: a Thai consonant keeps its vowel and tone.
func characters(s string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := 0
		for i, r := range s {
			if i > 0 && scriptOf(r) != mark {
				if !yield(start, i) {
					return
				}
				start = i
			}
		}
		if start < len(s) {
			yield(start, len(s))
		}
	}
}

// foldUnspaced is fold.Text for letters without cases: without marks that
// alphabets share, and parts of Korean syllables, there is nothing to fold.
func foldUnspaced(run string) string {
	for _, r := range run {
		if r < 0x1200 && (r < 0xe00 || r >= 0x1100) || r >= 0x1ab0 && scriptOf(r) == mark {
			return fold.Text(run)
		}
	}
	return run
}

// cut returns what of s a term holds.
func cut(s string) string {
	if len(s) <= maxRunes {
		return s
	}
	n := 0
	for i := range s {
		if n == maxRunes {
			return s[:i]
		}
		n++
	}
	return s
}
