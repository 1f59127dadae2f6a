package memory

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"mcp-memory/internal/document"
)

// importVectors merges the vectors that a large document still has, page by page. Who
// stops to wait, or fails, has imported the rest all the same: vectors that are
// missing are computed.
func (s *Service) importVectors(ctx context.Context, m *documentMerger) {
	ctx = withoutConsent(ctx)
	for !m.over {
		page, err := m.read(ctx)
		before := m.report
		if err == nil {
			err = s.store.Update(ctx, func(w Writer) error {
				m.w, m.report, m.vectors = w, before, passagesWithout{}
				m.report.Problems = slices.Clone(before.Problems)
				return m.merge(ctx, page)
			})
		}
		if err != nil {
			m.report = before
			if ctx.Err() == nil {
				s.log.Warn("not all vectors of the document were imported", "error", err)
			}
			return
		}
	}
}

func (m *documentMerger) passageVectors(ctx context.Context, page []document.Record) error {
	for _, r := range page {
		if err := m.passageVector(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// passageVector stores a vector as that of a passage of this text, if that has
// none.
func (m *documentMerger) passageVector(ctx context.Context, r document.Record) error {
	v := r.PassageVector
	numbers, ok := vectorNumbers(v.Numbers)
	var stored PassageVector
	if ok {
		stored = passageVector(numbers)
		ok = isDirection(stored.Neutral) && stored.Length > 0
	}
	if !ok || v.Model == "" {
		m.noVector(r, v)
		return nil
	}
	id, ok := m.ids[v.Entity]
	if !ok {
		m.report.note(r.Line, r.Path+": "+(&NotFoundError{Name: v.Entity}).Error(), true)
		return nil
	}
	if m.vectors.entity != id {
		byHash, err := m.w.PassagesWithout(ctx, id)
		if err != nil {
			return err
		}
		m.vectors = passagesWithout{id, byHash}
	}
	of := m.vectors.byHash[v.TextHash]
	if len(of) == 0 {
		return nil // it has one, or another text by now
	}
	m.vectors.byHash[v.TextHash] = of[1:]
	m.report.Vectors++
	return m.w.SetPassageVector(ctx, of[0], v.Model, v.TextHash, stored)
}

// entityVectors stores vectors of entities that this import has made, and that are of
// their texts.
func (m *documentMerger) entityVectors(ctx context.Context, page []document.Record) error {
	var ids []int64
	for _, r := range page {
		if id := m.ids[r.EntityVector.Entity]; m.mine[id] {
			ids = append(ids, id)
		}
	}
	sources, err := sourcesOf(ctx, m.w, ids)
	if err != nil {
		return err
	}
	hashes := make(map[int64]string, len(sources))
	for _, s := range sources {
		hashes[s.id] = s.hash
	}
	for _, r := range page {
		v := r.EntityVector
		numbers, ok := vectorNumbers(v.Numbers)
		if !ok || v.Model == "" {
			m.noVector(r, v)
			continue
		}
		id := m.ids[v.Entity]
		if hash, ok := hashes[id]; !ok || hash != v.TextHash {
			continue
		}
		if err := m.w.SetVector(ctx, id, v.Model, v.TextHash, numbers); err != nil {
			return err
		}
		m.report.Vectors++
	}
	return nil
}

func (m *documentMerger) noVector(r document.Record, v *document.Vector) {
	reason := fmt.Sprintf("%s.vector: must be a direction of %d float32 numbers", r.Path, Dimensions)
	if v.Model == "" {
		reason = r.Path + ".model: must not be empty"
	}
	m.report.note(r.Line, reason, false)
}

// vectorNumbers reads float32 numbers, little endian, as far as they are a
// direction.
func vectorNumbers(blob []byte) ([]float32, bool) {
	if len(blob) != 4*Dimensions {
		return nil, false
	}
	vector := make([]float32, Dimensions)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return vector, isDirection(vector)
}

// isDirection reports whether a vector has an angle to others.
func isDirection(vector []float32) bool {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	return sum > 0 && !math.IsNaN(sum) && !math.IsInf(sum, 0)
}
