package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"mcp-memory/internal/memory"
)

// condition is what a start sees of a database, without reading all of it.
type condition struct {
	lost     []derivedTable // virtual tables that lacked some of what they keep their rows in
	readable bool           // the tables of the index can be read, as far as a look shows
	current  bool           // the index has the current form
	indexed  bool           // the index has as many rows as it should
	passages bool           // no row of passages was deleted
	vectors  bool           // passages have the vectors that they claim
}

// start proves that the database can be written, and makes what is missing of its
// schema and of its index. What another process keeps it from, the next start does.
func (d *DB) start(ctx context.Context) error {
	is, err := d.examine(ctx)
	if err != nil {
		return err
	}
	if !is.readable {
		if err := d.restoreProbed(ctx, is.lost); err != nil {
			return unlessBusy(err)
		}
		if is, err = d.examine(ctx); err != nil {
			return err
		}
	}
	if !is.current {
		err := d.TryUpdate(ctx, repairWait, func(w memory.Writer) error { return w.(writeTx).outdateOtherFormat(ctx) })
		if err != nil {
			return unlessBusy(err)
		}
	}
	if !is.indexed || !is.passages {
		if err := d.restorePassages(ctx); err != nil {
			return unlessBusy(err)
		}
	}
	if !is.vectors || !is.passages {
		if err := d.restoreVectors(ctx); err != nil {
			return unlessBusy(err)
		}
	}
	if is.indexed {
		return nil
	}
	return d.repairIndex(ctx)
}

func unlessBusy(err error) error {
	if errors.Is(err, memory.ErrBusy) {
		return nil
	}
	return err
}

// examine looks at the database in one go, on the connection that will be needed
// anyway.
func (d *DB) examine(ctx context.Context) (is condition, err error) {
	c, err := d.writer.acquire(ctx, forever)
	if err != nil {
		return is, err
	}
	defer d.writer.release(c)
	if err := probe(ctx, c); err != nil {
		return is, err
	}
	if is.lost, err = withoutStorage(ctx, c.sql); err != nil { // before completeSchema, which may make it
		return is, err
	}
	if err := d.completeSchema(ctx, c); err != nil {
		return is, err
	}
	if len(is.lost) > 0 {
		return is, nil
	}
	columns, err := number(ctx, c.sql, countSupersedings)
	if err != nil {
		return is, err
	}
	d.supersedes = columns > 0
	unreadable, err := broken(ctx, c.sql, derivedTable.probe)
	if err != nil {
		return is, err
	}
	if is.readable = len(unreadable) == 0; !is.readable {
		return is, nil
	}
	noted, err := number(ctx, c.sql, countMetadata, indexFormatKey, indexFormat)
	if err != nil {
		return is, err
	}
	is.current = noted != 0
	var last int64
	if err := c.sql.QueryRowContext(ctx, compareCounts).Scan(&is.indexed, &is.passages, &is.vectors, &last); err != nil {
		return is, err
	}
	lost, err := number(ctx, c.sql, countVectorsLost, idList(someOf(last)))
	is.vectors = is.vectors && lost == 0
	return is, err
}

const (
	// fewPassages is up to how many passages a start looks at the vector of each.
	fewPassages = 2000
	// somePassages is at how many it looks otherwise. Each is a page of the file.
	somePassages = 200
)

// someOf are ids up to the last: all of few, else evenly spread ones, which are
// others each time.
func someOf(last int64) (ids []int64) {
	step := int64(1)
	if last > fewPassages {
		step = last / somePassages
	}
	for left := last - rand.Int64N(step); left > 0; left -= step { // there may be a largest id of all
		ids = append(ids, left)
	}
	return ids
}

// completeSchema makes tables, indexes and triggers that are missing, and tells of
// what others have put on the tables. Tables that users fill are not made, as
// they would seem to have been empty.
func (d *DB) completeSchema(ctx context.Context, c *conn) error {
	missing, err := missingObjects(ctx, c)
	if err != nil {
		return err
	}
	keys, err := missingKeys(ctx, c.sql)
	if err != nil {
		return err
	}
	for _, k := range keys {
		missing = append(missing, "key of "+k.table)
	}
	if len(missing) > 0 && !lacksUserTable(missing) {
		begin := func() error { return beginImmediate(ctx, c.sql, repairWait) }
		err := translate(c.transaction(ctx, begin, func() error { return restoreSchema(ctx, c.sql, missing) }))
		if err != nil && !errors.Is(err, memory.ErrBusy) {
			return fmt.Errorf("repair the schema: %w", err)
		}
		d.log.Warn("schema repaired", "missing", missing, "error", err)
	}
	foreign, err := foreignActors(ctx, c.sql, migratedSchema())
	for _, a := range foreign {
		d.log.Warn("not of the memory, and may change or refuse what is written: see mcp-memory doctor", "what", a.String())
	}
	return err
}
