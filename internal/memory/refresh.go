package memory

import (
	"context"
	"errors"
	"time"
)

const (
	// refreshPage is how many index rows are rewritten in one transaction.
	refreshPage = 500
	// refreshWait is how long a search is held up to bring the text index in
	// step; beyond, it goes without the entities in question.
	refreshWait = 250 * time.Millisecond
)

// refresher brings the text index in step with what other programs changed.
type refresher struct {
	store Store
	turn  chan struct{} // holds a token while someone refreshes
}

func newRefresher(store Store) *refresher {
	return &refresher{store: store, turn: make(chan struct{}, 1)}
}

// refresh rewrites the index rows that are out of date. Of those who want that
// at the same time one does it, and the others wait.
func (r *refresher) refresh(ctx context.Context) error {
	ids, err := r.outdated(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case r.turn <- struct{}{}:
	}
	defer func() { <-r.turn }()
	for {
		ids, err := r.outdated(ctx)
		if err != nil || len(ids) == 0 {
			return err
		}
		err = r.store.TryUpdate(ctx, refreshWait, func(w Writer) error { return w.RefreshText(ctx, ids) })
		if errors.Is(err, ErrBusy) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *refresher) outdated(ctx context.Context) (ids []int64, err error) {
	err = r.store.View(ctx, func(reader Reader) error {
		ids, err = reader.OutdatedTexts(ctx, refreshPage)
		return err
	})
	return ids, err
}
