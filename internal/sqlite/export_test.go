package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"testing"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// SearchAsIfLarge has vectors searched like those of the largest databases, until
// the test ends.
func SearchAsIfLarge(t *testing.T) {
	few, many := fewPassing, manyShards
	t.Cleanup(func() { fewPassing, manyShards = few, many })
	fewPassing, manyShards = -1, 0
}

// ViewWithLateHelp is View with help on other connections that begins only when
// it is waited for.
func (d *DB) ViewWithLateHelp(ctx context.Context, fn func(memory.Reader) error) error {
	return d.View(ctx, func(r memory.Reader) error {
		t := r.(readTx)
		now := t.aside
		t.aside = func(ctx context.Context, fn func(*db.Queries) error) (wait func() error, ok bool) {
			return func() error {
				wait, ok := now(ctx, fn)
				if !ok {
					return errors.New("no connection is free")
				}
				return wait()
			}, true
		}
		return fn(t)
	})
}

// Raw opens a database past the store, as another program would.
func Raw(path string) *sql.DB { return openPool(path, plain) }

// OpenSole opens a session that keeps all others out.
func OpenSole(path string) (io.Closer, error) { return openSession(path, sole) }

// OnWriter runs a statement on the connection that writes.
func (d *DB) OnWriter(ctx context.Context, statement string) error {
	c, err := d.writer.acquire(ctx, forever)
	if err != nil {
		return err
	}
	defer d.writer.release(c)
	return run(ctx, c.sql, statement)
}

// Pragma reads a setting of a connection of either kind.
func (d *DB) Pragma(ctx context.Context, writes bool, name string) (value string, err error) {
	p := d.readers
	if writes {
		p = d.writer
	}
	c, err := p.acquire(ctx, forever)
	if err != nil {
		return "", err
	}
	defer p.release(c)
	err = c.sql.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}

// Translate adds to an error what it means to the domain.
func Translate(err error) error { return translate(err) }

// MigratedNames are the kinds and names of what a start expects.
func MigratedNames() (names []string) {
	for _, o := range migratedSchema() {
		names = append(names, o.name)
	}
	return names
}

// StorageNames are the tables of virtual ones that a start expects.
func StorageNames() (names []string) {
	for _, d := range derived {
		names = append(names, d.parts()...)
	}
	return names
}
