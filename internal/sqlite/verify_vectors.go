package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/neutral"
)

// vectors checks what rows alone do not show: vectors themselves, and where vec0
// keeps them.
func (v *verifier) vectors(ctx context.Context) error {
	err := v.derived("passage_embeddings", func() error {
		return v.each(ctx, allVectors, nil, func(scan func(...any) error) error {
			var row vectorRow
			if err := scan(&row.id, &row.length, &row.exact, &row.model, &row.coarse); err != nil {
				return err
			}
			v.vector(row)
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	for _, d := range derived {
		if !d.ofVectors() {
			continue
		}
		if err := v.derived(d.name, func() error { return v.slots(ctx, d) }); err != nil {
			return fmt.Errorf("read where %s keeps vectors: %w", d.name, err)
		}
	}
	return nil
}

// vectorRow is all that is stored of a passage's vector.
type vectorRow struct {
	id     int64
	length sql.NullFloat64 // NULL if it is no number
	exact  []byte
	model  string
	coarse []byte // nil if there is none
}

// vector compares what is derived from a vector. Of models that we do not know
// how to take the language from, nothing can be said.
func (v *verifier) vector(row vectorRow) {
	exact := vectorOf(row.exact)
	if len(exact) != memory.Dimensions || !isDirection(exact) {
		v.add(CheckVectors, "that of passage %d is no direction", row.id)
		v.bad = append(v.bad, row.id)
		return
	}
	if !row.length.Valid {
		v.add(CheckVectors, "that of passage %d has a length without its language that is no number", row.id)
		return
	}
	if !isOfForm(row.model, vectorForm) {
		return
	}
	space := neutral.E5Small()
	free := space.Passage(exact)
	if length := space.Length(exact, free); !(math.Abs(length-row.length.Float64) < lengthTolerance) {
		v.add(CheckVectors, "that of passage %d has another length without its language: %.4f, not %.4f", row.id, row.length.Float64, length)
	}
	if row.coarse != nil && !sameCoarse(row.coarse, coarse(free)) {
		v.add(CheckCoarse, "that of passage %d is of another vector", row.id)
	}
}

// vectorForm ends the ids of models whose vectors we know how to take the language
// from.
var vectorForm = strings.TrimPrefix(memory.VectorsOf("-"), "-")

// lengthTolerance is by how much lengths may differ that different processors
// computed.
const lengthTolerance = 1e-5

// sameCoarse compares coarse vectors, of which a processor may round a number
// otherwise.
func sameCoarse(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if d := int(int8(a[i])) - int(int8(b[i])); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// isOfForm reports whether a model's id ends with that of a form.
func isOfForm(model, form string) bool { return strings.HasSuffix(model, form) }

// vectorOf reads what vectorBlob wrote.
func vectorOf(blob []byte) []float32 {
	vector := make([]float32, len(blob)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return vector
}

// chunk is where vec0 keeps vectors: a bit for each place that is taken, and
// whose it is.
type chunk struct{ validity, rowids []byte }

func (c chunk) holds(offset, id int64) bool {
	return offset >= 0 && offset/8 < int64(len(c.validity)) && 8*offset+8 <= int64(len(c.rowids)) &&
		c.validity[offset/8]>>(offset%8)&1 == 1 && int64(binary.LittleEndian.Uint64(c.rowids[8*offset:])) == id
}

// taken counts the places that are taken.
func (c chunk) taken() (n int) {
	for _, b := range c.validity {
		for ; b != 0; b &= b - 1 {
			n++
		}
	}
	return n
}

// slots checks that a search, which goes through the chunks, sees just the
// vectors that rows say are there.
func (v *verifier) slots(ctx context.Context, d derivedTable) error {
	chunks, taken := map[int64]chunk{}, 0
	err := v.each(ctx, chunksOf(d.name), nil, func(scan func(...any) error) error {
		var id, size, length int64
		var c chunk
		if err := scan(&id, &size, &c.validity, &c.rowids, &length); err != nil {
			return err
		}
		if int64(len(c.validity)) != size/8 || int64(len(c.rowids)) != 8*size || length != d.vectorSize()*size {
			v.add(d.check, "chunk %d is of another size", id)
		}
		chunks[id] = c
		taken += c.taken()
		return nil
	})
	if err != nil {
		return err
	}
	held := 0
	err = v.each(ctx, slotsOf(d.name), nil, func(scan func(...any) error) error {
		var id, chunkID, offset int64
		if err := scan(&id, &chunkID, &offset); err != nil {
			return err
		}
		if chunks[chunkID].holds(offset, id) {
			held++
		} else {
			v.add(d.check, "vector %d is not found by searches", id)
		}
		return nil
	})
	if err == nil && held < taken {
		v.add(d.check, "searches see %d vectors that are gone", taken-held)
	}
	return err
}
