package memory

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// usageWait is how long a read may be held up to record that it happened.
	usageWait = 25 * time.Millisecond
	// usageRetry is how long usage waits for another try when writers are busy.
	usageRetry = 2 * time.Second
	// maxUnwrittenUses bounds what is kept while the database stays busy.
	maxUnwrittenUses = 1_000
	// maxTogether bounds the pairs of one use, which grow with its square.
	maxTogether = 64
)

// usageRecorder records which entities were used, and which together. A read
// never fails or waits for it: what cannot be written at once is kept and
// written later.
type usageRecorder struct {
	store Store
	log   *slog.Logger

	mu        sync.Mutex
	unwritten [][]int64 // one use each: ids returned together, best first
	writing   bool
	retry     *time.Timer
	closed    bool
}

func newUsageRecorder(store Store, log *slog.Logger) *usageRecorder {
	return &usageRecorder{store: store, log: log}
}

// record notes that these entities were returned together. If another use is
// being written, that one's writer takes this one along.
func (u *usageRecorder) record(ctx context.Context, ids []int64) {
	if len(ids) == 0 || !countsAsUse(ctx) {
		return
	}
	u.mu.Lock()
	if len(u.unwritten) < maxUnwrittenUses {
		u.unwritten = append(u.unwritten, ids)
	}
	u.mu.Unlock()
	// The use has happened, even if its caller is gone by now.
	u.flush(context.WithoutCancel(ctx), usageWait)
}

// recordAside records while the caller does something else, and returns what waits
// for its end.
func (u *usageRecorder) recordAside(ctx context.Context, ids []int64) (wait func()) {
	var w sync.WaitGroup
	w.Go(func() { u.record(ctx, ids) })
	return w.Wait
}

type unusedKey struct{}

// WithoutUse returns a context in which nothing counts as use of what was there
// already: who looks at the memory, or corrects it, must not change what agents
// find first.
func WithoutUse(ctx context.Context) context.Context {
	return context.WithValue(ctx, unusedKey{}, true)
}

func countsAsUse(ctx context.Context) bool { return ctx.Value(unusedKey{}) == nil }

// flush writes what is unwritten, unless someone does already.
func (u *usageRecorder) flush(ctx context.Context, wait time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.writing {
		return
	}
	u.writing = true
	defer func() { u.writing = false }()
	for len(u.unwritten) > 0 {
		uses := u.unwritten
		u.unwritten = nil
		u.mu.Unlock()
		err := u.store.TryUpdate(ctx, wait, func(w Writer) error { return writeUses(ctx, w, uses) })
		u.mu.Lock()
		if err != nil {
			u.log.Debug("usage not recorded yet", "uses", len(uses), "error", err)
			u.unwritten = append(uses, u.unwritten...)
			u.retryLater()
			return
		}
	}
}

func writeUses(ctx context.Context, w Writer, uses [][]int64) error {
	for _, ids := range uses {
		if err := w.RecordAccess(ctx, ids); err != nil {
			return err
		}
		if err := w.RecordTogether(ctx, ids[:min(len(ids), maxTogether)]); err != nil {
			return err
		}
	}
	return nil
}

// retryLater has what is unwritten tried again; u.mu is held.
func (u *usageRecorder) retryLater() {
	if u.retry != nil || u.closed {
		return
	}
	u.retry = time.AfterFunc(usageRetry, func() {
		u.mu.Lock()
		u.retry = nil
		closed := u.closed
		u.mu.Unlock()
		if !closed {
			u.flush(context.Background(), usageWait)
		}
	})
}

// close makes a last attempt to write what is unwritten.
func (u *usageRecorder) close() {
	u.mu.Lock()
	u.closed = true
	if u.retry != nil {
		u.retry.Stop()
	}
	u.mu.Unlock()
	u.flush(context.Background(), time.Second)
}
