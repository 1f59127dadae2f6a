package sentencepiece

import (
	"math"
	"slices"
	"unicode/utf8"
)

// unknownPenalty is how much less likely than the least likely piece an unknown
// character is (SentencePiece's kUnkPenalty).
const unknownPenalty = 10

// unigram knows pieces and the logarithms of their probabilities.
type unigram struct {
	pieces       trie
	scores       []float64
	unknown      int32   // what is not known
	unknownScore float64 // of a character
}

func newUnigram(pieces []string, scores []float64, unknown int32) unigram {
	least := math.Inf(1)
	for _, score := range scores {
		least = min(least, score)
	}
	return unigram{newTrie(pieces), scores, unknown, least - unknownPenalty}
}

// ending is the best way to write the beginning of a word up to some byte.
type ending struct {
	score float64
	piece int32 // the last one; none: there is no way
	start int32 // of that
}

// split appends the most probable pieces of a word (Viterbi). Neighbouring
// unknown characters are one piece. scratch is room to work in.
func (u unigram) split(ids []uint32, word []byte, scratch []ending) ([]uint32, []ending) {
	best := slices.Grow(scratch[:0], len(word)+1)[:len(word)+1]
	for i := range best {
		best[i] = ending{piece: none}
	}
	best[0].score = 0
	for start := 0; start < len(word); {
		_, size := utf8.DecodeRune(word[start:])
		score, whole := best[start].score, false
		node := uint32(root)
		for end := start; end < len(word); {
			next, ok := u.pieces.step(node, word[end])
			if !ok {
				break
			}
			node = next
			end++
			if piece := u.pieces.entries[node]; piece != none {
				best[end].improve(score+u.scores[piece], piece, start)
				whole = whole || end == start+size
			}
		}
		if !whole {
			best[start+size].improve(score+u.unknownScore, u.unknown, start)
		}
		start += size
	}
	first := len(ids)
	for end := len(word); end > 0; end = int(best[end].start) {
		piece := uint32(best[end].piece)
		if fused := len(ids) > first && best[end].piece == u.unknown && ids[len(ids)-1] == piece; !fused {
			ids = append(ids, piece)
		}
	}
	slices.Reverse(ids[first:])
	return ids, best
}

func (e *ending) improve(score float64, piece int32, start int) {
	if e.piece == none || score > e.score {
		*e = ending{score, piece, int32(start)}
	}
}
