package sqlite

import (
	"context"
	"fmt"
	"math"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
)

const (
	// unitTolerance is by how much the length of a unit vector may be off that numbers
	// of single precision have.
	unitTolerance = 1e-3
	// sameVector is the least cosine of two vectors of one text, which a model may
	// have computed in other company or on another processor.
	sameVector = 0.99
)

// compareWhole checks the documented vectors of entities, as far as it shows what they
// should be: unit vectors, and that of the passage where the whole text is one.
func (v *verifier) compareWhole(ctx context.Context, ids []int64, sources []source) error {
	texts := make(map[int64]string, len(sources)) // their hashes, of those that are a single passage
	for _, s := range sources {
		if windows := s.windows(); len(windows) == 1 && s.isWhole(windows[0]) {
			texts[s.ID] = windows[0].Hash()
		}
	}
	return v.each(ctx, wholeOfPage, []any{idList(ids)}, func(scan func(...any) error) error {
		var id int64
		var model, hash, passageModel string
		var whole, part []byte
		if err := scan(&id, &model, &whole, &hash, &passageModel, &part); err != nil {
			return fmt.Errorf("read documented vectors: %w", err)
		}
		vector, other := vectorOf(whole), vectorOf(part)
		switch {
		case len(vector) != memory.Dimensions || !(math.Abs(norm(vector)-1) < unitTolerance):
			v.add(CheckWhole, "that of entity %d is no unit vector", id)
		case hash == texts[id] && isOfSameModel(model, passageModel) && len(other) == len(vector) && isDirection(other) && cosine(vector, other) < sameVector:
			v.add(CheckWhole, "that of entity %d is another than that of its passage", id)
		default:
			return nil
		}
		v.stale = append(v.stale, id)
		return nil
	})
}

// isWhole reports whether a passage is the text of the whole entity, which is cut only
// where it is longer.
func (s source) isWhole(w passage.Window) bool {
	count := func(texts []string) ([]int, error) { return make([]int, len(texts)), nil }
	text, err := passage.Text(s.described, count, passage.Budget)
	return err == nil && text == w.Text
}

// isOfSameModel reports whether the vectors of whole texts and those of passages are
// of one model: their ids end with the forms of both.
func isOfSameModel(whole, passages string) bool {
	model := modelOfWhole(whole)
	return model != whole && memory.VectorsOf(model) == passages
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum / norm(a) / norm(b)
}
