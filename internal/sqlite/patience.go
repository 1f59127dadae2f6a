package sqlite

import (
	"context"
	"errors"
	"os"
	"time"

	"mcp-memory/internal/memory"
)

// longestWait bounds how long Update waits for writers that go on.
const longestWait = 10 * time.Minute

// Update implements memory.Store. Its wait begins anew while others visibly write:
// a large import holds the lock for long.
func (d *DB) Update(ctx context.Context, fn func(memory.Writer) error) error {
	end := time.Now().Add(longestWait)
	for {
		before := d.written()
		err := d.write(ctx, d.busyWait, fn)
		if !errors.Is(err, memory.ErrBusy) || d.written() == before || time.Now().After(end) {
			return err
		}
	}
}

// TryUpdate implements memory.Store.
func (d *DB) TryUpdate(ctx context.Context, wait time.Duration, fn func(memory.Writer) error) error {
	return d.write(ctx, wait, fn)
}

// written is another value when somebody has written to the -wal file, or touched it.
func (d *DB) written() (state struct {
	size int64
	time time.Time
},
) {
	if info, err := os.Stat(d.path + "-wal"); d.path != "" && err == nil {
		state.size, state.time = info.Size(), info.ModTime()
	}
	return state
}

// showProgress touches the -wal file now and then until stop is called. What a
// transaction writes reaches that file late: it lies in SQLite's cache before.
func (d *DB) showProgress() (stop func()) {
	if d.path == "" { // in memory, where nobody else waits
		return func() {}
	}
	every, done := d.busyWait/4, make(chan struct{})
	timer := time.AfterFunc(every, func() {
		for {
			now := time.Now()
			_ = os.Chtimes(d.path+"-wal", now, now) // where it is another user's, that writes in its time
			select {
			case <-done:
				return
			case <-time.After(every):
			}
		}
	})
	return func() {
		timer.Stop()
		close(done)
	}
}
