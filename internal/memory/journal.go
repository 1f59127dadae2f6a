package memory

import (
	"context"
	"maps"
	"slices"

	"mcp-memory/internal/document"
)

// Journal notes what writes changed, so that Undo can take them back. Writes
// with a context of WithJournal add to it, one after the other.
type Journal struct {
	steps []step // in order
}

// Empty reports whether there is nothing to undo.
func (j Journal) Empty() bool { return len(j.steps) == 0 }

// Size is about how much room a journal takes, in bytes.
func (j Journal) Size() int {
	size := 0
	for _, s := range j.steps {
		size += s.size()
	}
	return size
}

type journalKey struct{}

// WithJournal returns a context whose writes note in j what they changed, once
// they are committed.
func WithJournal(ctx context.Context, j *Journal) context.Context {
	return context.WithValue(ctx, journalKey{}, j)
}

// update is Store.Update that demands what the context expects, and keeps its
// journal, if there is one.
func (s *Service) update(ctx context.Context, fn func(Writer) error) error {
	fn = expecting(ctx, fn)
	journal, ok := ctx.Value(journalKey{}).(*Journal)
	if !ok {
		return s.store.Update(ctx, fn)
	}
	var steps []step
	err := s.store.Update(ctx, func(w Writer) error {
		r := &recorder{Writer: w, touched: map[int64]*touched{}}
		if err := fn(r); err != nil {
			return err
		}
		var err error
		steps, err = r.finish(ctx)
		return err
	})
	if err == nil {
		journal.steps = append(journal.steps, steps...)
	}
	return err
}

// recorder is a Writer that notes, in the transaction, what is there before it is
// changed.
type recorder struct {
	Writer
	steps   []step
	touched map[int64]*touched
}

// finish returns the steps. Update times come first, so that they are undone last.
func (r *recorder) finish(ctx context.Context) ([]step, error) {
	var steps []step
	for _, id := range slices.Sorted(maps.Keys(r.touched)) {
		now, ok, err := entityRow(ctx, r.Writer, id)
		if err != nil {
			return nil, err
		}
		if t := r.touched[id]; ok && t != nil {
			t.after = document.Time(now.UpdatedAt)
			steps = append(steps, t)
		}
	}
	return append(steps, r.steps...), nil
}

func (r *recorder) InsertEntity(ctx context.Context, name, entityType string) (int64, error) {
	id, err := r.Writer.InsertEntity(ctx, name, entityType)
	if err == nil {
		r.touched[id] = nil // its times go with it
		r.steps = append(r.steps, &insertedEntity{ref{id, name}})
	}
	return id, err
}

func (r *recorder) SetEntityType(ctx context.Context, id int64, entityType string) (bool, error) {
	before, _, err := entityRow(ctx, r.Writer, id)
	if err != nil {
		return false, err
	}
	changed, err := r.Writer.SetEntityType(ctx, id, entityType)
	if changed {
		r.steps = append(r.steps, &retyped{ref{id, before.Name}, before.Type, entityType})
	}
	return changed, err
}

func (r *recorder) TouchEntity(ctx context.Context, id int64) error {
	if _, known := r.touched[id]; !known {
		before, _, err := entityRow(ctx, r.Writer, id)
		if err != nil {
			return err
		}
		r.touched[id] = &touched{ref: ref{id, before.Name}, before: document.Time(before.UpdatedAt)}
	}
	return r.Writer.TouchEntity(ctx, id)
}

func (r *recorder) DeleteEntity(ctx context.Context, id int64) error {
	entity, ok, err := entityRow(ctx, r.Writer, id)
	if err != nil || !ok {
		return err
	}
	taken := &deletedEntity{ref: ref{id, entity.Name}, entity: entity}
	if taken.observations, err = r.ObservationRows(ctx, id); err != nil {
		return err
	}
	if taken.relations, err = r.RelationRows(ctx, id); err != nil {
		return err
	}
	if taken.together, err = r.TogetherRows(ctx, id); err != nil {
		return err
	}
	if err := r.Writer.DeleteEntity(ctx, id); err != nil {
		return err
	}
	r.steps = append(r.steps, taken)
	return nil
}

func (r *recorder) InsertObservations(ctx context.Context, id int64, contents []string) ([]string, error) {
	added, err := r.Writer.InsertObservations(ctx, id, contents)
	if err != nil || len(added) == 0 {
		return added, err
	}
	entity, _, err := entityRow(ctx, r.Writer, id)
	r.steps = append(r.steps, &insertedObservations{ref{id, entity.Name}, added})
	return added, err
}

func (r *recorder) DeleteObservations(ctx context.Context, id int64, contents []string) ([]string, error) {
	before, err := r.ObservationRows(ctx, id)
	if err != nil {
		return nil, err
	}
	entity, _, err := entityRow(ctx, r.Writer, id)
	if err != nil {
		return nil, err
	}
	deleted, err := r.Writer.DeleteObservations(ctx, id, contents)
	if len(deleted) > 0 {
		gone := make(map[string]bool, len(deleted))
		for _, content := range deleted {
			gone[content] = true
		}
		rows := slices.DeleteFunc(before, func(row ObservationRow) bool { return !gone[row.Content] })
		r.steps = append(r.steps, &deletedObservations{ref{id, entity.Name}, rows})
	}
	return deleted, err
}

func (r *recorder) InsertRelation(ctx context.Context, fromID, toID int64, relationType string) (bool, error) {
	created, err := r.Writer.InsertRelation(ctx, fromID, toID, relationType)
	if err != nil || !created {
		return created, err
	}
	row, err := relationRow(ctx, r.Writer, fromID, toID, relationType)
	r.steps = append(r.steps, &insertedRelation{row})
	return created, err
}

func (r *recorder) DeleteRelation(ctx context.Context, fromID, toID int64, relationType string) (bool, error) {
	row, err := relationRow(ctx, r.Writer, fromID, toID, relationType)
	if err != nil {
		return false, err
	}
	deleted, err := r.Writer.DeleteRelation(ctx, fromID, toID, relationType)
	if deleted {
		r.steps = append(r.steps, &deletedRelation{row})
	}
	return deleted, err
}

// entityRow reads an entity's own row and use, without its observations.
func entityRow(ctx context.Context, r Reader, id int64) (document.Entity, bool, error) {
	found, err := r.WholeEntities(ctx, []int64{id})
	if err != nil || len(found) == 0 {
		return document.Entity{}, false, err
	}
	found[0].Observations = nil
	return found[0], true, nil
}

// relationRow reads a relation; its row is zero if there is none.
func relationRow(ctx context.Context, r Reader, fromID, toID int64, relationType string) (RelationRow, error) {
	rows, err := r.RelationRows(ctx, fromID)
	for _, row := range rows {
		if row.FromID == fromID && row.ToID == toID && row.Type == relationType {
			return row, err
		}
	}
	return RelationRow{}, err
}
