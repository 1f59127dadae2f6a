package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// derived are the virtual tables. What they hold is made from what users stored, so
// that damage of them, or of the tables in which they keep it, loses nothing: they are
// made anew.
var derived = []derivedTable{
	{"entity_fts", CheckFTS},
	{"entity_trigrams", CheckTrigrams},
	{"entity_terms", CheckEntityTerms},
	{"passage_terms", CheckPassageTerms},
	{"passage_embeddings", CheckCoarseChunks},
	{"entity_embeddings", CheckWholeChunks},
}

type derivedTable struct {
	name  string
	check string // that tells of its damage
}

func (d derivedTable) ofVectors() bool { return strings.HasSuffix(d.name, "_embeddings") }

// vectorSize is the size in bytes of one of its vectors.
func (d derivedTable) vectorSize() int64 {
	if d.name == "passage_embeddings" {
		return memory.Dimensions
	}
	return 4 * memory.Dimensions
}

// probe is a query that reads a little of the table.
func (d derivedTable) probe() string {
	if d.ofVectors() {
		return fmt.Sprintf(`SELECT coalesce(max(length(embedding)), 0) FROM %s WHERE rowid = (SELECT max(rowid) FROM %[1]s_rowids)`, d.name)
	}
	return fmt.Sprintf(`SELECT count(*) FROM %s WHERE %[1]s MATCH '"zzz"'`, d.name)
}

// readAll is a statement that reads all of the table. Of words, it is one that
// writes, and writes nothing.
func (d derivedTable) readAll() string {
	if d.ofVectors() {
		return fmt.Sprintf(`SELECT coalesce(sum(length(embedding)), 0) FROM %s`, d.name)
	}
	return fmt.Sprintf(`INSERT INTO %s (%[1]s) VALUES ('integrity-check')`, d.name)
}

// isBroken reports whether an error says that a table does not hold what it should.
// After the pages were checked, it is of a derived one.
func isBroken(err error) bool {
	err = translate(err)
	return errors.Is(err, memory.ErrCorrupt) || errors.Is(err, memory.ErrIndexDamaged) || errors.Is(err, memory.ErrUnsound)
}

// broken lists the derived tables of which a statement fails for their own sake.
func broken(ctx context.Context, q querier, statement func(derivedTable) string) (list []derivedTable, err error) {
	for _, d := range derived {
		err := run(ctx, q, statement(d))
		switch {
		case isBroken(err):
			list = append(list, d)
		case err != nil:
			return nil, fmt.Errorf("look at %s: %w", d.name, err)
		}
	}
	return list, nil
}

// RestoreIndex looks at all of the index, and makes anew the tables of it that are
// damaged so that they cannot be read.
func (d *DB) RestoreIndex(ctx context.Context) error {
	return d.restoreDerived(ctx, nil, derivedTable.readAll, func(r *repairer, t derivedTable) error { return r.repair(ctx, t.check) })
}

// restoreProbed does what a start can in its time: of vectors, others are derived
// after that. Besides what it finds, it makes anew what has lost its storage.
func (d *DB) restoreProbed(ctx context.Context, lost []derivedTable) error {
	return d.restoreDerived(ctx, lost, derivedTable.probe, func(r *repairer, t derivedTable) error {
		if t.check == CheckCoarseChunks {
			return r.remake(ctx, t.name)
		}
		return r.repair(ctx, t.check)
	})
}

// restoreDerived mends the derived tables of which a statement fails, and lost ones. What
// is not indexed by then, the next search does, and a server computes the vectors that are
// due.
func (d *DB) restoreDerived(ctx context.Context, lost []derivedTable, statement func(derivedTable) string, mend func(*repairer, derivedTable) error) error {
	c, err := d.writer.acquire(ctx, repairWait)
	if err != nil {
		return err
	}
	defer d.writer.release(c)
	var names []string
	begin := func() error { return beginImmediate(ctx, c.sql, repairWait) }
	err = c.transaction(ctx, begin, func() error {
		r := &repairer{conn: c.sql, q: db.New(c.sql), found: &verifier{}} // not all can be prepared
		if err := r.storage(ctx); err != nil {
			return err
		}
		list, err := broken(ctx, c.sql, statement)
		if err != nil {
			return err
		}
		for _, t := range derived {
			if !slices.Contains(list, t) && !slices.Contains(lost, t) {
				continue
			}
			names = append(names, t.name)
			if err := mend(r, t); err != nil {
				return fmt.Errorf("make %s anew: %w", t.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("restore the index: %w", translate(err))
	}
	if len(names) > 0 {
		d.log.Warn("parts of the index were damaged: they are made anew", "tables", names)
	}
	return nil
}

// derived runs a check that reads a derived table. That it cannot be read is a
// finding, and no other check looks at it then.
func (v *verifier) derived(table string, check func() error) error {
	if v.unreadable[table] {
		return nil
	}
	err := check()
	if !isBroken(err) {
		return err
	}
	v.isUnreadable(table)
	return nil
}

func (v *verifier) isUnreadable(table string) {
	v.unreadable[table] = true
	for _, d := range derived {
		if d.name == table {
			v.add(d.check, "the table %s cannot be read", table)
		}
	}
}
