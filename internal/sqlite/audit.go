package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// auditedState is the key in db_metadata of the state at the last audit.
const auditedState = "audited_state"

// auditWait is how long SetAudited waits for other writers.
const auditWait = 50 * time.Millisecond

// watch notes that from now on nobody but this process changes the database.
// Every change by others moves the data version of our writing connection.
func (d *DB) watch(ctx context.Context, c *conn) (err error) {
	d.watched = c
	d.dataVersion, err = number(ctx, c.sql, dataVersion)
	return err
}

// Audited implements memory.Store. It reads on the writing connection, which
// maps no memory: the counts touch pages all over the file.
func (d *DB) Audited(ctx context.Context) (bool, error) {
	c, err := d.writer.acquire(ctx, forever)
	if err != nil {
		return false, err
	}
	defer d.writer.release(c)
	q, err := c.queries(ctx)
	if err != nil {
		return false, translate(err)
	}
	noted, err := q.Metadata(ctx, auditedState)
	if err != nil || len(noted) == 0 {
		return false, translate(err)
	}
	state, err := text(ctx, c.sql, dataState)
	if err != nil {
		return false, fmt.Errorf("compare with the last audit: %w", translate(err))
	}
	return state == noted[0], nil
}

// SetAudited implements memory.Store.
func (d *DB) SetAudited(ctx context.Context) error {
	err := d.onWriter(ctx, auditWait, func(c *conn, q *db.Queries) error {
		version, err := number(ctx, c.sql, dataVersion)
		if err != nil || c != d.watched || version != d.dataVersion {
			return err
		}
		state, err := text(ctx, c.sql, dataState)
		if err != nil {
			return err
		}
		return q.PutMetadata(ctx, db.PutMetadataParams{Key: auditedState, Value: state})
	})
	if err != nil && !errors.Is(err, memory.ErrBusy) {
		return fmt.Errorf("note an audit: %w", err)
	}
	return nil
}
