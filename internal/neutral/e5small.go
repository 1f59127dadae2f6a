package neutral

import (
	_ "embed"
	"encoding/binary"
	"math"
	"sync"
)

// e5small holds rows of Dimensions float32, little endian: the mean of
// questions, the mean of passages, and the directions.
//
//go:embed e5small.bin
var e5small []byte

// E5Small belongs to multilingual-e5-small, in any precision of its weights.
func E5Small() *Space { return e5SmallSpace() }

var e5SmallSpace = sync.OnceValue(func() *Space {
	rows := rowsOf(e5small)
	return &Space{query: rows[0], passage: rows[1], directions: rows[2:]}
})

func rowsOf(data []byte) [][]float32 {
	rows := make([][]float32, len(data)/(4*Dimensions))
	for i := range rows {
		rows[i] = make([]float32, Dimensions)
		for j := range rows[i] {
			at := 4 * (i*Dimensions + j)
			rows[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(data[at:]))
		}
	}
	return rows
}
