package memory

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	// refreshPage is how many entities are indexed anew in one transaction.
	refreshPage = 200
	// refreshWait is how long a search is held up by other writers when it
	// brings the index in step; beyond, it goes without the entities in question.
	refreshWait = 250 * time.Millisecond
	// refreshPatience is how long a search is held up in all. What is left
	// then is indexed in the background.
	refreshPatience = 5 * time.Second
	// tellAfter is how often long work in the background is logged.
	tellAfter = 10 * time.Second
)

// refresher brings the index in step with what other programs changed.
type refresher struct {
	store Store
	log   *slog.Logger
	turn  chan struct{} // holds a token while someone refreshes
}

func newRefresher(store Store, log *slog.Logger) *refresher {
	return &refresher{store: store, log: log, turn: make(chan struct{}, 1)}
}

// refresh indexes anew what is out of date, as far as that is possible within
// patience; 0 is forever. It reports false if there is more. Of those who want
// that at the same time one does it, and the others wait.
func (r *refresher) refresh(ctx context.Context, patience time.Duration) (complete bool, err error) {
	ids, err := r.outdated(ctx)
	if err != nil || len(ids) == 0 {
		return err == nil, err
	}
	began := time.Now()
	outOfPatience := make(<-chan time.Time)
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		outOfPatience = timer.C
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-outOfPatience:
		return false, nil
	case r.turn <- struct{}{}:
	}
	defer func() { <-r.turn }()
	told := began
	for done := 0; patience == 0 || time.Since(began) < patience; {
		ids, err := r.outdated(ctx)
		if err != nil || len(ids) == 0 {
			return err == nil, err
		}
		err = r.store.TryUpdate(ctx, refreshWait, func(w Writer) error { return w.Reindex(ctx, ids) })
		if errors.Is(err, ErrBusy) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		done += len(ids)
		if time.Since(told) > tellAfter {
			told = time.Now()
			r.log.Info("indexing what has changed", "entities", done)
		}
	}
	return false, nil
}

func (r *refresher) outdated(ctx context.Context) (ids []int64, err error) {
	err = r.store.View(ctx, func(reader Reader) error {
		ids, err = reader.Outdated(ctx, refreshPage)
		return err
	})
	return ids, err
}
