package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
)

// A virtual table cannot be read, nor dropped, without the tables in which it keeps its
// rows. What these held is made anew like all that is derived, once they are there.

// newStorage is the storage of the derived tables of a new database.
var newStorage = sync.OnceValues(func() ([]object, error) { return ofNew(storageStatements) })

// of reports whether it is storage of this table.
func (o object) of(d derivedTable) bool { return strings.HasPrefix(o.name, "table "+d.name+"_") }

// storageWrong calls lacks for each table of a virtual one that is missing, and
// another for each full-text table that claims to be of another version, with which
// FTS5 refuses it.
func storageWrong(ctx context.Context, conn *sql.Conn, lacks func(object) error, another func(derivedTable) error) error {
	want, err := newStorage()
	if err != nil {
		return err
	}
	have, err := readObjects(ctx, conn, storageStatements)
	if err != nil {
		return err
	}
	for _, d := range derived {
		if n, err := number(ctx, conn, countVirtual, d.name); err != nil {
			return err
		} else if n == 0 {
			continue // it is made with its storage
		}
		for _, o := range want {
			if o.of(d) && o.in(have) == missing {
				if err := lacks(o); err != nil {
					return err
				}
			}
		}
		if d.ofVectors() {
			continue
		}
		n, err := number(ctx, conn, fmt.Sprintf(countFTSVersions, d.name))
		if err == nil && n > 0 {
			err = another(d)
		}
		if err != nil && !isBroken(err) {
			return err
		}
	}
	return nil
}

// storage looks whether virtual tables have all that they keep their rows in.
func (v *verifier) storage(ctx context.Context) error {
	return storageWrong(ctx, v.conn,
		func(o object) error {
			v.add(CheckSchema, "%s is missing", o.name)
			return nil
		},
		func(d derivedTable) error {
			v.add(CheckSchema, "table %s is of another version", d.name)
			return nil
		})
}

// storage makes what is missing of it, empty.
func (r *repairer) storage(ctx context.Context) error {
	return storageWrong(ctx, r.conn,
		func(o object) error {
			if err := run(ctx, r.conn, o.statement); err != nil {
				return fmt.Errorf("make %s: %w", o.name, err)
			}
			if of, found := strings.CutSuffix(strings.TrimPrefix(o.name, "table "), "_config"); found {
				return r.all(ctx, fmt.Sprintf(correctFTSVersion, of))
			}
			return nil
		},
		func(d derivedTable) error { return r.all(ctx, fmt.Sprintf(correctFTSVersion, d.name)) })
}
