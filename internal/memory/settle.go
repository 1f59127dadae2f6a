package memory

import (
	"context"
	"errors"
	"fmt"
)

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
