package memory

import (
	"context"
	"math"
	"slices"

	"mcp-memory/internal/fold"
)

// Place is where in a list of all entities a page ends.
type Place struct {
	Before int64   // the entities with smaller ids are still to come
	Shown  []int64 // those of them that are not: they were shown as recent ones
}

// ListEntities returns a page of all entities, without their observations: on
// the first page those that were used or changed last, the latest first, and
// then all others, the newest first. An entity that is there all the time is on one
// page exactly, whatever happens in between. from is nil for the first page, next
// after the last.
func (s *Service) ListEntities(ctx context.Context, limit int, from *Place) (heads []Entity, next *Place, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		var ids []int64
		if from == nil {
			ids, next, err = firstPage(ctx, r, limit)
		} else {
			ids, next, err = nextPage(ctx, r, limit, *from)
		}
		if err != nil {
			return err
		}
		heads, err = r.EntityHeads(ctx, ids)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return heads, next, nil
}

func firstPage(ctx context.Context, r Reader, limit int) (ids []int64, next *Place, err error) {
	newest, err := r.EntityIDsBefore(ctx, math.MaxInt64, limit+1)
	if err != nil || len(newest) == 0 {
		return nil, nil, err
	}
	if ids, err = r.RecentEntities(ctx, limit); err != nil {
		return nil, nil, err
	}
	if len(newest) > limit {
		next = &Place{Before: newest[0] + 1, Shown: slices.Sorted(slices.Values(ids))}
	}
	return ids, next, nil
}

func nextPage(ctx context.Context, r Reader, limit int, from Place) (ids []int64, next *Place, err error) {
	for before := from.Before; ; {
		page, err := r.EntityIDsBefore(ctx, before, limit+1)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range page {
			before = id
			if _, shown := slices.BinarySearch(from.Shown, id); shown {
				continue
			}
			if len(ids) == limit {
				return ids, &Place{Before: ids[limit-1], Shown: from.Shown}, nil
			}
			ids = append(ids, id)
		}
		if len(page) <= limit {
			return ids, nil, nil
		}
	}
}

// NamesLike returns names of entities that contain a fragment, whatever its case and
// accents, those that begin with it first, then by name; of no fragment, the names
// of those that were used or changed last. total counts all.
func (s *Service) NamesLike(ctx context.Context, fragment string, limit int) (names []string, total int, err error) {
	folded := fold.Text(cut(fragment, MaxNameLength))
	if _, err := s.refresh(ctx); err != nil {
		return nil, 0, err
	}
	names = []string{}
	err = s.store.View(ctx, func(r Reader) error {
		var ids []int64
		if folded == "" {
			if ids, err = r.RecentEntities(ctx, limit); err == nil {
				_, total, err = r.EntityPage(ctx, 0, 0)
			}
		} else {
			ids, total, err = r.WithName(ctx, folded, limit)
		}
		if err != nil {
			return err
		}
		heads, err := r.EntityHeads(ctx, ids)
		for _, e := range heads {
			names = append(names, e.Name)
		}
		return err
	})
	return names, total, err
}
