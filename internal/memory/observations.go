package memory

import (
	"context"
	"slices"
)

// ObservationSet names observations of one entity.
type ObservationSet struct {
	Name     string
	Contents []string
}

// ObservationResult is an entity after its observations changed, the contents
// that were added to it or deleted from it, and what there was not to delete.
type ObservationResult struct {
	Entity  Entity
	Changed []string
	Missing []error // a *ObservationNotFoundError for each content to delete that the entity does not have
}

// AddObservations adds to each named entity the contents that it does not have
// yet. An unknown name is a *NotFoundError, and then nothing is changed.
func (s *Service) AddObservations(ctx context.Context, sets []ObservationSet) ([]ObservationResult, error) {
	return s.changeObservations(ctx, sets, func(ctx context.Context, w Writer, id int64, contents []string) ([]string, error) {
		added, err := w.InsertObservations(ctx, id, contents)
		if err != nil || !countsAsUse(ctx) {
			return added, err
		}
		return added, w.RecordAccess(ctx, []int64{id})
	})
}

// DeleteObservations deletes from each named entity the contents that it has.
// An unknown name is a *NotFoundError, and then nothing is changed.
func (s *Service) DeleteObservations(ctx context.Context, sets []ObservationSet) ([]ObservationResult, error) {
	results, err := s.changeObservations(ctx, sets, func(ctx context.Context, w Writer, id int64, contents []string) ([]string, error) {
		return w.DeleteObservations(ctx, id, contents)
	})
	for i := range results {
		results[i].Missing = notFound(sets[i].Contents, results[i].Changed)
	}
	return results, err
}

// notFound returns an error, once, for each of contents that was not deleted.
func notFound(contents, deleted []string) (missing []error) {
	seen := make(map[string]bool, len(contents))
	for _, content := range deleted {
		seen[content] = true
	}
	for _, content := range contents {
		if !seen[content] {
			seen[content] = true
			missing = append(missing, &ObservationNotFoundError{Content: content})
		}
	}
	return missing
}

// changeObservations applies change to every set in one transaction.
func (s *Service) changeObservations(
	ctx context.Context, sets []ObservationSet,
	change func(context.Context, Writer, int64, []string) ([]string, error),
) ([]ObservationResult, error) {
	var (
		results []ObservationResult
		changed int
	)
	err := s.update(ctx, func(w Writer) error {
		results = make([]ObservationResult, 0, len(sets))
		known, err := resolve(ctx, w, namesOf(sets))
		if err != nil {
			return err
		}
		m := newMerger(w)
		ids := make([]int64, 0, len(sets))
		for _, set := range sets {
			id, ok := known.id(set.Name)
			if !ok {
				return &NotFoundError{Name: set.Name}
			}
			contents, err := change(ctx, w, id, set.Contents)
			if err != nil {
				return err
			}
			if len(contents) > 0 {
				if err := w.TouchEntity(ctx, id); err != nil {
					return err
				}
				m.changed[id] = true
			}
			ids = append(ids, id)
			results = append(results, ObservationResult{Changed: contents})
		}
		if err := addEntities(ctx, w, ids, results); err != nil {
			return err
		}
		changed, err = m.finish(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.indexer.changed(ctx, changed)
	return results, nil
}

// addEntities adds to each result the entity of that id, as it is now.
func addEntities(ctx context.Context, r Reader, ids []int64, results []ObservationResult) error {
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	entities, err := r.Entities(ctx, distinct)
	if err != nil {
		return err
	}
	byID := make(map[int64]Entity, len(entities))
	for _, e := range entities {
		byID[e.ID] = e
	}
	for i, id := range ids {
		results[i].Entity = byID[id]
	}
	return nil
}

func namesOf(sets []ObservationSet) []string {
	names := make([]string, len(sets))
	for i, set := range sets {
		names[i] = set.Name
	}
	return names
}
