package memory

import (
	"context"
	"fmt"
)

// Settle waits until everything that is stored can be found by meaning, and
// reports progress to ctx. It needs the background work that Start begins.
// Without the model it returns an error that wraps ErrNoModel.
func (s *Service) Settle(ctx context.Context) error {
	if err := s.embedder.Load(ctx); err != nil {
		return err
	}
	if err := s.texts.refreshAll(ctx, refreshWait, func(int) {}); err != nil {
		return err
	}
	s.indexer.finish(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	_, pending, err := s.indexer.due(ctx, s.indexer.modelID())
	if err == nil && pending > 0 {
		err = fmt.Errorf("entities without a vector: %d", pending)
	}
	return err
}
