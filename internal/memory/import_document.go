package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"mcp-memory/internal/document"
	"mcp-memory/internal/passage"
)

// importPage is how many records are put into the store at a time; of a document, no
// more are in memory.
const importPage = 500

// importDocument merges a document into the memory, record by record, and
// returns how many entities changed. Into an empty memory all comes as it was.
// Otherwise what exists is kept: types, observations, relations and vectors stay,
// others are added; of times and counts of use the greater one counts, so that
// importing twice adds nothing.
func (s *Service) importDocument(ctx context.Context, in io.ReadSeeker) (report ImportReport, changed int, err error) {
	size, err := checkDocument(ctx, in)
	if err != nil {
		return ImportReport{}, 0, err
	}
	var m *documentMerger
	defer func() {
		if m != nil {
			m.stop()
		}
	}()
	err = s.store.Update(ctx, func(w Writer) error {
		if m != nil {
			m.stop()
		}
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("%w (%w)", ErrUnreadable, err)
		}
		m = newDocumentMerger(w, in, size)
		return m.all(ctx)
	})
	if err != nil {
		return ImportReport{}, 0, err
	}
	s.imported(ctx, m.unindexed, &m.report)
	if !m.over {
		s.importVectors(ctx, m)
	}
	return m.report, len(m.changed), nil
}

// checkDocument reads a document to its end, and returns its size in bytes: what is
// broken, or cannot be read, is refused before any writer has to wait for it.
func checkDocument(ctx context.Context, in io.ReadSeeker) (size int64, err error) {
	size, err = in.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, fmt.Errorf("%w (%w)", ErrUnreadable, err)
	}
	for r, err := range document.Read(in) {
		if err != nil {
			return 0, documentError(err)
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		report(ctx, int(r.Offset>>10), int(size>>10), "reading")
	}
	return size, nil
}

// documentError is what is wrong with a document, or with reading it.
func documentError(err error) error {
	if broken, ok := errors.AsType[*document.SyntaxError](err); ok {
		return broken
	}
	return fmt.Errorf("%w (%w)", ErrUnreadable, err)
}

// documentMerger puts a document into the store: all inside one transaction, or the
// vectors of a large one in later ones.
type documentMerger struct {
	w      Writer
	report ImportReport
	next   func() (document.Record, error, bool)
	stop   func()
	size   int64 // of the document, in bytes
	over   bool  // nothing of it is left

	ids     map[string]int64 // of the document's entities, by name as it stands there
	mine    map[int64]bool   // those that this import has made
	changed map[int64]bool   // whose text has changed

	unindexed int // entities of which the index is left to later transactions

	pending []document.Record // the first of the next page, if that was read
	left    []document.Record // a page of vectors that was read too early
	vectors passagesWithout
}

// passagesWithout are the passages of an entity that have no vector yet.
type passagesWithout struct {
	entity int64
	byHash map[string][]int64
}

func newDocumentMerger(w Writer, in io.Reader, size int64) *documentMerger {
	m := &documentMerger{w: w, size: size, ids: map[string]int64{}, mine: map[int64]bool{}, changed: map[int64]bool{}}
	m.report.Problems = []ImportProblem{}
	m.next, m.stop = iter.Pull2(document.Read(in))
	return m
}

// all merges everything but, where the index of what changed is left to later
// transactions, the vectors, which belong to what is indexed.
func (m *documentMerger) all(ctx context.Context) error {
	indexed := false
	for !m.over {
		page, err := m.read(ctx)
		if err != nil {
			return err
		}
		if isVector(page) && !indexed {
			indexed = true
			if err := m.index(ctx); err != nil {
				return err
			}
			if m.unindexed > 0 {
				m.left, m.over = page, false
				return nil
			}
		}
		if err := m.merge(ctx, page); err != nil {
			return err
		}
	}
	if indexed {
		return nil
	}
	return m.index(ctx)
}

// read reads the next page of records, all of one section.
func (m *documentMerger) read(ctx context.Context) ([]document.Record, error) {
	if page := m.left; page != nil {
		m.left = nil
		return page, nil
	}
	page := m.pending
	m.pending = nil
	for {
		r, err, ok := m.next()
		switch {
		case !ok:
			m.over = true
			return page, nil
		case err != nil:
			return nil, documentError(err)
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
		report(ctx, int(r.Offset>>10), int(m.size>>10), "importing")
		if len(page) == importPage || len(page) > 0 && sectionOf(page[0]) != sectionOf(r) {
			m.pending = []document.Record{r}
			return page, nil
		}
		page = append(page, r)
	}
}

// section tells apart what is merged in different ways.
type section int

const (
	notes section = iota // what is no record of the memory
	entities
	relations
	coOccurrences
	passageVectors
	entityVectors
)

func sectionOf(r document.Record) section {
	switch {
	case r.Entity != nil:
		return entities
	case r.Relation != nil:
		return relations
	case r.CoOccurrence != nil:
		return coOccurrences
	case r.PassageVector != nil:
		return passageVectors
	case r.EntityVector != nil:
		return entityVectors
	}
	return notes
}

func isVector(page []document.Record) bool {
	return len(page) > 0 && sectionOf(page[0]) >= passageVectors
}

// merge merges records of one section.
func (m *documentMerger) merge(ctx context.Context, page []document.Record) error {
	if len(page) == 0 {
		return nil
	}
	for _, r := range page {
		for _, what := range r.Altered {
			m.report.noteAltered(r.Line, what)
		}
	}
	switch sectionOf(page[0]) {
	case entities:
		return m.entities(ctx, page)
	case relations:
		return m.relations(ctx, page)
	case coOccurrences:
		return m.together(ctx, page)
	case passageVectors:
		return m.passageVectors(ctx, page)
	case entityVectors:
		return m.entityVectors(ctx, page)
	}
	for _, r := range page {
		if r.Problem != "" {
			m.report.note(r.Line, r.Problem, false)
		} else if err := m.model(ctx, r.Model); err != nil {
			return err
		}
	}
	return nil
}

// model notes which model makes the vectors of the memory, if that is not known.
func (m *documentMerger) model(ctx context.Context, id string) error {
	known, err := m.w.Model(ctx)
	if err != nil || known != "" {
		return err
	}
	return m.w.SetModel(ctx, id, Dimensions, passage.FormatVersion)
}

// entities merges entities. Those that are new are restored together.
func (m *documentMerger) entities(ctx context.Context, page []document.Record) error {
	names := make([]string, len(page))
	for i, r := range page {
		names[i] = r.Entity.Name
	}
	known, err := resolve(ctx, m.w, names)
	if err != nil {
		return err
	}
	var (
		added, others []document.Entity
		adding        = map[string]bool{}
	)
	for _, r := range page {
		if _, exists := m.find(known, r.Entity.Name); exists || adding[r.Entity.Name] {
			others = append(others, *r.Entity)
			continue
		}
		adding[r.Entity.Name] = true
		added = append(added, *r.Entity)
	}
	ids, err := m.w.RestoreEntities(ctx, added)
	if err != nil {
		return err
	}
	for i, id := range ids {
		m.ids[added[i].Name], m.mine[id], m.changed[id] = id, true, true
	}
	for _, e := range others {
		if err := m.entity(ctx, known, e); err != nil {
			return err
		}
	}
	m.report.Entities += len(page)
	return nil
}

// find returns the entity that a name of the document means, if there is one. What
// the document tells apart is not one, even if it looks the same.
func (m *documentMerger) find(known *resolver, name string) (id int64, exists bool) {
	if id, exists = m.ids[name]; exists {
		return id, true
	}
	id, exists = known.id(name)
	return id, exists && !m.mine[id]
}

// entity merges an entity into one that exists.
func (m *documentMerger) entity(ctx context.Context, known *resolver, e document.Entity) error {
	id, _ := m.find(known, e.Name)
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

func (m *documentMerger) relations(ctx context.Context, page []document.Record) error {
	var edges []RestoredEdge
	for _, r := range page {
		ids, err := m.ends(ctx, r, r.Relation.From, r.Relation.To)
		if err != nil {
			return err
		}
		if ids != nil {
			edges = append(edges, RestoredEdge{FromID: ids[0], ToID: ids[1], Type: r.Relation.Type, CreatedAt: r.Relation.CreatedAt})
		}
	}
	created, err := m.w.RestoreRelations(ctx, edges)
	for _, ends := range created {
		m.changed[ends[0]], m.changed[ends[1]] = true, true
	}
	m.report.Relations += len(created)
	return err
}

func (m *documentMerger) together(ctx context.Context, page []document.Record) error {
	var pairs []RestoredPair
	for _, r := range page {
		ids, err := m.ends(ctx, r, r.CoOccurrence.A, r.CoOccurrence.B)
		if err != nil {
			return err
		}
		if ids != nil && ids[0] != ids[1] {
			pairs = append(pairs, RestoredPair{A: ids[0], B: ids[1], Count: r.CoOccurrence.Count, Last: r.CoOccurrence.Last})
		}
	}
	m.report.CoOccurrences += len(pairs)
	return m.w.RestoreTogether(ctx, pairs)
}

// index brings the index in step with entities and relations, but for that of many
// new entities.
func (m *documentMerger) index(ctx context.Context) error {
	var now []int64
	now, m.unindexed = indexedAtOnce(m.changed, m.mine)
	return m.w.Reindex(ctx, now)
}
