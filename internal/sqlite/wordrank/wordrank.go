package wordrank

// #include "bm25_words.h"
import "C"

import (
	"encoding/binary"
	"math"
	"sync"
)

// MaxWords is how many words an expression may have; of phrases any number.
const MaxWords = 256

// Without makes a connection that has it among its URI's parameters do without
// bm25_words. All others read the schema before anything can be set on them.
const Without = "bm25_words=off"

// Register makes bm25_words part of every connection that is opened after it.
var Register = sync.OnceFunc(func() {
	C.sqlite3_auto_extension((*[0]byte)(C.bm25_words_init))
})

// Weights is the argument of bm25_words.
type Weights []byte

// boundOfOne is the least upper bound of the score of a word that weighs 1.
const boundOfOne = 2.2

// Scores returns what parts answers of bm25_words with these weights: into the score,
// and whether all of the words are there.
func (w Weights) Scores() func(answer float64) (score float64, all bool) {
	const size = 16
	bound, counted := 0.0, map[uint64]bool{}
	for i := 0; i+size <= len(w); i += size {
		if word := binary.NativeEndian.Uint64(w[i:]); !counted[word] {
			counted[word] = true
			bound += boundOfOne * math.Float64frombits(binary.NativeEndian.Uint64(w[i+size/2:]))
		}
	}
	return func(answer float64) (float64, bool) {
		if bound > 0 && answer > 1.5*bound {
			return answer - 2*bound, true
		}
		return answer, false
	}
}

// Add says to which word, from 0, the next phrase of the expression belongs,
// and what the word weighs: its inverse document frequency.
func (w Weights) Add(word int, weight float64) Weights {
	w = binary.NativeEndian.AppendUint64(w, math.Float64bits(float64(word)))
	return binary.NativeEndian.AppendUint64(w, math.Float64bits(weight))
}
