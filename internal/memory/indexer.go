package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// embedBatch is how many passages are embedded between two writes: small,
	// so that a question waits little and a crash loses little.
	embedBatch = 16
	// smallChange is up to how many changed entities a write waits for their
	// vectors, and promptly how long.
	smallChange = 8
	promptly    = time.Second
	// A search waits for the vectors of what was just stored if the passages are
	// few or can be expected soon, and never longer than patience: clients give
	// up after a minute. Without them it would miss what its user just said.
	few      = 1_000
	soon     = 30 * time.Second
	patience = 50 * time.Second
	// retryPause is how long after a failure the loop tries again.
	retryPause = 10 * time.Second
	// usualCost is what one passage takes before any was measured.
	usualCost = 30 * time.Millisecond
)

// indexer computes, one batch after the other, the vectors of passages whose
// text has changed. The database knows which: nothing is lost with the process.
type indexer struct {
	store    Store
	texts    *refresher
	embedder Embedder
	log      *slog.Logger

	wake     chan struct{} // holds one pending wake-up
	done     chan struct{} // closed when the loop has ended; nil before start
	stopLoop context.CancelFunc

	// Of the loop alone: the model that SetModel was called with, and since
	// when another one has been noted there.
	claimed string
	lost    time.Time

	noModelOnce sync.Once // every write would say it again

	mu      sync.Mutex
	asked   int           // number of wake-ups
	settled int           // asked, as of the start of the last finished pass
	stepped chan struct{} // closed and replaced after every batch and pass
	cost    time.Duration // of one passage, smoothed
	used    time.Time     // when something was asked last
	working bool          // a pass is under way
	tired   bool          // a search has waited for it as long as any may
	blocked bool          // another program writes, for longer than a moment
}

func newIndexer(store Store, texts *refresher, embedder Embedder, log *slog.Logger) *indexer {
	return &indexer{
		store: store, texts: texts, embedder: embedder, log: log,
		wake:    make(chan struct{}, 1),
		stepped: make(chan struct{}),
		cost:    usualCost,
	}
}

// start begins the background loop, with what an earlier process left undone.
func (x *indexer) start(ctx context.Context) {
	ctx, x.stopLoop = context.WithCancel(ctx)
	x.done = make(chan struct{})
	x.wakeUp()
	go func() {
		defer close(x.done)
		x.loop(ctx)
	}()
}

// stop ends the loop. A batch that is being embedded is given up.
func (x *indexer) stop() {
	if x.done == nil {
		return
	}
	x.stopLoop()
	<-x.done
}

func (x *indexer) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		}
		x.mu.Lock()
		asked := x.asked
		x.working = true
		x.mu.Unlock()
		if err := safely(func() error { return x.pass(ctx) }); err != nil {
			x.logFailure(ctx, "computing vectors", err)
			if !errors.Is(err, ErrNoModel) { // that is tried when it is asked for
				time.AfterFunc(retryPause, func() { x.wakeUp() })
			}
		}
		x.mu.Lock()
		x.settled, x.working, x.tired = asked, false, false
		x.mu.Unlock()
		x.announce()
		if err := safely(func() error { return x.wholeTexts(ctx, asked) }); err != nil {
			x.logFailure(ctx, "computing vectors of whole texts", err)
		}
	}
}

// safely makes a panic an error: a memory that cannot be embedded is no reason
// to end the server.
func safely(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run()
}

// wakeUp asks for a pass that begins after now, and returns its number.
func (x *indexer) wakeUp() int {
	x.mu.Lock()
	x.asked++
	x.used = time.Now()
	number := x.asked
	x.mu.Unlock()
	x.wakeAgain()
	return number
}

// wakeAgain has the loop look whether a pass was asked for.
func (x *indexer) wakeAgain() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// announce lets all who wait look again.
func (x *indexer) announce() {
	x.mu.Lock()
	close(x.stepped)
	x.stepped = make(chan struct{})
	x.mu.Unlock()
}

// setBlocked notes whether vectors can be written at present.
func (x *indexer) setBlocked(blocked bool) {
	x.mu.Lock()
	x.blocked = blocked
	x.mu.Unlock()
	x.announce()
}

// changed says that a change of this many entities was committed. It waits for
// their vectors when they are few, the model is loaded and nothing else is to
// be done; otherwise they come in the background.
func (x *indexer) changed(ctx context.Context, entities int) {
	committed(ctx)
	if entities == 0 || x.done == nil {
		return
	}
	x.mu.Lock()
	prompt := !x.working && entities <= smallChange && x.embedder.Ready()
	x.mu.Unlock()
	number := x.wakeUp()
	if prompt {
		ctx, cancel := context.WithTimeout(ctx, promptly)
		defer cancel()
		_ = x.await(ctx, number, unlessBlocked, nil) // what is not done in time comes later
	}
}

// settle waits for the vectors of what was stored before, unless they are many or
// another search has waited for them in vain, and returns how many entities have none
// all the same.
func (x *indexer) settle(ctx context.Context) (pending int, err error) {
	x.touch()
	modelID := x.modelID()
	passages, pending, err := x.due(ctx, modelID)
	if err != nil || passages == 0 || x.done == nil {
		return pending, err
	}
	number := x.wakeUp()
	x.mu.Lock()
	expected, tired := time.Duration(passages)*x.cost, x.tired
	x.mu.Unlock()
	if tired || passages > few && expected > soon {
		return pending, nil
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := x.await(patient, number, unlessBlocked, x.reporter(ctx, passages)); err != nil {
		if ctx.Err() != nil {
			return pending, ctx.Err()
		}
		x.mu.Lock()
		x.tired = true
		x.mu.Unlock()
	}
	_, pending, err = x.due(ctx, modelID)
	return pending, err
}

// finish waits for all vectors until ctx ends, reporting progress to it.
func (x *indexer) finish(ctx context.Context, how waiting) {
	passages, _, err := x.due(ctx, x.modelID())
	if err != nil || passages == 0 || x.done == nil {
		return
	}
	_ = x.await(ctx, x.wakeUp(), how, x.reporter(ctx, passages))
}

// reporter returns a function that reports how many of the passages are done.
func (x *indexer) reporter(ctx context.Context, passages int) func() {
	return func() {
		if left, _, err := x.due(ctx, x.modelID()); err == nil {
			report(ctx, max(0, passages-left), passages, "computing embeddings")
		}
	}
}

// touch notes that something is being asked.
func (x *indexer) touch() {
	x.mu.Lock()
	x.used = time.Now()
	x.mu.Unlock()
}

// waiting is for how long vectors are waited for.
type waiting bool

const (
	unlessBlocked waiting = false // until another program writes for longer than a moment
	evenBlocked   waiting = true
)

// await waits until the pass of that number is over, calling onStep, if there is one,
// after batches until then and at the end.
func (x *indexer) await(ctx context.Context, number int, how waiting, onStep func()) error {
	for {
		x.mu.Lock()
		over, stepped := x.settled >= number || x.blocked && how == unlessBlocked, x.stepped
		x.mu.Unlock()
		if over {
			if onStep != nil { // more may have been done while it looked last
				onStep()
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-x.done:
			return context.Canceled
		case <-stepped:
			if onStep != nil {
				onStep()
			}
		}
	}
}

// logFailure logs what went wrong in the background, except what is no fault.
func (x *indexer) logFailure(ctx context.Context, doing string, err error) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, ErrNoModel):
		x.noModelOnce.Do(func() {
			x.log.Info("no embedding model: memories are stored without vectors for now", "reason", err)
		})
	default:
		x.log.Error(doing+" failed", "error", err)
	}
}
