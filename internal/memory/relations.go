package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrRelationExists says that the very same relation is stored already.
var ErrRelationExists = errors.New("Relation already exists") //nolint:staticcheck // documented wording, shown to users as it is

// RelationResult is what became of one relation to create: stored, or not
// because of Err, which is ErrRelationExists or a *NotFoundError.
type RelationResult struct {
	Relation Relation
	Err      error
}

// CreateRelations stores relations between entities that exist. The answer has
// one result an item.
func (s *Service) CreateRelations(ctx context.Context, relations []Relation) ([]RelationResult, error) {
	var (
		results []RelationResult
		changed map[int64]bool // ends
	)
	err := s.update(ctx, func(w Writer) error {
		results, changed = make([]RelationResult, 0, len(relations)), map[int64]bool{}
		known, err := resolve(ctx, w, endsOf(relations))
		if err != nil {
			return err
		}
		for _, r := range relations {
			from, to, err := ends(known, r)
			if err == nil {
				var created bool
				if created, err = w.InsertRelation(ctx, from, to, r.Type); err != nil {
					return err
				}
				if created {
					changed[from], changed[to] = true, true
				} else {
					err = ErrRelationExists
				}
			}
			results = append(results, RelationResult{Relation: r, Err: err})
		}
		return w.Reindex(ctx, slices.Sorted(maps.Keys(changed)))
	})
	if err != nil {
		return nil, err
	}
	s.indexer.changed(ctx, len(changed))
	return results, nil
}

// DeleteRelations deletes relations. It returns those that were deleted and an
// error for each that was not.
func (s *Service) DeleteRelations(ctx context.Context, relations []Relation) (deleted []Relation, missing []error, err error) {
	var changed map[int64]bool // ends
	err = s.update(ctx, func(w Writer) error {
		deleted, missing, changed = []Relation{}, nil, map[int64]bool{}
		known, err := resolve(ctx, w, endsOf(relations))
		if err != nil {
			return err
		}
		for _, r := range relations {
			from, to, err := ends(known, r)
			if err != nil {
				missing = append(missing, &NotFoundError{Name: r.From + " or " + r.To})
				continue
			}
			ok, err := w.DeleteRelation(ctx, from, to, r.Type)
			if err != nil {
				return err
			}
			if !ok {
				missing = append(missing, &RelationNotFoundError{Relation: r})
				continue
			}
			deleted = append(deleted, r)
			changed[from], changed[to] = true, true
		}
		return w.Reindex(ctx, slices.Sorted(maps.Keys(changed)))
	})
	if err != nil {
		return nil, nil, err
	}
	s.indexer.changed(ctx, len(changed))
	return deleted, missing, nil
}

// RelationNotFoundError is a relation that is not stored.
type RelationNotFoundError struct{ Relation Relation }

func (e *RelationNotFoundError) Error() string {
	return fmt.Sprintf("Relation not found: %s -> %s (%s)", e.Relation.From, e.Relation.To, e.Relation.Type)
}

// ends returns the ids of a relation's ends, or a *NotFoundError for the first
// that is missing.
func ends(known *resolver, r Relation) (from, to int64, err error) {
	from, ok := known.id(r.From)
	if !ok {
		return 0, 0, &NotFoundError{Name: r.From}
	}
	to, ok = known.id(r.To)
	if !ok {
		return 0, 0, &NotFoundError{Name: r.To}
	}
	return from, to, nil
}

func endsOf(relations []Relation) []string {
	names := make([]string, 0, 2*len(relations))
	for _, r := range relations {
		names = append(names, r.From, r.To)
	}
	return names
}
