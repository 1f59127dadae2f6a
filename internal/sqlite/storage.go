package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A virtual table cannot be read, nor dropped, without the tables in which it keeps its
// rows. What these held is made anew like all that is derived, once they are there.

// newStorage is the storage of the derived tables of a new database.
var newStorage = sync.OnceValues(func() ([]object, error) { return ofNew(storageStatements) })

// of reports whether it is storage of this table.
func (o object) of(d derivedTable) bool { return strings.HasPrefix(o.name, "table "+d.name+"_") }

// ftsParts and vectorParts are how the names of the tables go on that a virtual one keeps
// its rows in: a start knows them, as to make a new database takes longer than it may.
var (
	ftsParts    = []string{"_data", "_idx", "_docsize", "_config"}
	vectorParts = []string{"_chunks", "_info", "_rowids", "_vector_chunks00"}
)

// parts are the names of the tables in which it keeps its rows.
func (d derivedTable) parts() (names []string) {
	endings := ftsParts
	switch {
	case d.ofVectors():
		endings = vectorParts
	case d.name == "entity_fts": // the only one that keeps the texts, too
		endings = append([]string{"_content"}, ftsParts...)
	}
	for _, ending := range endings {
		names = append(names, d.name+ending)
	}
	return names
}

// withoutStorage lists the derived tables that are there, and lack some of what they
// keep their rows in.
func withoutStorage(ctx context.Context, conn *sql.Conn) (list []derivedTable, err error) {
	names, err := listTexts(ctx, conn, namesOfSchema)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	lacks := func(table string) bool { return !slices.Contains(names, "table "+table) }
	for _, d := range derived {
		if !lacks(d.name) && slices.ContainsFunc(d.parts(), lacks) {
			list = append(list, d)
		}
	}
	return list, nil
}

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
		func(o object) error { return r.makeStorage(ctx, o) },
		func(d derivedTable) error { return r.all(ctx, fmt.Sprintf(correctFTSVersion, d.name)) })
}

func (r *repairer) makeStorage(ctx context.Context, o object) error {
	if err := run(ctx, r.conn, o.statement); err != nil {
		return fmt.Errorf("make %s: %w", o.name, err)
	}
	if of, found := strings.CutSuffix(strings.TrimPrefix(o.name, "table "), "_config"); found {
		return r.all(ctx, fmt.Sprintf(correctFTSVersion, of))
	}
	return nil
}

// storage makes virtual tables anew that have lost some of what they keep their rows
// in: with that, no migration could even drop them.
func (m *mender) storage(ctx context.Context) error {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	lost, err := withoutStorage(ctx, conn)
	if err != nil {
		return err
	}
	documented, err := number(ctx, conn, isDocumentedText)
	if err != nil {
		return err
	}
	if documented == 0 { // it keeps other texts, or none
		lost = slices.DeleteFunc(lost, func(d derivedTable) bool { return d.name == "entity_fts" })
	}
	want, err := newStorage()
	if err != nil || len(lost) == 0 {
		return err
	}
	have, err := readObjects(ctx, conn, storageStatements)
	if err != nil {
		return err
	}
	r := &repairer{conn: conn}
	for _, d := range lost {
		for _, o := range want {
			if o.of(d) && o.in(have) == missing {
				if err := r.makeStorage(ctx, o); err != nil {
					return err
				}
			}
		}
		if err := r.remake(ctx, d.name); err != nil {
			return fmt.Errorf("make %s anew: %w", d.name, err)
		}
		if known, err := number(ctx, conn, countTables, "embedding_state"); err != nil {
			return err
		} else if known > 0 && d.name == "entity_embeddings" {
			if err := r.all(ctx, staleAll); err != nil {
				return err
			}
		}
		m.note(d.name+" had lost what it keeps its rows in: it was made anew", 1)
	}
	return nil
}
