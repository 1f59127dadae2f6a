package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// writeBackAfter is how long after the last write the -wal file is written into the
	// database. People copy the database file alone, or have it copied, while a server
	// runs; and until then a power cut may lose what is there.
	writeBackAfter = time.Second
	// writeBackWithin is how long writes that go on put that off.
	writeBackWithin = 10 * time.Second
)

// writeBack brings what was written into the database file, when writes have paused.
type writeBack struct {
	run func() // nil without a file

	mu     sync.Mutex
	timer  *time.Timer // nil while nothing is due
	since  time.Time   // of the first write that is due
	closed bool
}

// wrote says that there is something to write back.
func (b *writeBack) wrote() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed, b.run == nil:
	case b.timer == nil:
		b.since = time.Now()
		b.timer = time.AfterFunc(writeBackAfter, b.fire)
	case time.Since(b.since) < writeBackWithin:
		b.timer.Reset(writeBackAfter)
	}
}

func (b *writeBack) fire() {
	b.mu.Lock()
	b.timer = nil
	closed := b.closed
	b.mu.Unlock()
	if !closed {
		b.run()
	}
}

func (b *writeBack) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
}

// writeLogBack writes the -wal file into the database as far as nobody reads an older
// state, and keeps nobody waiting. What is left is tried again.
func (d *DB) writeLogBack() {
	ctx := context.Background()
	c, err := d.readers.acquire(ctx, 0)
	if errors.Is(err, ErrClosed) {
		return
	}
	if err == nil {
		defer d.readers.release(c)
		var blocked, pages, written int
		err = c.sql.QueryRowContext(ctx, writeBackLog).Scan(&blocked, &pages, &written)
		if err == nil && blocked == 0 && written == pages {
			return
		}
	}
	d.log.Debug("not all is in the database file yet", "error", err)
	d.back.wrote()
}
