package passage

import (
	"fmt"
	"unicode"
)

// maxPieceRunes is how much of a long piece is looked at: more than Budget
// tokens hold of ordinary text.
const maxPieceRunes = 4_000

// piece is a part of the text with what it costs.
type piece struct {
	text    string
	runes   int
	tokens  int
	clipped bool // only the beginning of what was given
}

func newPiece(s string) piece {
	n := 0
	for i := range s {
		if n == maxPieceRunes {
			return piece{text: s[:i], runes: n, clipped: true}
		}
		n++
	}
	return piece{text: s, runes: n}
}

// cut returns the beginning of p that has about that many tokens, up to the
// end of a word if one ends in its second half.
func (p piece) cut(tokens int) piece {
	if p.tokens <= tokens {
		return p
	}
	if tokens <= 0 {
		return piece{}
	}
	runes := max(1, p.runes*tokens/p.tokens)
	end, blank, seen := len(p.text), 0, 0
	for i, r := range p.text {
		if seen > runes/2 && unicode.IsSpace(r) {
			blank = i
		}
		if seen == runes {
			end = i
			break
		}
		seen++
	}
	if blank > 0 {
		end = blank
	}
	return piece{text: p.text[:end], runes: runes, tokens: tokens}
}

// measure counts the tokens of all pieces in one call.
func measure(count Counter, lists ...[]piece) error {
	var texts []string
	for _, list := range lists {
		for _, p := range list {
			texts = append(texts, p.text)
		}
	}
	counts, err := count(texts)
	if err != nil {
		return fmt.Errorf("counting the tokens of %d texts: %w", len(texts), err)
	}
	if len(counts) != len(texts) {
		return fmt.Errorf("counting the tokens of %d texts: got %d counts", len(texts), len(counts))
	}
	for _, list := range lists {
		for i := range list {
			list[i].tokens = counts[0]
			counts = counts[1:]
		}
	}
	return nil
}
