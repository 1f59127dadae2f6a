package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mcp-memory/internal/document"
	"mcp-memory/internal/jsonl"
)

// manyNew is from how many new entities on an import leaves their index to
// transactions of their own, which take two thirds of the time: other writers would
// wait too long. The database knows which entities these are. That of entities which
// were there before is never left: they would not be found meanwhile.
const manyNew = 2_000

// importPatience is how long an import waits for other writers when it indexes.
const importPatience = 30 * time.Second

// maxProblems is how many problems an import lists; all are counted.
const maxProblems = 20

// ErrNoSource says that an import was asked for without a file.
var ErrNoSource = errors.New("source_path is required — provide the path to an Anthropic MCP Memory JSONL file")

// ImportProblem is a record that was not imported, or not as it stands in the file, and why.
type ImportProblem struct {
	Line   int
	Reason string
}

// ImportReport counts what an import did. Errors and Skipped count records
// that were not imported; Problems lists the first of them and of what is altered.
type ImportReport struct {
	Entities      int // entity records taken, whether new or merged
	Relations     int // relations created
	CoOccurrences int // pairs taken, whether new or merged
	Vectors       int // vectors stored
	Errors        int
	Skipped       int
	Altered       int // values of imported records that are not as they stand in the file
	Problems      []ImportProblem
	// Unindexed says, in words for the user, which entities no search finds yet and
	// why; empty where there are none. A server that runs completes the index.
	Unindexed string
}

// Import is ImportFrom a regular file of up to 256 MB. A leading ~ is the user's
// home folder. What an import says of a file never shows what is in it.
func (s *Service) Import(ctx context.Context, path string) (ImportReport, error) {
	if path == "" {
		return ImportReport{}, ErrNoSource
	}
	file, err := openSource(ctx, path)
	if err != nil {
		return ImportReport{}, err
	}
	defer file.Close()
	report, err := s.ImportFrom(ctx, file)
	if err != nil && ctx.Err() != nil {
		return ImportReport{}, context.Cause(ctx)
	}
	if broken, ok := errors.AsType[*document.SyntaxError](err); ok {
		return ImportReport{}, badSource("%s cannot be imported: %v", path, broken)
	}
	if other, ok := errors.AsType[*NotMemoryError](err); ok {
		return ImportReport{}, badSource("%s %s", path, other.What())
	}
	if errors.Is(err, ErrUnreadable) {
		return ImportReport{}, badSource("%s could not be read to its end", path)
	}
	return report, err
}

// ErrUnreadable says that reading what is imported failed.
var ErrUnreadable = errors.New("it could not be read to its end")

// ImportFrom merges entities and relations into the memory, in one transaction:
// every good record is kept and every other one reported. The index of many and
// their vectors follow before it returns, or in the background where that is
// cut short. It reads the official server's
// JSON lines, the JSON document that read_graph prints, and that of ExportDocument.
// One of the latter that is no JSON any more is refused, with a *document.SyntaxError,
// and what is no memory at all with a *NotMemoryError.
func (s *Service) ImportFrom(ctx context.Context, in io.ReadSeeker) (ImportReport, error) {
	beginning, err := beginningOf(in)
	if err != nil {
		return ImportReport{}, err
	}
	importer := s.importLines
	switch {
	case isDatabase(beginning):
		return ImportReport{}, &NotMemoryError{Database: true}
	case document.Is(beginning):
		importer = s.importDocument
	}
	report, changed, err := importer(ctx, in)
	if err != nil {
		return ImportReport{}, err
	}
	s.indexer.changed(ctx, changed)
	if watched(ctx) && s.embedder.Ready() {
		s.indexer.finish(ctx, unlessBlocked) // who stops to wait has imported all the same
	}
	return report, nil
}

// imported follows an import that is committed: it brings the index of many new
// entities in step. What it leaves is done in the background, or before a search.
func (s *Service) imported(ctx context.Context, unindexed int, r *ImportReport) {
	committed(ctx)
	if unindexed == 0 {
		return
	}
	err := s.texts.refreshAll(withoutConsent(ctx), importPatience, func(done int) {
		report(ctx, min(done, unindexed), unindexed, "indexing")
	})
	left, failure := s.texts.outdated(context.WithoutCancel(ctx), unindexed)
	if len(left) == 0 {
		return
	}
	s.log.Warn("not all that was imported is indexed yet", "entities", len(left), "error", errors.Join(err, failure))
	r.Unindexed = fmt.Sprintf("searches do not find %d entities yet, since %s; a server that runs goes on with them by itself, "+
		"and `mcp-memory reindex --text` does", len(left), whyUnindexed(ctx, err))
}

// whyUnindexed says why indexing ended early.
func whyUnindexed(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "indexing them was interrupted"
	case errors.Is(err, ErrFull):
		return "the disk is full"
	case errors.Is(err, ErrDisk):
		return "the disk failed"
	case err == nil: // it was not the turn of this process for long
		return "other processes were writing"
	}
	return "indexing them failed, as the log tells"
}

// indexedAtOnce are the changed entities that are indexed together with the change,
// and how many others are left.
func indexedAtOnce(changed, created map[int64]bool) (ids []int64, left int) {
	for id := range changed {
		if len(created) > manyNew && created[id] {
			left++
		} else {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, left
}

// beginningOf reads what a file begins with, and goes back to it.
func beginningOf(in io.ReadSeeker) ([]byte, error) {
	beginning := make([]byte, document.HeadSize)
	n, err := io.ReadFull(in, beginning)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrUnreadable, err)
	}
	return beginning[:n], nil
}

// importLines imports records of entities and relations, and returns how many
// entities changed.
func (s *Service) importLines(ctx context.Context, in io.ReadSeeker) (report ImportReport, changed int, err error) {
	records, read, err := readLines(ctx, in)
	if err != nil {
		return ImportReport{}, 0, err
	}
	unindexed := 0
	err = s.store.Update(ctx, func(w Writer) error {
		report = read
		report.Problems = append([]ImportProblem{}, read.Problems...)
		var err error
		changed, unindexed, err = mergeRecords(ctx, w, records, &report)
		return err
	})
	if err == nil {
		s.imported(ctx, unindexed, &report)
	}
	return report, changed, err
}

// readLines reads records and what is wrong with others. If nothing is even a JSON
// object or list, that is a *NotMemoryError.
func readLines(ctx context.Context, in io.Reader) ([]jsonl.Record, ImportReport, error) {
	report := ImportReport{Problems: []ImportProblem{}}
	var records []jsonl.Record
	foreign := true // nothing is like a record
	limits := jsonl.Limits{
		Name: MaxNameLength, Type: MaxTypeLength, RelationType: MaxRelationTypeLength, Observation: MaxObservationLength,
	}
	for item, err := range jsonl.Read(in, limits) {
		switch {
		case ctx.Err() != nil:
			return nil, ImportReport{}, context.Cause(ctx)
		case err != nil:
			return nil, ImportReport{}, fmt.Errorf("%w (%w)", ErrUnreadable, err)
		case item.Problem != nil:
			foreign = foreign && item.Problem.NoRecord
			report.note(item.Line, item.Problem.Reason, item.Problem.Skipped)
		default:
			for _, what := range item.Altered {
				report.noteAltered(item.Line, what)
			}
			records = append(records, item)
		}
	}
	if foreign && len(records) == 0 && len(report.Problems) > 0 {
		return nil, ImportReport{}, &NotMemoryError{First: report.Problems[0]}
	}
	return records, report, ctx.Err()
}

// note counts a record that is not imported.
func (r *ImportReport) note(line int, reason string, skipped bool) {
	if skipped {
		r.Skipped++
	} else {
		r.Errors++
	}
	r.list(line, reason)
}

// noteAltered counts a value that is not imported as it stands in the file.
func (r *ImportReport) noteAltered(line int, what string) {
	r.Altered++
	r.list(line, what)
}

func (r *ImportReport) list(line int, reason string) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, ImportProblem{Line: line, Reason: reason})
	}
}

// mergeRecords merges records into the memory, entities first, since a relation
// may come before its ends. It returns how many entities changed, and of how many
// the index is left.
func mergeRecords(ctx context.Context, w Writer, records []jsonl.Record, r *ImportReport) (changed, unindexed int, err error) {
	m := newMerger(w)
	noteLookalikes(records, r)
	items, relations, lines := splitRecords(records)
	if err := m.prepare(ctx, items); err != nil {
		return 0, 0, err
	}
	for page := range slices.Chunk(items, importPage) {
		if err := m.mergeAll(ctx, page); err != nil {
			return 0, 0, err
		}
		r.Entities += len(page)
		report(ctx, r.Entities, len(records), "importing")
	}
	known, err := resolve(ctx, w, endsOf(relations))
	if err != nil {
		return 0, 0, err
	}
	for first := 0; first < len(relations); first += importPage {
		beyond := min(first+importPage, len(relations))
		var edges []RestoredEdge
		for i, relation := range relations[first:beyond] {
			from, to, err := ends(known, relation)
			if err != nil {
				r.note(lines[first+i], missingEnd(known, relation)+": no entity has this name", true)
				continue
			}
			edges = append(edges, RestoredEdge{FromID: from, ToID: to, Type: relation.Type})
		}
		created, err := w.RestoreRelations(ctx, edges)
		if err != nil {
			return 0, 0, err
		}
		r.Relations += len(created)
		for _, ends := range created {
			m.changed[ends[0]], m.changed[ends[1]] = true, true
		}
		report(ctx, len(items)+beyond, len(records), "importing")
	}
	now, later := indexedAtOnce(m.changed, m.created)
	return len(m.changed), later, w.Reindex(ctx, now)
}

// noteLookalikes notes the entities that are merged into one before them, although
// their names are written otherwise: with other blanks around, or normalised otherwise.
func noteLookalikes(records []jsonl.Record, r *ImportReport) {
	type spelling struct {
		name string
		line int
	}
	first := map[string]spelling{} // by the canonical name
	for _, record := range records {
		if record.Entity == nil {
			continue
		}
		name := record.Entity.Name
		before, ok := first[CanonicalName(name)]
		switch {
		case !ok:
			first[CanonicalName(name)] = spelling{name, record.Line}
		case before.name != name:
			r.noteAltered(record.Line, fmt.Sprintf("name: it looks the same as that of line %d, and the two are merged into one entity", before.line))
		}
	}
}

// missingEnd is the field of a relation's first end that is no entity's name.
func missingEnd(known *resolver, r Relation) string {
	if _, ok := known.id(r.From); !ok {
		return "from"
	}
	return "to"
}

// splitRecords separates entities from relations, with the lines of the latter.
func splitRecords(records []jsonl.Record) (items []NewEntity, relations []Relation, lines []int) {
	for _, record := range records {
		switch {
		case record.Entity != nil:
			item := NewEntity{Name: record.Entity.Name, Observations: record.Entity.Observations}
			if record.Entity.Type != "" {
				item.Type = &record.Entity.Type
			}
			items = append(items, item)
		case record.Relation != nil:
			relations = append(relations, Relation{From: record.Relation.From, To: record.Relation.To, Type: record.Relation.Type})
			lines = append(lines, record.Line)
		}
	}
	return items, relations, lines
}
