package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/partfile"
)

// Options are what Open takes besides the path. Zero values are defaults.
type Options struct {
	Logger   *slog.Logger  // nothing is logged when nil
	BusyWait time.Duration // how long Update waits for other writers; 30 s
	Readers  int           // how many reads may run at the same time; 4
	Existing bool          // there must be a memory: none is made
}

// DB is a memory.Store on one SQLite database.
type DB struct {
	path        string // empty in memory
	file        os.FileInfo
	log         *slog.Logger
	busyWait    time.Duration
	connections *connections
	readers     *pool
	writer      *pool
	witness     witness
	back        writeBack
	committed   atomic.Int64 // writes of our own
	supersedes  bool         // observations have the column of that name
	closeOnce   func() error
}

var _ memory.Store = (*DB)(nil)

// Open opens the database at path, ":memory:" for one without a file. It makes
// a new one where there is none, or returns ErrNoDatabase if one must exist, and
// migrates one of an older schema, of which it keeps a copy. It returns a
// *NewerError or an *OpenError when it cannot, and leaves the file as it was.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	d := newDB(o)
	var err error
	switch {
	case path == memoryPath && o.Existing:
		err = ErrNoDatabase
	case path == memoryPath:
		err = d.openMemory(ctx)
	default:
		err = d.openFile(ctx, path, o)
	}
	if errors.Is(err, ErrNoDatabase) {
		return nil, ErrNoDatabase
	}
	if err != nil {
		return nil, openError(path, err)
	}
	if err := d.start(ctx); err != nil {
		return nil, openError(path, errors.Join(err, d.Close()))
	}
	return d, nil
}

func newDB(o Options) *DB {
	d := &DB{log: o.Logger, busyWait: o.BusyWait}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if d.busyWait == 0 {
		d.busyWait = 30 * time.Second
	}
	d.closeOnce = sync.OnceValue(d.close)
	return d
}

func (d *DB) openFile(ctx context.Context, path string, o Options) error {
	find := makeFile
	if o.Existing {
		find = findFile
	}
	if err := find(path); err != nil {
		return err
	}
	path = realPath(path)
	state, err := inspectFile(ctx, path)
	switch {
	case err != nil:
		return err
	case o.Existing && state.empty:
		return ErrNoDatabase
	}
	if !state.current() {
		if _, err := upgrade(ctx, path, d.log); err != nil {
			return err
		}
	}
	partfile.RemoveLeft(path)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	d.path, d.file, d.connections = path, info, &connections{db: openPool(path, user)}
	d.readers = newPool(d.connections, cmp.Or(o.Readers, 4))
	d.writer = newPool(d.connections, 1)
	d.back.run = d.writeLogBack
	return nil
}

// inspectFile reads the state of a file's schema, so that one which is refused
// is not even switched to WAL mode.
func inspectFile(ctx context.Context, path string) (state schemaState, err error) {
	err = look(path, func(q querier) error {
		state, err = inspect(ctx, q, path)
		return err
	})
	return state, err
}

// look lets fn read a file that may yet be refused, and leaves it as it is.
func look(path string, fn func(querier) error) error {
	as := func(r role) error {
		pool := openPool(path, r)
		defer pool.Close()
		return fn(pool)
	}
	if _, err := os.Stat(path + "-wal"); err != nil {
		return as(inspector)
	}
	// Somebody has it open, or had and was killed: closing another connection
	// would write what is left in the -wal file into the database.
	err := as(onlooker)
	if hasCode(err, sqlite3.ErrCantOpen) || hasCode(err, sqlite3.ErrReadonly) || hasCode(err, sqlite3.ErrIoErr) {
		return as(inspector) // in the meantime it was closed
	}
	return err
}

// openMemory makes a database that all users share one connection to.
func (d *DB) openMemory(ctx context.Context) error {
	pool, err := OpenMemory(ctx)
	if err != nil {
		return err
	}
	d.connections = &connections{db: pool}
	d.writer = newPool(d.connections, 1)
	d.readers = d.writer
	return nil
}

// OpenMemory makes a database of the current schema in memory, as a pool of
// one connection. It is for the code generator and for tests.
func OpenMemory(ctx context.Context) (*sql.DB, error) {
	c, err := connector{memoryPath, user}.open()
	if err != nil {
		return nil, err
	}
	err = onConn(ctx, c, memoryPath, func(m *migration) error {
		_, err := m.apply(ctx, up)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	pool := sql.OpenDB(single{c})
	pool.SetMaxOpenConns(1)
	return pool, nil
}

// probe takes the write lock for a moment, if nobody has it.
func probe(ctx context.Context, c *conn) error {
	begin := func() error { return beginImmediate(ctx, c.sql, 0) }
	err := c.transaction(ctx, begin, func() error { return run(ctx, c.sql, writeNothing) })
	if errors.Is(translate(err), memory.ErrBusy) {
		return nil // whoever writes proves it as well
	}
	if err != nil {
		return fmt.Errorf("begin to write: %w", err)
	}
	return nil
}

// Close waits for the calls that run and closes the database. When no other
// process has it open, there is but one file afterwards. To close it again does
// nothing.
func (d *DB) Close() error { return d.closeOnce() }

func (d *DB) close() error {
	d.back.close()
	d.witness.close()
	if d.readers != d.writer {
		d.readers.close()
	}
	d.writer.close()
	err := d.connections.close(func(c *conn) {
		ctx := context.Background()
		// Others that read or write just now will do it later.
		if err := errors.Join(setBusyTimeout(ctx, c.sql, 100), run(ctx, c.sql, checkpoint)); err != nil {
			d.log.Debug("no checkpoint at close", "error", err)
		}
	})
	if d.path != "" {
		closeAgain(d.path)
	}
	return err
}

const (
	// moreCloses is how often the end of the last connection is repeated.
	moreCloses = 4
	// closePause is how long each waits at most: programs that end at the same
	// moment must not do it at the same moment again.
	closePause = 20 * time.Millisecond
)

// closeAgain has SQLite remove the log of a database, unless others have that
// open: the last connection does, but of several that end at the same moment
// each takes another one for the last.
func closeAgain(path string) {
	for range moreCloses {
		if _, err := os.Lstat(path + "-wal"); err != nil {
			return
		}
		time.Sleep(rand.N(closePause))
		pool := openPool(path, closer)
		_, _ = number(context.Background(), pool, countAnything) // a connection that reads nothing has no log to remove
		_ = pool.Close()
	}
}
