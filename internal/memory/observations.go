package memory

import "context"

// ObservationSet names observations of one entity.
type ObservationSet struct {
	Name     string
	Contents []string
}

// ObservationResult is an entity after its observations changed, and the
// contents that were added to it or deleted from it.
type ObservationResult struct {
	Entity  Entity
	Changed []string
}

// AddObservations adds to each named entity the contents that it does not have
// yet. An unknown name is a *NotFoundError, and then nothing is changed.
func (s *Service) AddObservations(ctx context.Context, sets []ObservationSet) ([]ObservationResult, error) {
	return s.changeObservations(ctx, sets, func(ctx context.Context, w Writer, id int64, contents []string) ([]string, error) {
		added, err := w.InsertObservations(ctx, id, contents)
		if err != nil {
			return nil, err
		}
		return added, w.RecordAccess(ctx, []int64{id})
	})
}

// DeleteObservations deletes from each named entity the contents that it has.
// An unknown name is a *NotFoundError, and then nothing is changed.
func (s *Service) DeleteObservations(ctx context.Context, sets []ObservationSet) ([]ObservationResult, error) {
	return s.changeObservations(ctx, sets, func(ctx context.Context, w Writer, id int64, contents []string) ([]string, error) {
		return w.DeleteObservations(ctx, id, contents)
	})
}

// changeObservations applies change to every set in one transaction.
func (s *Service) changeObservations(
	ctx context.Context, sets []ObservationSet,
	change func(context.Context, Writer, int64, []string) ([]string, error),
) ([]ObservationResult, error) {
	var (
		results []ObservationResult
		changed []int64
	)
	err := s.store.Update(ctx, func(w Writer) error {
		results, changed = make([]ObservationResult, 0, len(sets)), nil
		known, err := resolve(ctx, w, namesOf(sets))
		if err != nil {
			return err
		}
		m := newMerger(w)
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
				m.note(id)
			}
			entity, err := readEntity(ctx, w, id)
			if err != nil {
				return err
			}
			results = append(results, ObservationResult{Entity: entity, Changed: contents})
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

func namesOf(sets []ObservationSet) []string {
	names := make([]string, len(sets))
	for i, set := range sets {
		names[i] = set.Name
	}
	return names
}
