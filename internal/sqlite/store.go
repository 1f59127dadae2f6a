package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// readTx is a memory.Reader inside a transaction.
type readTx struct {
	q     *db.Queries
	aside aside // nil in a transaction that writes, whose changes nobody else sees
}

// aside runs fn on another connection, on a snapshot of its own, at the same time
// as the caller goes on, who must call wait. It reports false, and does nothing,
// if no connection is free.
type aside func(ctx context.Context, fn func(*db.Queries) error) (wait func() error, ok bool)

// writeTx is a memory.Writer inside a transaction.
type writeTx struct {
	readTx
	conn       querier
	log        *slog.Logger
	supersedes bool
}

var (
	_ memory.Reader = readTx{}
	_ memory.Writer = writeTx{}
)

// View implements memory.Store.
func (d *DB) View(ctx context.Context, fn func(memory.Reader) error) error {
	return d.view(ctx, forever, fn)
}

// TryView implements memory.Store.
func (d *DB) TryView(ctx context.Context, fn func(memory.Reader) error) error {
	return d.view(ctx, 0, fn)
}

func (d *DB) view(ctx context.Context, wait time.Duration, fn func(memory.Reader) error) error {
	c, err := d.readers.acquire(ctx, wait)
	if err != nil {
		return err
	}
	defer d.readers.release(c)
	q, err := c.queries(ctx)
	if err != nil {
		return translate(err)
	}
	begin := func() error { return run(ctx, c.sql, "BEGIN") }
	return translate(c.transaction(ctx, begin, func() error { return fn(readTx{q, d.aside}) }))
}

// aside is what readTx.aside does.
func (d *DB) aside(ctx context.Context, fn func(*db.Queries) error) (wait func() error, ok bool) {
	c, err := d.readers.acquire(ctx, 0)
	if err != nil {
		return nil, false
	}
	q, err := c.queries(ctx)
	if err != nil {
		d.readers.release(c)
		return nil, false
	}
	done := make(chan error, 1)
	go func() {
		defer d.readers.release(c)
		done <- fn(q)
	}()
	return func() error { return <-done }, true
}

// write gives fn a transaction to write in.
func (d *DB) write(ctx context.Context, wait time.Duration, fn func(memory.Writer) error) error {
	return d.onWriter(ctx, wait, func(c *conn, q *db.Queries) error {
		if err := fn(writeTx{readTx{q: q}, c.sql, d.log, d.supersedes}); err != nil {
			return err
		}
		return memory.MayCommit(ctx)
	})
}

// onWriter waits first for other writers in this process, then for those in
// others, and runs fn in an immediate transaction.
func (d *DB) onWriter(ctx context.Context, wait time.Duration, fn func(*conn, *db.Queries) error) error {
	deadline := time.Now().Add(wait)
	c, err := d.writer.acquire(ctx, wait)
	if err != nil {
		return err
	}
	defer d.writer.release(c)
	q, err := c.queries(ctx)
	if err != nil {
		return translate(err)
	}
	begin := func() error { return beginImmediate(ctx, c.sql, time.Until(deadline)) }
	err = c.transaction(ctx, begin, func() error {
		defer d.showProgress()()
		return cmp.Or(fn(c, q), d.checkPlace())
	})
	if err == nil {
		d.committed.Add(1)
		d.back.wrote()
	}
	if hasCode(err, sqlite3.ErrFull) && idsUsedUp(ctx, c.sql) {
		return &meant{memory.ErrUnsound, err}
	}
	return translate(err)
}

// idsUsedUp reports whether a table has come to the largest id, which SQLite calls
// a full disk.
func idsUsedUp(ctx context.Context, q querier) bool {
	n, err := number(ctx, q, countIDsUsedUp)
	return err == nil && n > 0
}

// idList writes ids as the JSON list that the queries take.
func idList(ids []int64) string {
	list := make([]byte, 0, 8*len(ids)+2)
	list = append(list, '[')
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return string(append(list, ']'))
}

// textList writes texts as a JSON list.
func textList(texts []string) (string, error) {
	if len(texts) == 0 {
		return "[]", nil
	}
	list, err := json.Marshal(texts)
	return string(list), err
}
