package memory

import "context"

// Counts is how much a memory holds.
type Counts struct {
	Entities, Observations, Relations int
	Waiting                           int // passages without a vector
}

// Count counts what the memory holds, in one snapshot.
func (s *Service) Count(ctx context.Context) (c Counts, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		if _, c.Entities, err = r.EntityPage(ctx, 0, 0); err != nil {
			return err
		}
		if c.Observations, err = r.CountObservations(ctx); err != nil {
			return err
		}
		if c.Relations, err = r.CountEdges(ctx); err != nil {
			return err
		}
		c.Waiting, _, err = r.CountPassagesDue(ctx, s.indexer.modelID())
		return err
	})
	return c, err
}

// ModelReady reports whether the model is loaded.
func (s *Service) ModelReady() bool { return s.embedder.Ready() }

// Readable returns an error when the memory cannot be read.
func (s *Service) Readable(ctx context.Context) error {
	return s.store.View(ctx, func(r Reader) error {
		_, err := r.EntityIDs(ctx, []string{"health"}) // any name: what counts is that a page can be read
		return err
	})
}
