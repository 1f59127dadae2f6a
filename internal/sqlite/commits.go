package sqlite

import (
	"context"
	"fmt"
	"sync"
)

// witness is a connection that sees the commits of all others.
type witness struct {
	mu     sync.Mutex
	conn   *conn // nil until it is needed
	opened int64 // how often it was
	closed bool
}

// Commits implements memory.Store.
func (d *DB) Commits(ctx context.Context) (int64, error) {
	if d.readers == d.writer { // in memory there is but one connection, and nobody else
		return d.committed.Load(), nil
	}
	w := &d.witness
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, ErrClosed
	}
	if w.conn == nil {
		c, err := d.connections.take(ctx)
		if err != nil {
			return 0, err
		}
		w.conn = c
		w.opened++
	}
	n, err := number(ctx, w.conn.sql, dataVersion)
	if err != nil {
		_ = w.conn.close()
		w.conn = nil
		return 0, fmt.Errorf("look for commits: %w", translate(err))
	}
	return w.opened<<32 + n, nil
}

func (w *witness) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.conn != nil {
		_ = w.conn.close()
		w.conn = nil
	}
}
