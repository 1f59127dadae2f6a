package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"mcp-memory/gen/db"
	"mcp-memory/internal/passage"
)

// indexedPassages reads the rows of the passages of entities, by entity and
// ordinal.
func (t readTx) indexedPassages(ctx context.Context, ids []int64) (map[int64][]db.PassagesOfRow, error) {
	rows, err := t.q.PassagesOf(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	passages := make(map[int64][]db.PassagesOfRow, len(ids))
	for _, row := range rows {
		passages[row.EntityID] = append(passages[row.EntityID], row)
	}
	return passages, nil
}

// putPassages brings the passages of an entity in step. Those whose text is
// still there stay, with their vectors; the rows of others are used again. An
// entity may have a hundred thousand; it ends between them with its context.
// Words come after all rows: a statement that sets off triggers, as that of a row
// with a vector does, has FTS5 write out what was indexed until then.
func (t writeTx) putPassages(cancellable context.Context, s source, rows []db.PassagesOfRow, free *freeSlots) error {
	ctx := context.WithoutCancel(cancellable)
	d := s.differences(rows)
	var unindexed []indexed
	for _, p := range d.kept {
		if err := t.movePassage(ctx, p); err != nil {
			return err
		}
		if p.was.HasTerms == 0 {
			unindexed = append(unindexed, indexed{p.was.ID, p.window})
		}
	}
	slots, err := free.fill(ctx, t.q, d.left, len(d.missing))
	if err != nil {
		return err
	}
	for i, p := range d.missing {
		if err := cancellable.Err(); err != nil {
			return err
		}
		var id int64
		if i < len(slots) {
			id, err = t.replacePassage(ctx, slots[i], p)
		} else {
			id, err = t.insertPassage(ctx, p)
		}
		if err != nil {
			return err
		}
		unindexed = append(unindexed, indexed{id, p.window})
	}
	if err := t.freePassages(ctx, d.left[min(len(d.missing), len(d.left)):]); err != nil {
		return err
	}
	for _, p := range unindexed {
		if err := cancellable.Err(); err != nil {
			return err
		}
		if err := t.q.PutPassageTerms(ctx, db.PutPassageTermsParams{PassageID: p.id, Terms: passageTerms(p.window)}); err != nil {
			return err
		}
	}
	return nil
}

// indexed is a passage whose words are to be under an id.
type indexed struct {
	id     int64
	window passage.Window
}

// place is a passage, what its row should say, and the row of its text, if there
// is one.
type place struct {
	window   passage.Window
	row, was db.PassagesOfRow
}

// differences are those between an entity's passages and their rows.
type differences struct {
	kept    []place            // of a text that has a row
	missing []place            // of a text that has none
	left    []db.PassagesOfRow // of texts that are no more
}

func (s source) differences(rows []db.PassagesOfRow) (d differences) {
	byHash := make(map[string][]db.PassagesOfRow, len(rows))
	for _, row := range rows {
		byHash[row.TextHash] = append(byHash[row.TextHash], row)
	}
	for i, w := range s.windows() {
		p := place{row: s.row(i, w), window: w}
		same := byHash[p.row.TextHash]
		if len(same) == 0 {
			d.missing = append(d.missing, p)
			continue
		}
		p.was, byHash[p.row.TextHash] = same[0], same[1:]
		d.kept = append(d.kept, p)
	}
	for _, row := range rows {
		if left := byHash[row.TextHash]; len(left) > 0 && left[0].ID == row.ID {
			d.left = append(d.left, row)
			byHash[row.TextHash] = left[1:]
		}
	}
	return d
}

// row is what the row of a passage should say.
func (s source) row(ordinal int, w passage.Window) db.PassagesOfRow {
	row := db.PassagesOfRow{EntityID: s.ID, Ordinal: int64(ordinal), TextHash: w.Hash()}
	if w.First >= 0 {
		row.FirstObservation = sql.NullInt64{Int64: s.observationIDs[w.First], Valid: true}
		row.LastObservation = sql.NullInt64{Int64: s.observationIDs[w.Last], Valid: true}
	}
	return row
}

// freeSlots hands out free rows, each once.
type freeSlots struct {
	ids  []int64
	last int64 // that was read
	none bool  // there are no more than ids
}

// fill returns rows that can be used for n passages, fewer if there are not so
// many: first those that are left of the same entity.
func (f *freeSlots) fill(ctx context.Context, q *db.Queries, left []db.PassagesOfRow, n int) ([]db.PassagesOfRow, error) {
	slots := slices.Clone(left[:min(n, len(left))])
	for len(slots) < n {
		if len(f.ids) == 0 {
			if err := f.read(ctx, q); err != nil {
				return nil, err
			}
		}
		if len(f.ids) == 0 {
			break
		}
		slots = append(slots, db.PassagesOfRow{ID: f.ids[0]})
		f.ids = f.ids[1:]
	}
	return slots, nil
}

// read reads more free rows, unless there were no more the last time.
func (f *freeSlots) read(ctx context.Context, q *db.Queries) error {
	if f.none {
		return nil
	}
	var err error
	if f.ids, err = q.FreePassages(ctx, db.FreePassagesParams{After: f.last, Size: indexPage}); err != nil {
		return fmt.Errorf("look for free rows: %w", err)
	}
	if f.none = len(f.ids) < indexPage; len(f.ids) > 0 {
		f.last = f.ids[len(f.ids)-1]
	}
	return nil
}

func (t writeTx) movePassage(ctx context.Context, p place) error {
	if p.row.Ordinal == p.was.Ordinal && p.row.FirstObservation == p.was.FirstObservation && p.row.LastObservation == p.was.LastObservation {
		return nil
	}
	return t.q.MovePassage(ctx, db.MovePassageParams{
		ID: p.was.ID, Ordinal: p.row.Ordinal,
		FirstObservation: p.row.FirstObservation, LastObservation: p.row.LastObservation,
	})
}

// replacePassage returns the id of the slot, or of a new row where a damaged
// database has a vector for one that is free.
func (t writeTx) replacePassage(ctx context.Context, slot db.PassagesOfRow, p place) (int64, error) {
	if err := t.dropVector(ctx, slot); err != nil {
		return 0, err
	}
	n, err := t.q.ReplacePassage(ctx, db.ReplacePassageParams{
		ID: slot.ID, EntityID: sql.NullInt64{Int64: p.row.EntityID, Valid: true},
		Ordinal: p.row.Ordinal, TextHash: p.row.TextHash,
		FirstObservation: p.row.FirstObservation, LastObservation: p.row.LastObservation,
	})
	if err != nil || n > 0 {
		return slot.ID, err
	}
	return t.insertPassage(ctx, p)
}

func (t writeTx) insertPassage(ctx context.Context, p place) (id int64, err error) {
	return t.q.InsertPassage(ctx, db.InsertPassageParams{
		EntityID: sql.NullInt64{Int64: p.row.EntityID, Valid: true},
		Ordinal:  p.row.Ordinal, TextHash: p.row.TextHash,
		FirstObservation: p.row.FirstObservation, LastObservation: p.row.LastObservation,
	})
}

// freePassages makes rows free slots.
func (t writeTx) freePassages(ctx context.Context, rows []db.PassagesOfRow) error {
	for _, row := range rows {
		if err := errors.Join(t.dropVector(ctx, row), t.q.FreePassage(ctx, row.ID)); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if err := t.q.DeletePassageTerms(ctx, row.ID); err != nil {
			return err
		}
	}
	return nil
}

// dropVector removes the vector that a passage has.
func (t writeTx) dropVector(ctx context.Context, row db.PassagesOfRow) error {
	if row.HasVector == 0 {
		return nil
	}
	return errors.Join(
		t.q.UnsetPassageModel(ctx, row.ID),
		t.deleteVector(ctx, t.q.DeleteCoarse, "passage", row.ID),
		t.q.DeletePassageVector(ctx, row.ID))
}
