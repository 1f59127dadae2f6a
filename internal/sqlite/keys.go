package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// uniqueKey is what no two rows of a documented table may have in common. A table of
// another program may lack it, and then nothing could be written that counts on it.
type uniqueKey struct {
	table, columns string
	index          string // the one that makes up for it
	best           string // SQL: of rows that have it in common, the first in this order is kept
}

var uniqueKeys = []uniqueKey{
	{"entities", "name", "idx_entities_single", ""}, // all are kept, under other names
	{"relations", "from_entity, to_entity, relation_type", "idx_rel_single", "id"},
	{"entity_access", "entity_id", "idx_access_single", "access_count DESC, rowid"},
	{"co_occurrences", "entity_a_id, entity_b_id", "idx_cooc_single", "co_count DESC, rowid"},
	{"db_metadata", "key", "idx_metadata_single", "rowid DESC"},
}

// isRepairIndex reports whether an index is one that makes up for a key.
func isRepairIndex(name string) bool {
	return slices.ContainsFunc(uniqueKeys, func(k uniqueKey) bool { return k.index == name })
}

// missingKeys lists the keys that the tables which are there lack.
func missingKeys(ctx context.Context, conn *sql.Conn) (list []uniqueKey, err error) {
	for _, k := range uniqueKeys {
		known, err := number(ctx, conn, countTables, k.table)
		if err != nil {
			return nil, err
		}
		if known == 0 {
			continue
		}
		marks := strings.Repeat(", NULL", strings.Count(k.columns, ","))
		err = run(ctx, conn, fmt.Sprintf(`EXPLAIN INSERT INTO %s (%s) VALUES (NULL%s) ON CONFLICT (%[2]s) DO NOTHING`, k.table, k.columns, marks))
		switch {
		case isBroken(err):
			list = append(list, k)
		case err != nil:
			return nil, fmt.Errorf("look for the key of %s: %w", k.table, err)
		}
	}
	return list, nil
}

// makeKey makes a key, and the rows single before that.
func makeKey(ctx context.Context, conn *sql.Conn, k uniqueKey) error {
	single := func() error {
		return run(ctx, conn, fmt.Sprintf(`DELETE FROM %s WHERE rowid IN (SELECT r FROM
			(SELECT rowid AS r, row_number() OVER (PARTITION BY %s ORDER BY %s) AS n FROM %[1]s) WHERE n > 1)`, k.table, k.columns, k.best))
	}
	if k.table == "entities" {
		single = func() error { return renameDoubles(ctx, conn) }
	}
	if err := single(); err != nil {
		return fmt.Errorf("make the rows of %s single: %w", k.table, err)
	}
	return run(ctx, conn, fmt.Sprintf(`CREATE UNIQUE INDEX %s ON %s (%s)`, k.index, k.table, k.columns))
}

// renameDoubles gives entities another name whose name an earlier one has.
func renameDoubles(ctx context.Context, conn *sql.Conn) error {
	var ids []int64
	var names []string
	err := each(ctx, conn, doubleNames, nil, func(scan func(...any) error) error {
		var id int64
		var name string
		err := scan(&id, &name)
		ids, names = append(ids, id), append(names, name)
		return err
	})
	if err != nil {
		return err
	}
	m := &valueMender{conn: conn, touched: ids}
	for i, id := range ids {
		name, err := m.freeName(ctx, names[i], id)
		if err != nil {
			return err
		}
		if err := run(ctx, conn, `UPDATE entities SET name = ? WHERE id = ?`, name, id); err != nil {
			return err
		}
	}
	return m.mark(ctx)
}

// keys makes the keys that a database lacks which is about to be migrated.
func (m *mender) keys(ctx context.Context) error {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	missing, err := missingKeys(ctx, conn)
	if err != nil {
		return err
	}
	for _, k := range missing {
		if err := makeKey(ctx, conn, k); err != nil {
			return err
		}
		m.note("table "+k.table+" that let in rows twice", 1)
	}
	return nil
}
