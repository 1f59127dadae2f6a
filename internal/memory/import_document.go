package memory

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"mcp-memory/internal/document"
	"mcp-memory/internal/passage"
)

// importPage is how many records of a document are in memory at a time.
const importPage = 500

// importDocument merges a document into the memory, record by record, and
// returns how many entities changed. Into an empty memory all comes as it was.
// Otherwise what exists is kept: types, observations, relations and vectors stay,
// others are added; of times and counts of use the greater one counts, so that
// importing twice changes nothing.
func (s *Service) importDocument(ctx context.Context, in io.ReadSeeker) (report ImportReport, changed int, err error) {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return ImportReport{}, 0, fmt.Errorf("%w (%w)", ErrUnreadable, err)
	}
	err = s.store.Update(ctx, func(w Writer) error {
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("%w (%w)", ErrUnreadable, err)
		}
		m := &documentMerger{w: w, size: size, ids: map[string]int64{}, mine: map[int64]bool{}, changed: map[int64]bool{}}
		m.report.Problems = []ImportProblem{}
		if err := m.all(ctx, in); err != nil {
			return err
		}
		report, changed = m.report, len(m.changed)
		return nil
	})
	return report, changed, err
}

// documentMerger puts a document into the store inside one transaction.
type documentMerger struct {
	w      Writer
	report ImportReport
	size   int64 // of the document, in bytes

	ids     map[string]int64 // of the document's entities, by name as it stands there
	mine    map[int64]bool   // those that this import has made
	changed map[int64]bool   // whose text has changed
	indexed bool

	pending []document.Record // of one kind: entities, or vectors of them
	vectors passagesWithout
}

// passagesWithout are the passages of an entity that have no vector yet.
type passagesWithout struct {
	entity int64
	byHash map[string][]int64
}

func (m *documentMerger) all(ctx context.Context, in io.Reader) error {
	for record, err := range document.Read(in) {
		if broken, ok := errors.AsType[*document.SyntaxError](err); ok {
			return broken
		}
		if err != nil {
			return fmt.Errorf("%w (%w)", ErrUnreadable, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := m.record(ctx, record); err != nil {
			return err
		}
		report(ctx, int(record.Offset>>10), int(m.size>>10), "importing")
	}
	if err := m.index(ctx); err != nil {
		return err
	}
	return m.entityVectors(ctx)
}

// record takes one record. Those of a section follow each other.
func (m *documentMerger) record(ctx context.Context, r document.Record) error {
	for _, what := range r.Altered {
		m.report.noteAltered(r.Line, what)
	}
	switch {
	case r.Problem != "":
		m.report.note(r.Line, r.Problem, false)
		return nil
	case r.Model != "":
		return m.model(ctx, r.Model)
	case r.Entity != nil:
		m.pending = append(m.pending, r)
		if len(m.pending) < importPage {
			return nil
		}
		return m.entities(ctx)
	case r.Relation != nil:
		return errors.Join(m.entities(ctx), m.relation(ctx, r))
	case r.CoOccurrence != nil:
		return errors.Join(m.entities(ctx), m.together(ctx, r))
	}
	if err := m.index(ctx); err != nil { // vectors belong to what is indexed
		return err
	}
	if r.PassageVector != nil {
		return m.passageVector(ctx, r)
	}
	m.pending = append(m.pending, r)
	if len(m.pending) < importPage {
		return nil
	}
	return m.entityVectors(ctx)
}

// model notes which model makes the vectors of the memory, if that is not known.
func (m *documentMerger) model(ctx context.Context, id string) error {
	known, err := m.w.Model(ctx)
	if err != nil || known != "" {
		return err
	}
	return m.w.SetModel(ctx, id, Dimensions, passage.FormatVersion)
}

// entities merges the entities that are pending.
func (m *documentMerger) entities(ctx context.Context) error {
	if len(m.pending) == 0 {
		return nil
	}
	names := make([]string, len(m.pending))
	for i, r := range m.pending {
		names[i] = r.Entity.Name
	}
	known, err := resolve(ctx, m.w, names)
	if err != nil {
		return err
	}
	for _, r := range m.pending {
		if err := m.entity(ctx, known, *r.Entity); err != nil {
			return err
		}
		m.report.Entities++
	}
	m.pending = m.pending[:0]
	return nil
}

func (m *documentMerger) entity(ctx context.Context, known *resolver, e document.Entity) error {
	id, exists := m.ids[e.Name]
	if !exists {
		// What the document tells apart is not one, even if it looks the same.
		id, exists = known.id(e.Name)
		exists = exists && !m.mine[id]
	}
	if !exists {
		id, err := m.w.RestoreEntity(ctx, e)
		m.ids[e.Name], m.mine[id], m.changed[id] = id, true, true
		return err
	}
	m.ids[e.Name] = id
	added, err := m.w.MergeEntity(ctx, id, e)
	if err != nil || !added {
		return err
	}
	m.changed[id] = true
	return m.w.TouchEntity(ctx, id)
}

// ends finds two entities, of the document or of the memory. If there is none
// of a name, that is noted.
func (m *documentMerger) ends(ctx context.Context, r document.Record, names ...string) (ids []int64, err error) {
	for _, name := range names {
		id, ok := m.ids[name]
		if !ok {
			known, err := resolve(ctx, m.w, []string{name})
			if err != nil {
				return nil, err
			}
			id, ok = known.id(name)
		}
		if !ok {
			m.report.note(r.Line, r.Path+": "+(&NotFoundError{Name: name}).Error(), true)
			return nil, nil
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (m *documentMerger) relation(ctx context.Context, r document.Record) error {
	ids, err := m.ends(ctx, r, r.Relation.From, r.Relation.To)
	if err != nil || ids == nil {
		return err
	}
	created, err := m.w.RestoreRelation(ctx, ids[0], ids[1], r.Relation.Type, r.Relation.CreatedAt)
	if created {
		m.report.Relations++
		m.changed[ids[0]], m.changed[ids[1]] = true, true
	}
	return err
}

func (m *documentMerger) together(ctx context.Context, r document.Record) error {
	ids, err := m.ends(ctx, r, r.CoOccurrence.A, r.CoOccurrence.B)
	if err != nil || ids == nil || ids[0] == ids[1] {
		return err
	}
	m.report.CoOccurrences++
	return m.w.RestoreTogether(ctx, ids[0], ids[1], r.CoOccurrence.Count, r.CoOccurrence.Last)
}

// index brings the index in step with entities and relations, once.
func (m *documentMerger) index(ctx context.Context) error {
	if m.indexed {
		return nil
	}
	m.indexed = true
	if err := m.entities(ctx); err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(m.changed))
	done := 0
	for page := range slices.Chunk(ids, importPage) {
		if err := m.w.Reindex(ctx, page); err != nil {
			return err
		}
		done += len(page)
		report(ctx, done, len(ids), "indexing")
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

// entityVectors stores the pending vectors of entities that this import has
// made, and that are of their texts.
func (m *documentMerger) entityVectors(ctx context.Context) error {
	var ids []int64
	for _, r := range m.pending {
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
	for _, r := range m.pending {
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
	m.pending = m.pending[:0]
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
