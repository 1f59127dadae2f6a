package memory

import (
	"context"

	"mcp-memory/internal/document"
)

// step is one change, which it can take back.
type step interface {
	undo(ctx context.Context, u *undoer) error
	size() int // in bytes, about
}

// rowSize is what a row takes beside its texts.
const rowSize = 100

type insertedEntity struct{ ref }

func (s *insertedEntity) size() int { return rowSize + len(s.name) }

func (s *insertedEntity) undo(ctx context.Context, u *undoer) error {
	if _, ok, err := entityRow(ctx, u.w, s.id); err != nil || !ok {
		return err // someone has deleted it: so it is gone
	}
	observations, err := u.w.ObservationRows(ctx, s.id)
	if err != nil {
		return err
	}
	relations, err := u.w.RelationRows(ctx, s.id)
	if err != nil {
		return err
	}
	if len(observations)+len(relations) > 0 {
		return &ChangedError{s.name}
	}
	delete(u.changed, s.id)
	return u.w.DeleteEntity(ctx, s.id)
}

type deletedEntity struct {
	ref
	entity       document.Entity
	observations []ObservationRow
	relations    []RelationRow
	together     []TogetherRow
}

func (s *deletedEntity) size() int {
	size := rowSize + len(s.name)
	for _, o := range s.observations {
		size += rowSize + len(o.Content)
	}
	for _, r := range s.relations {
		size += rowSize + len(r.From) + len(r.To) + len(r.Type)
	}
	for _, t := range s.together {
		size += rowSize + len(t.A) + len(t.B)
	}
	return size
}

func (s *deletedEntity) undo(ctx context.Context, u *undoer) error {
	id, exists, err := u.find(ctx, s.ref)
	if err != nil {
		return err
	}
	if exists { // it was made anew
		_, err = u.w.MergeEntity(ctx, id, s.entity)
	} else {
		id, err = s.id, u.w.PutEntity(ctx, s.id, s.entity)
	}
	if err != nil {
		return err
	}
	u.changed[id] = true
	if _, err := u.w.PutObservations(ctx, id, s.observations); err != nil {
		return err
	}
	for _, row := range s.relations {
		if err := u.putRelation(ctx, row); err != nil {
			return err
		}
	}
	for _, row := range s.together {
		if err := u.putTogether(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

type insertedObservations struct {
	ref
	contents []string
}

func (s *insertedObservations) size() int {
	size := rowSize
	for _, content := range s.contents {
		size += rowSize + len(content)
	}
	return size
}

func (s *insertedObservations) undo(ctx context.Context, u *undoer) error {
	id, err := u.must(ctx, s.ref)
	if err != nil {
		return err
	}
	deleted, err := u.w.DeleteObservations(ctx, id, s.contents)
	if err != nil || len(deleted) == 0 {
		return err
	}
	return u.touch(ctx, id)
}

type deletedObservations struct {
	ref
	rows []ObservationRow
}

func (s *deletedObservations) size() int {
	size := rowSize
	for _, row := range s.rows {
		size += rowSize + len(row.Content)
	}
	return size
}

func (s *deletedObservations) undo(ctx context.Context, u *undoer) error {
	id, err := u.must(ctx, s.ref)
	if err != nil {
		return err
	}
	added, err := u.w.PutObservations(ctx, id, s.rows)
	if err != nil || !added {
		return err
	}
	return u.touch(ctx, id)
}

type insertedRelation struct{ row RelationRow }

func (s *insertedRelation) size() int { return rowSize + len(s.row.From) + len(s.row.To) }

func (s *insertedRelation) undo(ctx context.Context, u *undoer) error {
	deleted, err := u.w.DeleteRelation(ctx, s.row.FromID, s.row.ToID, s.row.Type)
	if deleted {
		u.changed[s.row.FromID], u.changed[s.row.ToID] = true, true
	}
	return err
}

type deletedRelation struct{ row RelationRow }

func (s *deletedRelation) size() int { return rowSize + len(s.row.From) + len(s.row.To) }

func (s *deletedRelation) undo(ctx context.Context, u *undoer) error {
	return u.putRelation(ctx, s.row)
}

// lostTogether is a co-occurrence that went with an entity.
type lostTogether struct{ row TogetherRow }

func (s *lostTogether) size() int { return rowSize + len(s.row.A) + len(s.row.B) }

func (s *lostTogether) undo(ctx context.Context, u *undoer) error { return u.putTogether(ctx, s.row) }

type retyped struct {
	ref
	before, after string
}

func (s *retyped) size() int { return rowSize }

func (s *retyped) undo(ctx context.Context, u *undoer) error {
	id, err := u.must(ctx, s.ref)
	if err != nil {
		return err
	}
	now, _, err := entityRow(ctx, u.w, id)
	if err != nil || now.Type != s.after { // another type was given since
		return err
	}
	if _, err := u.w.SetEntityType(ctx, id, s.before); err != nil {
		return err
	}
	return u.touch(ctx, id)
}

// touched is an update time.
type touched struct {
	ref
	before, after string
}

func (s *touched) size() int { return rowSize }

func (s *touched) undo(ctx context.Context, u *undoer) error {
	id, ok, err := u.find(ctx, s.ref)
	if err != nil || !ok {
		return err
	}
	if err := u.noteUpdated(ctx, id); err != nil || u.updated[id] != s.after {
		return err // someone has updated it since
	}
	u.updated[id] = s.before
	return u.w.SetUpdated(ctx, id, s.before)
}
