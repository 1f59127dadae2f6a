package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// NewEntity is an entity to create or to merge into the one of its name.
type NewEntity struct {
	Name         string
	Type         *string // nil or blank: the default for a new entity, no change for an existing one
	Observations []string
}

// typeGiven returns the type if there is one.
func (e NewEntity) typeGiven() (string, bool) {
	if e.Type == nil || strings.TrimSpace(*e.Type) == "" {
		return "", false
	}
	return *e.Type, true
}

// CreateEntities creates entities, or merges them into those that exist: a
// given type replaces the stored one, observations that are new are added.
// The answer has one entity an item, as it was right after that item.
func (s *Service) CreateEntities(ctx context.Context, items []NewEntity) ([]Entity, error) {
	var (
		created []Entity
		changed int
	)
	err := s.update(ctx, func(w Writer) error {
		created = make([]Entity, 0, len(items))
		m := newMerger(w)
		if err := m.prepare(ctx, items); err != nil {
			return err
		}
		for _, item := range items {
			id, err := m.merge(ctx, item)
			if err != nil {
				return err
			}
			if err := w.EnsureUsage(ctx, id); err != nil {
				return err
			}
			entity, err := readEntity(ctx, w, id)
			if err != nil {
				return err
			}
			created = append(created, entity)
		}
		var err error
		changed, err = m.finish(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.indexer.changed(ctx, changed)
	return created, nil
}

// DeleteEntities deletes entities with all that belongs to them. It reports
// the names that were deleted and a *NotFoundError for every other one.
func (s *Service) DeleteEntities(ctx context.Context, names []string) (deleted []string, missing []error, err error) {
	var neighbours map[int64]bool
	err = s.update(ctx, func(w Writer) error {
		deleted, missing, neighbours = []string{}, nil, map[int64]bool{}
		known, err := resolve(ctx, w, names)
		if err != nil {
			return err
		}
		for _, name := range names {
			id, ok := known.id(name)
			if !ok {
				missing = append(missing, &NotFoundError{Name: name})
				continue
			}
			others, err := neighboursOf(ctx, w, []int64{id})
			if err != nil {
				return err
			}
			if err := w.DeleteEntity(ctx, id); err != nil {
				return err
			}
			known.remove(id)
			deleted = append(deleted, name)
			delete(neighbours, id)
			for _, other := range others {
				neighbours[other] = true
			}
		}
		return w.Reindex(ctx, slices.Sorted(maps.Keys(neighbours)))
	})
	if err != nil {
		return nil, nil, err
	}
	s.indexer.changed(ctx, len(neighbours))
	return deleted, missing, nil
}

// readEntity returns one entity that must exist.
func readEntity(ctx context.Context, r Reader, id int64) (Entity, error) {
	found, err := r.Entities(ctx, []int64{id})
	if err != nil {
		return Entity{}, err
	}
	if len(found) == 0 {
		return Entity{}, &NotFoundError{}
	}
	return found[0], nil
}

// neighboursOf returns the entities related to ids, without ids themselves.
func neighboursOf(ctx context.Context, r Reader, ids []int64) ([]int64, error) {
	edges, err := r.EdgesTouching(ctx, ids)
	if err != nil {
		return nil, err
	}
	seen := make(map[int64]bool, len(ids))
	for _, id := range ids {
		seen[id] = true
	}
	var others []int64
	for _, e := range edges {
		for _, id := range []int64{e.FromID, e.ToID} {
			if !seen[id] {
				seen[id] = true
				others = append(others, id)
			}
		}
	}
	return others, nil
}
