package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// The SQL that sqlc cannot take, and why. All other SQL is in sql/queries and
// migrations.
const (
	// The schema of a database that may be of any age, so not of the schema
	// that sqlc knows.
	countTables       = `SELECT count(*) FROM sqlite_schema WHERE name = ? AND type = 'table'`
	countAnything     = `SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version'`
	latestMigration   = `SELECT coalesce(max(version_id), 0) FROM goose_db_version`
	documentedVersion = `SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM db_metadata WHERE key = 'schema_version'`
	countSupersedings = `SELECT count(*) FROM pragma_table_info('observations') WHERE name = 'supersedes'`

	// Likewise: all of it, to compare.
	wholeSchema = `SELECT coalesce(group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10) ORDER BY type, name), '')
		FROM sqlite_schema`

	// Likewise; one row, whatever the table.
	columnsOf = `SELECT coalesce(group_concat(lower(name)), '') FROM pragma_table_info(?)`

	// A column that only databases of the Python server's version 3 have. It
	// refers to observations without an action, so that nothing which another
	// observation supersedes could be deleted.
	forgetSuperseded = `UPDATE observations SET supersedes = NULL
		WHERE supersedes IN (SELECT value FROM json_each(?))`
	forgetSupersededOf = `UPDATE observations SET supersedes = NULL
		WHERE supersedes IN (SELECT id FROM observations WHERE entity_id = ?)`

	// Shadow tables of fts5, which are none of the schema: counting the rows of
	// the virtual tables themselves would read all of them. Of passages, no row
	// is ever deleted.
	compareCounts = `SELECT (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_fts_docsize)
		AND (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_text)
		AND (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_trigrams_docsize)
		AND (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_terms_docsize)
		AND (SELECT count(*) FROM passage_terms_docsize) = (SELECT coalesce(max(id), 0) FROM passages)
			- (SELECT count(*) FROM passages WHERE entity_id IS NULL)`

	// Needed before any statement is prepared: a read-only file lets even
	// BEGIN IMMEDIATE pass, but nothing that might write.
	writeNothing = `DELETE FROM db_metadata WHERE key IS NULL`

	// Asked at every start, for which preparing all statements is too dear.
	countMetadata = `SELECT count(*) FROM db_metadata WHERE key = ? AND value = ?`

	// Likewise, whenever a connection is opened.
	maxPassage = `SELECT coalesce(max(id), 0) FROM passages`

	// Neither is a query.
	vacuumInto = `VACUUM INTO ?`
	checkpoint = `PRAGMA wal_checkpoint(TRUNCATE)`
)

// querier is a connection, a pool or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// number runs a query that answers with one number.
func number(ctx context.Context, q querier, query string, args ...any) (int64, error) {
	var n int64
	if err := q.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, err
	}
	return n, nil
}

// text runs a query that answers with one text.
func text(ctx context.Context, q querier, query string, args ...any) (string, error) {
	var s string
	err := q.QueryRowContext(ctx, query, args...).Scan(&s)
	return s, err
}

// countRows counts the rows of a table that a database may not have yet.
func countRows(ctx context.Context, q querier, table string) (int, error) {
	tables, err := number(ctx, q, countTables, table)
	if err != nil || tables == 0 {
		return 0, err
	}
	n, err := number(ctx, q, "SELECT count(*) FROM "+table)
	return int(n), err
}

// run runs a statement for its effect.
func run(ctx context.Context, q querier, statement string, args ...any) error {
	_, err := q.ExecContext(ctx, statement, args...)
	return err
}

// setBusyTimeout sets how long SQLite itself waits for a lock; a pragma takes
// no parameters.
func setBusyTimeout(ctx context.Context, q querier, milliseconds int) error {
	return run(ctx, q, fmt.Sprintf("PRAGMA busy_timeout = %d", milliseconds))
}
