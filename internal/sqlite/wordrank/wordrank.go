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

// Add says to which word, from 0, the next phrase of the expression belongs,
// and what the word weighs: its inverse document frequency.
func (w Weights) Add(word int, weight float64) Weights {
	w = binary.NativeEndian.AppendUint64(w, math.Float64bits(float64(word)))
	return binary.NativeEndian.AppendUint64(w, math.Float64bits(weight))
}
