package sqlite

import (
	"context"
	"database/sql"
	"testing"
)

// SearchAsIfLarge has vectors searched like those of the largest databases, until
// the test ends.
func SearchAsIfLarge(t *testing.T) {
	few, many := fewPassing, manyShards
	t.Cleanup(func() { fewPassing, manyShards = few, many })
	fewPassing, manyShards = -1, 0
}

// Raw opens a database past the store, as another program would.
func Raw(path string) *sql.DB { return openPool(path, plain) }

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
