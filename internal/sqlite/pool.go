package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
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
		q, err := db.Prepare(ctx, c.sql)
		if err != nil {
			return nil, fmt.Errorf("prepare statements: %w", err)
		}
		c.prepared = q
	}
	return c.prepared, nil
}

// pool hands out connections in the order in which they are asked for. They
// are opened when they are first needed.
type pool struct {
	db     *sql.DB
	slots  chan *conn // nil for one that is not open
	closed chan struct{}
}

func newPool(db *sql.DB, size int) *pool {
	p := &pool{db: db, slots: make(chan *conn, size), closed: make(chan struct{})}
	for range size {
		p.slots <- nil
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
	case c := <-p.slots:
		return p.open(ctx, c)
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case c := <-p.slots:
		return p.open(ctx, c)
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, memory.ErrBusy
	}
}

// open opens a connection that is not open yet.
func (p *pool) open(ctx context.Context, c *conn) (*conn, error) {
	if c != nil {
		return c, nil
	}
	connection, err := p.db.Conn(ctx)
	if err != nil {
		p.slots <- nil
		return nil, fmt.Errorf("connect to the database: %w", translate(err))
	}
	return &conn{sql: connection}, nil
}

// release gives a connection back. One that is still in a transaction is of no
// use any more.
func (p *pool) release(c *conn) {
	if c.inTransaction() {
		_ = c.close()
		c = nil
	}
	p.slots <- c
}

// close closes all connections, those in use when they come back, after a last
// statement on each.
func (p *pool) close(last func(*conn)) error {
	close(p.closed)
	var errs []error
	for range cap(p.slots) {
		if c := <-p.slots; c != nil {
			last(c)
			errs = append(errs, c.close())
		}
	}
	return errors.Join(append(errs, p.db.Close())...)
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
