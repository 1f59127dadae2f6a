package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"mcp-memory/gen/db"
	doc "mcp-memory/internal/document" // verifying has documents of its own
	"mcp-memory/internal/memory"
)

// rowList is a JSON list of rows, each a list of values, for a statement that inserts
// them all. It does so by itself when the list has become large.
type rowList struct {
	ctx    context.Context
	json   []byte
	insert func(ctx context.Context, rows string) error
}

// largeList is from how many bytes on a list is inserted before more is added.
const largeList = 1 << 20

func (l *rowList) add(values ...any) error {
	row, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("list row: %w", err)
	}
	separator := byte(',')
	if len(l.json) == 0 {
		separator = '['
	}
	l.json = append(append(l.json, separator), row...)
	if len(l.json) < largeList {
		return nil
	}
	return l.flush()
}

// flush inserts what was added since the last time.
func (l *rowList) flush() error {
	if len(l.json) == 0 {
		return nil
	}
	rows := string(append(l.json, ']'))
	l.json = l.json[:0]
	return l.insert(l.ctx, rows)
}

// insertRows inserts a row of each item of a list.
func insertRows[T any](ctx context.Context, items []T, insert func(ctx context.Context, rows string) error, values func(T) []any) error {
	list := rowList{ctx: ctx, insert: insert}
	for _, item := range items {
		if err := list.add(values(item)...); err != nil {
			return err
		}
	}
	return list.flush()
}

func (t writeTx) RestoreEntities(ctx context.Context, entities []doc.Entity) ([]int64, error) {
	err := insertRows(ctx, entities, t.q.RestoreEntities, func(e doc.Entity) []any {
		return []any{e.Name, e.Type, e.CreatedAt, e.UpdatedAt}
	})
	if err != nil {
		return nil, fmt.Errorf("restore entities: %w", err)
	}
	names := make([]string, len(entities))
	for i, e := range entities {
		names[i] = e.Name
	}
	byName, err := t.EntityIDs(ctx, names)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(entities))
	observations := rowList{ctx: ctx, insert: t.q.RestoreObservations}
	accesses := rowList{ctx: ctx, insert: t.q.MergeAccesses}
	for i, e := range entities {
		ids[i] = byName[e.Name]
		for _, o := range e.Observations {
			err = errors.Join(err, observations.add(ids[i], o.Content, o.CreatedAt))
		}
		if e.Access != nil {
			err = errors.Join(err, accesses.add(ids[i], e.Access.Count, e.Access.Last))
		}
	}
	if err = errors.Join(err, observations.flush(), accesses.flush()); err != nil {
		return nil, fmt.Errorf("restore observations and use: %w", err)
	}
	return ids, nil
}

func (t writeTx) RestoreRelations(ctx context.Context, edges []memory.RestoredEdge) ([][2]int64, error) {
	created := [][2]int64{}
	insert := func(ctx context.Context, rows string) error {
		ends, err := t.q.RestoreRelations(ctx, rows)
		for _, row := range ends {
			created = append(created, [2]int64{row.FromEntity, row.ToEntity})
		}
		return err
	}
	err := insertRows(ctx, edges, insert, func(e memory.RestoredEdge) []any {
		return []any{e.FromID, e.ToID, e.Type, e.CreatedAt}
	})
	if err != nil {
		return nil, fmt.Errorf("restore relations: %w", err)
	}
	return created, nil
}

func (t writeTx) RestoreTogether(ctx context.Context, pairs []memory.RestoredPair) error {
	err := insertRows(ctx, pairs, t.q.MergeTogether, func(p memory.RestoredPair) []any {
		return []any{min(p.A, p.B), max(p.A, p.B), p.Count, p.Last}
	})
	if err != nil {
		return fmt.Errorf("restore co-occurrences: %w", err)
	}
	return nil
}

func (t writeTx) MergeEntity(ctx context.Context, id int64, e doc.Entity) (added bool, err error) {
	rows, err := t.q.ObservationsOf(ctx, id)
	if err != nil {
		return false, fmt.Errorf("read observations of entity %d: %w", id, err)
	}
	stored := make(map[string]bool, len(rows))
	for _, row := range rows {
		stored[row.Content] = true
	}
	observations := rowList{ctx: ctx, insert: t.q.RestoreObservations}
	for _, o := range e.Observations {
		if stored[o.Content] {
			continue
		}
		stored[o.Content], added = true, true
		err = errors.Join(err, observations.add(id, o.Content, o.CreatedAt))
	}
	err = errors.Join(err, observations.flush(), t.mergeAccess(ctx, id, e.Access),
		t.q.MergeTimes(ctx, db.MergeTimesParams{ID: id, CreatedAt: nullable(e.CreatedAt), UpdatedAt: nullable(e.UpdatedAt)}))
	if err != nil {
		return false, fmt.Errorf("merge into entity %d: %w", id, err)
	}
	return added, nil
}

// mergeAccess notes the use of an entity, if any is known, unless more or later is.
func (t writeTx) mergeAccess(ctx context.Context, id int64, a *doc.Access) error {
	if a == nil {
		return nil
	}
	accesses := rowList{ctx: ctx, insert: t.q.MergeAccesses}
	return errors.Join(accesses.add(id, a.Count, a.Last), accesses.flush())
}

func nullable(text *string) sql.NullString {
	if text == nil {
		return sql.NullString{}
	}
	return sql.NullString{String: *text, Valid: true}
}
