package memory

import (
	"context"
	"errors"

	"mcp-memory/internal/jsonl"
)

// maxProblems is how many problems an import lists; all are counted.
const maxProblems = 20

// ErrNoSource says that an import was asked for without a file.
var ErrNoSource = errors.New("source_path is required — provide the path to an Anthropic MCP Memory JSONL file")

// ImportProblem is a record that was not imported, and why.
type ImportProblem struct {
	Line   int
	Reason string
}

// ImportReport counts what an import did. Errors and Skipped count records
// that were not imported; Problems lists the first of them.
type ImportReport struct {
	Entities  int // entity records taken, whether new or merged
	Relations int // relations created
	Errors    int
	Skipped   int
	Problems  []ImportProblem
}

// Import merges the entities and relations of a file into the memory, in one
// transaction: every good record is kept and every other one reported. It
// reads the official server's JSON lines and the JSON document that read_graph
// prints, of a regular file of up to 256 MB. A leading ~ is the user's home
// folder. What an import says of a file never shows what is in it.
func (s *Service) Import(ctx context.Context, path string) (ImportReport, error) {
	if path == "" {
		return ImportReport{}, ErrNoSource
	}
	records, report, err := readImport(ctx, path)
	if err != nil {
		return ImportReport{}, err
	}
	read := report
	var changed int
	err = s.store.Update(ctx, func(w Writer) error {
		report = read
		report.Problems = append([]ImportProblem{}, read.Problems...)
		var err error
		changed, err = mergeRecords(ctx, w, records, &report)
		return err
	})
	if err != nil {
		return ImportReport{}, err
	}
	s.indexer.changed(ctx, changed)
	if watched(ctx) && s.embedder.Ready() {
		s.indexer.finish(ctx) // who stops to wait has imported all the same
	}
	return report, nil
}

// readImport reads the records of a file and what is wrong with others.
func readImport(ctx context.Context, path string) ([]jsonl.Record, ImportReport, error) {
	file, err := openSource(ctx, path)
	if err != nil {
		return nil, ImportReport{}, err
	}
	defer file.Close()
	report := ImportReport{Problems: []ImportProblem{}}
	var records []jsonl.Record
	limits := jsonl.Limits{
		Name: MaxNameLength, Type: MaxTypeLength, RelationType: MaxRelationTypeLength, Observation: MaxObservationLength,
	}
	for item, err := range jsonl.Read(file, limits) {
		switch {
		case ctx.Err() != nil:
			return nil, ImportReport{}, context.Cause(ctx)
		case err != nil:
			return nil, ImportReport{}, badSource("%s could not be read to its end", path)
		case item.Problem != nil:
			report.note(item.Line, item.Problem.Reason, item.Problem.Skipped)
		default:
			records = append(records, item)
		}
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
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, ImportProblem{Line: line, Reason: reason})
	}
}

// mergeRecords merges records into the memory, entities first, since a relation
// may come before its ends. It returns how many entities changed.
func mergeRecords(ctx context.Context, w Writer, records []jsonl.Record, r *ImportReport) (int, error) {
	m := newMerger(w)
	items, relations, lines := splitRecords(records)
	if err := m.prepare(ctx, items); err != nil {
		return 0, err
	}
	for i, item := range items {
		if _, err := m.merge(ctx, item); err != nil {
			return 0, err
		}
		r.Entities++
		report(ctx, i+1, len(records), "importing")
	}
	known, err := resolve(ctx, w, endsOf(relations))
	if err != nil {
		return 0, err
	}
	for i, relation := range relations {
		from, to, err := ends(known, relation)
		if err != nil {
			r.note(lines[i], missingEnd(known, relation)+": no entity has this name", true)
			continue
		}
		created, err := w.InsertRelation(ctx, from, to, relation.Type)
		if err != nil {
			return 0, err
		}
		if created {
			r.Relations++
			m.changed[from], m.changed[to] = true, true
		}
		report(ctx, len(items)+i+1, len(records), "importing")
	}
	return m.finish(ctx)
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
