package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// conn is a connection that keeps its statements prepared.
type conn struct {
	sql      *sql.Conn
	prepared *db.Queries // nil until queries is called
}

// queries prepares every statement when it is called first.
func (c *conn) queries(ctx context.Context) (*db.Queries, error) {
	if c.prepared == nil {
		p := &preparer{Conn: c.sql}
		q, err := db.Prepare(ctx, p)
		if err != nil {
			for _, s := range p.made {
				_ = s.Close()
			}
			return nil, fmt.Errorf("prepare statements: %w", err)
		}
		c.prepared = q
	}
	return c.prepared, nil
}

// preparer remembers the statements that it prepares. Those that are not closed keep
// SQLite from closing their connection, and with it from removing the log.
type preparer struct {
	*sql.Conn
	made []*sql.Stmt
}

func (p *preparer) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	s, err := p.Conn.PrepareContext(ctx, query)
	if err == nil {
		p.made = append(p.made, s)
	}
	return s, err
}

// connections are those to one file that are open and not in use. The one used
// last is had first: SQLite's page cache is a connection's own, and is emptied when
// another connection writes, but not by its own writes.
type connections struct {
	db   *sql.DB
	mu   sync.Mutex
	idle []*conn
}

// take returns an open connection.
func (cs *connections) take(ctx context.Context) (*conn, error) {
	cs.mu.Lock()
	if last := len(cs.idle) - 1; last >= 0 {
		c := cs.idle[last]
		cs.idle = cs.idle[:last]
		cs.mu.Unlock()
		return c, nil
	}
	cs.mu.Unlock()
	connection, err := cs.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", translate(err))
	}
	return &conn{sql: connection}, nil
}

// put gives a connection back. One that is still in a transaction is of no use
// any more.
func (cs *connections) put(c *conn) {
	if c.inTransaction() {
		_ = c.close()
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.idle = append(cs.idle, c)
}

// close closes those that are idle, which are all when nobody has a turn, after a
// last statement on the last of them.
func (cs *connections) close(last func(*conn)) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var errs []error
	for i, c := range cs.idle {
		if i == len(cs.idle)-1 {
			last(c)
		}
		errs = append(errs, c.close())
	}
	cs.idle = nil
	return errors.Join(append(errs, cs.db.Close())...)
}

// pool lets a number of users at a time have connections, in the order in which
// they ask. They are opened when they are first needed.
type pool struct {
	connections *connections
	turns       chan struct{} // a token for each turn that is free
	closed      chan struct{}
}

func newPool(c *connections, size int) *pool {
	p := &pool{connections: c, turns: make(chan struct{}, size), closed: make(chan struct{})}
	for range size {
		p.turns <- struct{}{}
	}
	return p
}

// forever is a wait that only a context ends.
const forever = time.Duration(1<<63 - 1)

// acquire takes a connection out. It returns memory.ErrBusy if there is none
// within wait.
func (p *pool) acquire(ctx context.Context, wait time.Duration) (*conn, error) {
	select { // one that is free is had even without any wait
	case <-p.closed:
		return nil, ErrClosed
	case <-p.turns:
		return p.take(ctx)
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.turns:
		return p.take(ctx)
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, memory.ErrBusy
	}
}

// take takes a connection for a turn that was had.
func (p *pool) take(ctx context.Context) (*conn, error) {
	c, err := p.connections.take(ctx)
	if err != nil {
		p.turns <- struct{}{}
	}
	return c, err
}

// release gives a connection back, and the turn.
func (p *pool) release(c *conn) {
	p.connections.put(c)
	p.turns <- struct{}{}
}

// close lets nobody have a turn any more, and waits for those who have one.
func (p *pool) close() {
	close(p.closed)
	for range cap(p.turns) {
		<-p.turns
	}
}

// close ends the connection, which database/sql would rather keep.
func (c *conn) close() error {
	var err error
	if c.prepared != nil {
		err = c.prepared.Close()
	}
	_ = c.sql.Raw(func(any) error { return driver.ErrBadConn })
	return err
}

func (c *conn) inTransaction() bool {
	open := true
	_ = c.sql.Raw(func(driverConn any) error {
		open = !driverConn.(interface{ AutoCommit() bool }).AutoCommit()
		return nil
	})
	return open
}

// transaction runs fn between begin and a commit. The transaction is undone if
// fn fails or panics.
func (c *conn) transaction(ctx context.Context, begin func() error, fn func() error) error {
	if err := begin(); err != nil {
		return err
	}
	committed := false
	// What was begun must end, whether or not the caller still waits.
	ctx = context.WithoutCancel(ctx)
	defer func() {
		if !committed {
			_ = run(ctx, c.sql, "ROLLBACK")
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if err := run(ctx, c.sql, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	committed = true
	return nil
}
