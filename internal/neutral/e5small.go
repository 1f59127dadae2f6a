package neutral

import (
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"
	"sync"
)

// e5small holds a row of Dimensions numbers on each line, in base64 of float32,
// little endian: the mean of questions, the mean of passages, and the directions.
//
//go:embed e5small.txt
var e5small string

// E5Small belongs to multilingual-e5-small, in any precision of its weights.
func E5Small() *Space { return e5SmallSpace() }

var e5SmallSpace = sync.OnceValue(func() *Space {
	rows := rowsOf(e5small)
	return &Space{query: rows[0], passage: rows[1], directions: rows[2:]}
})

func rowsOf(text string) [][]float32 {
	var rows [][]float32
	for line := range strings.Lines(text) {
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
		if err != nil || len(data) != 4*Dimensions {
			panic("neutral: the constants are damaged") // they are part of the program
		}
		row := make([]float32, Dimensions)
		for i := range row {
			row[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		rows = append(rows, row)
	}
	return rows
}
