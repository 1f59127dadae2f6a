package memory

import (
	"context"
	"maps"
	"slices"

	"mcp-memory/internal/document"
)

// ChangedError says that an entity is not any more what a change left, so that the
// change cannot be undone without taking away what others did since.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string {
	return "Cannot be undone: " + e.Name + " has been changed since"
}

// Undo takes back what a journal notes, the last change first and all in one
// transaction. What others wrote meanwhile stays: an entity that was deleted comes
// back with all that it had, under its id, or is merged into one that has got its
// name since; what was added is taken away again as far as it is still there. An
// entity that was created is deleted if nobody has added to it, else Undo fails
// with a *ChangedError, and with a *NotFoundError where what is to change is gone.
//
// Relations and co-occurrences with entities that are gone cannot come back. They
// are left: a later Undo that brings these entities back can take them along.
func (s *Service) Undo(ctx context.Context, j Journal) (left Journal, err error) {
	var changed int
	err = s.store.Update(ctx, func(w Writer) error {
		u := &undoer{w: w, changed: map[int64]bool{}, updated: map[int64]string{}}
		for _, s := range slices.Backward(j.steps) {
			if err := s.undo(ctx, u); err != nil {
				return err
			}
		}
		slices.Reverse(u.left)
		left, changed = Journal{u.left}, len(u.changed)
		return w.Reindex(ctx, slices.Sorted(maps.Keys(u.changed)))
	})
	if err != nil {
		return Journal{}, err
	}
	s.indexer.changed(ctx, changed)
	return left, nil
}

// Join returns a journal of both: undoing it undoes the second first.
func (j Journal) Join(later Journal) Journal {
	return Journal{slices.Concat(j.steps, later.steps)}
}

// undoer undoes steps inside one transaction.
type undoer struct {
	w       Writer
	changed map[int64]bool   // entities whose text has changed
	updated map[int64]string // update times as others have left them
	left    []step           // what could not be undone, the last first
}

// ref names an entity by its id, or by its name where one that was deleted has
// been made anew.
type ref struct {
	id   int64
	name string
}

// find returns the id that an entity has now.
func (u *undoer) find(ctx context.Context, r ref) (int64, bool, error) {
	if heads, err := u.w.EntityHeads(ctx, []int64{r.id}); err != nil || len(heads) > 0 {
		return r.id, len(heads) > 0, err
	}
	known, err := resolve(ctx, u.w, []string{r.name})
	if err != nil {
		return 0, false, err
	}
	id, ok := known.id(r.name)
	return id, ok, nil
}

// must is find for what cannot be done without the entity.
func (u *undoer) must(ctx context.Context, r ref) (int64, error) {
	id, ok, err := u.find(ctx, r)
	if err == nil && !ok {
		err = &NotFoundError{Name: r.name}
	}
	return id, err
}

// touch notes that the text of an entity has changed.
func (u *undoer) touch(ctx context.Context, id int64) error {
	if err := u.noteUpdated(ctx, id); err != nil {
		return err
	}
	u.changed[id] = true
	return u.w.TouchEntity(ctx, id)
}

// noteUpdated keeps an update time before Undo moves it.
func (u *undoer) noteUpdated(ctx context.Context, id int64) error {
	if _, known := u.updated[id]; known {
		return nil
	}
	now, _, err := entityRow(ctx, u.w, id)
	u.updated[id] = document.Time(now.UpdatedAt)
	return err
}

// putRelation brings a relation back, or leaves it where an end is gone.
func (u *undoer) putRelation(ctx context.Context, row RelationRow) error {
	from, fromOK, err := u.find(ctx, ref{row.FromID, row.From})
	if err != nil {
		return err
	}
	to, toOK, err := u.find(ctx, ref{row.ToID, row.To})
	if err != nil {
		return err
	}
	if !fromOK || !toOK {
		u.left = append(u.left, &deletedRelation{row})
		return nil
	}
	row.FromID, row.ToID = from, to
	created, err := u.w.PutRelation(ctx, row)
	if created {
		u.changed[from], u.changed[to] = true, true
	}
	return err
}

// putTogether brings a co-occurrence back, or leaves it where an entity is gone.
func (u *undoer) putTogether(ctx context.Context, row TogetherRow) error {
	a, aOK, err := u.find(ctx, ref{row.AID, row.A})
	if err != nil {
		return err
	}
	b, bOK, err := u.find(ctx, ref{row.BID, row.B})
	if err != nil {
		return err
	}
	if !aOK || !bOK {
		u.left = append(u.left, &lostTogether{row})
		return nil
	}
	if a == b {
		return nil
	}
	return u.w.RestoreTogether(ctx, []RestoredPair{{A: a, B: b, Count: row.Count, Last: row.Last}})
}
