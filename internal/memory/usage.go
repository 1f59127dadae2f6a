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
	retry     *time.Timer
	closed    bool
}

func newUsageRecorder(store Store, log *slog.Logger) *usageRecorder {
	return &usageRecorder{store: store, log: log}
}

// record notes that these entities were returned together.
func (u *usageRecorder) record(ctx context.Context, ids []int64) {
	if len(ids) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.unwritten) < maxUnwrittenUses {
		u.unwritten = append(u.unwritten, ids)
	}
	// The use has happened, even if its caller is gone by now.
	u.flush(context.WithoutCancel(ctx), usageWait)
}

// flush writes what is unwritten; u.mu is held.
func (u *usageRecorder) flush(ctx context.Context, wait time.Duration) {
	if len(u.unwritten) == 0 {
		return
	}
	err := u.store.TryUpdate(ctx, wait, func(w Writer) error {
		for _, ids := range u.unwritten {
			if err := w.RecordAccess(ctx, ids); err != nil {
				return err
			}
			if err := w.RecordTogether(ctx, ids[:min(len(ids), maxTogether)]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		u.unwritten = nil
		return
	}
	u.log.Debug("usage not recorded yet", "uses", len(u.unwritten), "error", err)
	if u.retry == nil && !u.closed {
		u.retry = time.AfterFunc(usageRetry, u.flushLater)
	}
}

func (u *usageRecorder) flushLater() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.retry = nil
	if !u.closed {
		u.flush(context.Background(), usageWait)
	}
}

// close makes a last attempt to write what is unwritten.
func (u *usageRecorder) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	if u.retry != nil {
		u.retry.Stop()
	}
	u.flush(context.Background(), time.Second)
}
