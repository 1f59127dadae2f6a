package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// indexWait is how long IndexTexts waits for other writers before each of its
// transactions.
const indexWait = 2 * time.Second

// IndexTexts brings the index in step with what other programs changed, however much
// that is: searches alone leave much to the background work. It reports progress to
// ctx. What others keep it from, as they write, is left; searches say so.
func (s *Service) IndexTexts(ctx context.Context) error {
	all, err := s.texts.outdated(ctx, math.MaxInt)
	if err != nil || len(all) == 0 {
		return err
	}
	return s.texts.refreshAll(ctx, indexWait, func(done int) {
		report(ctx, min(done, len(all)), len(all), "indexing")
	})
}

// Settle waits until everything that is stored can be found by meaning, also while
// other programs write, and reports progress to ctx. It needs the background work that
// Start begins. Without the model it returns an error that wraps ErrNoModel.
func (s *Service) Settle(ctx context.Context) error {
	if err := s.embedder.Load(ctx); err != nil {
		return err
	}
	if err := s.texts.refreshAll(ctx, patience, func(int) {}); err != nil {
		return err
	}
	s.indexer.finish(ctx, evenBlocked)
	if err := ctx.Err(); err != nil {
		return err
	}
	switch left, err := s.texts.outdated(ctx, 1); {
	case err != nil:
		return err
	case len(left) > 0:
		return errors.New("what other programs have changed is not indexed, since they go on writing")
	}
	_, pending, err := s.indexer.due(ctx, s.indexer.modelID())
	if err == nil && pending > 0 {
		err = fmt.Errorf("entities without a vector: %d", pending)
	}
	return err
}
