package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/mattn/go-sqlite3"
)

// busyDelays are the pauses between attempts to get a lock; the last repeats, and is
// shorter than those that who writes much makes for others.
var busyDelays = []time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
}

// retryBusy repeats an attempt while other connections are in its way, until
// wait is over. It returns the last attempt's error, or ctx's.
func retryBusy(ctx context.Context, wait time.Duration, attempt func() error) error {
	deadline := time.Now().Add(wait)
	for i := 0; ; i++ {
		err := attempt()
		if !hasCode(err, sqlite3.ErrBusy) && !hasCode(err, sqlite3.ErrLocked) {
			return err
		}
		delay := min(busyDelays[min(i, len(busyDelays)-1)], time.Until(deadline))
		if delay <= 0 {
			return err
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// beginImmediate begins a transaction with the write lock. It waits by itself,
// as SQLite's own waiting does not end when ctx does.
func beginImmediate(ctx context.Context, q querier, wait time.Duration) error {
	if err := setBusyTimeout(ctx, q, 0); err != nil {
		return err
	}
	err := retryBusy(ctx, wait, func() error { return run(ctx, q, "BEGIN IMMEDIATE") })
	// The transaction may have begun, so this must not fail for ctx's sake.
	return errors.Join(err, run(context.WithoutCancel(ctx), q, busyTimeout))
}
