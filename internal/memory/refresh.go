package memory

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// refreshPage is how many entities are indexed anew in one transaction.
	refreshPage = 500
	// searchWait is how long a search is held up by other writers when it
	// brings the index in step; beyond, it goes without the entities in question.
	searchWait = 25 * time.Millisecond
	// refreshWait is the same for work in the background.
	refreshWait = 250 * time.Millisecond
	// refreshPatience is how long a search is held up in all. What is left
	// then is indexed in the background.
	refreshPatience = 5 * time.Second
	// refreshPause is how long work that nobody waits for leaves the database to
	// others between two transactions: those who wait look each 20 ms.
	refreshPause = 25 * time.Millisecond
	// ManyUnindexed are so many entities that a search is not held up to index them.
	// As many come of an import, whose process indexes them.
	ManyUnindexed = manyNew
	// othersPause is how often work in the background looks whether another process
	// does it.
	othersPause = time.Second
	// othersPatience is how long another process may take for a part of that.
	othersPatience = 3 * time.Second
	// tellAfter is how often long work in the background is logged.
	tellAfter = 10 * time.Second
)

// refresher brings the index in step with what other programs changed.
type refresher struct {
	store  Store
	log    *slog.Logger
	turn   chan struct{} // holds a token while someone refreshes
	atMany atomic.Bool   // work in the background has the turn, for long
	others progress
}

func newRefresher(store Store, log *slog.Logger) *refresher {
	return &refresher{store: store, log: log, turn: make(chan struct{}, 1)}
}

// refresh indexes anew what is out of date, as far as a search can be held up for
// that: not by those who are at very many, here or elsewhere, nor by a writer.
// It reports false if there is more. Of the searches that want
// that at the same time one does it, and the others wait.
func (r *refresher) refresh(ctx context.Context) (complete bool, err error) {
	ids, err := r.outdated(ctx, ManyUnindexed)
	goOn := err == nil && r.others.goOn(ids)
	if err != nil || len(ids) == 0 || len(ids) == ManyUnindexed || goOn || r.atMany.Load() {
		return len(ids) == 0 && err == nil, err
	}
	began := time.Now()
	outOfPatience := time.NewTimer(refreshPatience)
	defer outOfPatience.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-outOfPatience.C:
		return false, nil
	case r.turn <- struct{}{}:
	}
	defer func() { <-r.turn }()
	for time.Since(began) < refreshPatience {
		if n, err := r.page(ctx, searchWait); err != nil || n == 0 {
			return err == nil, quietly(err)
		}
	}
	return false, nil
}

// refreshAll indexes anew all that is out of date, unless others write for longer
// than wait. It calls each with the number done so far.
func (r *refresher) refreshAll(ctx context.Context, wait time.Duration, each func(done int)) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case r.turn <- struct{}{}:
	}
	defer func() { <-r.turn }()
	ids, err := r.outdated(ctx, refreshPage+1)
	if err != nil {
		return err
	}
	r.atMany.Store(len(ids) > refreshPage)
	defer r.atMany.Store(false)
	told := time.Now()
	for done := 0; ; {
		n, err := r.page(ctx, wait)
		if err == nil && n == 0 && done >= ManyUnindexed {
			err = r.merge(ctx, wait)
		}
		if err != nil || n == 0 {
			return quietly(err)
		}
		done += n
		each(done)
		if time.Since(told) > tellAfter {
			told = time.Now()
			r.log.Info("indexing what has changed", "entities", done)
		}
		if n < refreshPage {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refreshPause):
		}
	}
}

// merge makes one piece of the index, part by part, after very many changes: searches for
// parts of words took five times as long without.
func (r *refresher) merge(ctx context.Context, wait time.Duration) error {
	for begin := true; ; begin = false {
		var more bool
		err := r.store.TryUpdate(ctx, wait, func(w Writer) (err error) {
			more, err = w.MergeIndex(ctx, begin)
			return err
		})
		if err != nil || !more {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refreshPause):
		}
	}
}

// watchOthers returns when no other process brings very many entities in step: two
// that did would only be in each other's way.
func (r *refresher) watchOthers(ctx context.Context) error {
	for {
		ids, err := r.outdated(ctx, ManyUnindexed)
		if err != nil || !r.others.goOn(ids) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(othersPause):
		}
	}
}

// progress tells whether another process goes on to bring very many entities in
// step, by the first that it has left. It goes on with the last ones, too.
type progress struct {
	mu    sync.Mutex
	many  bool
	first int64
	since time.Time
}

// goOn takes what is out of date now, up to ManyUnindexed.
func (p *progress) goOn(outdated []int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(outdated) == 0, !p.many && len(outdated) < ManyUnindexed:
		p.many = false
	case !p.many || outdated[0] != p.first:
		p.many, p.first, p.since = true, outdated[0], time.Now()
	default:
		p.many = time.Since(p.since) < othersPatience
	}
	return p.many
}

// quietly leaves out that others write.
func quietly(err error) error {
	if errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}

// page indexes the first entities that are out of date, and returns how many.
func (r *refresher) page(ctx context.Context, wait time.Duration) (n int, err error) {
	ids, err := r.outdated(ctx, 1)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	err = r.store.TryUpdate(ctx, wait, func(w Writer) error {
		ids, err := w.Outdated(ctx, refreshPage) // others may have indexed some in the meantime
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		return w.Reindex(ctx, ids)
	})
	return n, err
}

func (r *refresher) outdated(ctx context.Context, limit int) (ids []int64, err error) {
	err = r.store.View(ctx, func(reader Reader) error {
		ids, err = reader.Outdated(ctx, limit)
		return err
	})
	return ids, err
}
