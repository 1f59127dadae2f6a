package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
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

	// Of a table of another program: whether its ids are what SQLite gives a row, and
	// columns that have to be filled.
	givesIDs = `SELECT count(*) FROM pragma_table_info(?1) WHERE lower(name) = 'id' AND pk = 1 AND upper(type) = 'INTEGER'
		AND (SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0) = 1`
	demanded = `SELECT coalesce(group_concat(lower(name)), '') FROM pragma_table_info(?) WHERE "notnull" = 1 AND dflt_value IS NULL AND pk = 0`

	// A column that only databases of the Python server's version 3 have. It
	// refers to observations without an action, so that nothing which another
	// observation supersedes could be deleted.
	forgetSuperseded = `UPDATE observations SET supersedes = NULL
		WHERE supersedes IN (SELECT value FROM json_each(?))`
	forgetSupersededOf = `UPDATE observations SET supersedes = NULL
		WHERE supersedes IN (SELECT id FROM observations WHERE entity_id = ?)`

	// Shadow tables of fts5 and vec0, which are none of the schema: counting the
	// rows of the virtual tables themselves would read all of them. Of passages, no
	// row is ever deleted, and few are free or without a vector.
	compareCounts = `SELECT (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_fts_docsize)
			AND (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_text)
			AND (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_trigrams_docsize)
			AND (SELECT count(*) FROM entities) = (SELECT count(*) FROM entity_terms_docsize)
			AND (SELECT count(*) FROM passage_terms_docsize) = last - free,
		(SELECT count(*) FROM passages) = last,
		(SELECT count(*) FROM passage_embeddings_rowids) = last - free
			- (SELECT count(*) FROM passages WHERE entity_id IS NOT NULL AND model IS NULL),
		last
		FROM (SELECT coalesce((SELECT max(id) FROM passages), 0) AS last, (SELECT count(*) FROM passages WHERE entity_id IS NULL) AS free)`

	// Counting passage_vectors would read all vectors.
	countVectorsLost = `SELECT count(*) FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value
		WHERE p.entity_id IS NOT NULL AND p.model IS NOT NULL AND NOT EXISTS (SELECT 1 FROM passage_vectors x WHERE x.passage_id = p.id)`

	namesOfSchema = `SELECT type || ' ' || name FROM sqlite_schema`

	// What a start restores.
	deleteTermsOfNone = `DELETE FROM passage_terms WHERE rowid IN (SELECT id FROM passage_terms_docsize
		WHERE id NOT IN (SELECT id FROM passages WHERE entity_id IS NOT NULL))`
	coarseLeft = `SELECT rowid FROM passage_embeddings_rowids
		WHERE rowid NOT IN (SELECT id FROM passages WHERE entity_id IS NOT NULL AND model IS NOT NULL) LIMIT ?`
	coarseLost = `SELECT id FROM passages WHERE entity_id IS NOT NULL AND model IS NOT NULL
		AND id NOT IN (SELECT rowid FROM passage_embeddings_rowids) LIMIT ?`
	vectorOfPassage = `SELECT m.model, x.embedding FROM passages p
		JOIN passage_vectors x ON x.passage_id = p.id JOIN embedding_models m ON m.id = p.model WHERE p.id = ?`

	// Needed before any statement is prepared: a read-only file lets even
	// BEGIN IMMEDIATE pass, but nothing that might write.
	writeNothing = `DELETE FROM db_metadata WHERE FALSE`

	// A statement that sqlc does not know.
	dataVersion = `PRAGMA data_version`

	// Asked at every start, for which preparing all statements is too dear.
	countMetadata = `SELECT count(*) FROM db_metadata WHERE key = ? AND value = ?`

	// Likewise, whenever a connection is opened.
	maxPassage = `SELECT coalesce(max(id), 0) FROM passages`

	// Old databases before they are migrated: of any age, and once only, while
	// sqlc's statements are all prepared by every connection that uses them.
	restoreEntities = `INSERT INTO entities (id, name, entity_type, created_at, updated_at)
		SELECT o.entity_id, 'Recovered entity ' || o.entity_id || CASE WHEN EXISTS (
			SELECT 1 FROM entities e WHERE e.name = 'Recovered entity ' || o.entity_id
		) THEN ' ' || lower(hex(randomblob(8))) ELSE '' END, 'Recovered', ` + now + `, ` + now + `
		FROM observations o
		WHERE typeof(o.entity_id) = 'integer' AND o.entity_id NOT IN (SELECT id FROM entities)
		GROUP BY o.entity_id`
	forgetSupersededGone = `UPDATE observations SET supersedes = NULL
		WHERE supersedes IS NOT NULL AND supersedes NOT IN (SELECT id FROM observations)`
	tablesWithOrphans = `SELECT coalesce(group_concat(name, char(10)), '') FROM (
		SELECT DISTINCT "table" AS name FROM pragma_foreign_key_check
		WHERE parent = 'entities' AND "table" <> 'observations' AND rowid IS NOT NULL)`
	deletePairsOfNull     = `DELETE FROM co_occurrences WHERE entity_a_id IS NULL OR entity_b_id IS NULL`
	deleteRelationsOfNull = `DELETE FROM relations WHERE from_entity IS NULL OR to_entity IS NULL`
	countOddPairs         = `SELECT count(*) FROM co_occurrences WHERE entity_a_id >= entity_b_id`
	everyName             = `SELECT name FROM entities`
	countEntities         = `SELECT count(*) FROM entities`
	countWithoutText      = `SELECT count(*) FROM entities WHERE id NOT IN (SELECT rowid FROM entity_fts)`
	countTextWithout      = `SELECT count(*) FROM entity_fts WHERE rowid NOT IN (SELECT id FROM entities)`
	isDocumentedText      = `SELECT count(*) FROM sqlite_schema WHERE name = 'entity_fts'
		AND sql LIKE 'CREATE VIRTUAL TABLE%fts5%(%name%,%entity_type%,%obs_text%' AND sql NOT LIKE '%content%=%' AND sql NOT LIKE '%columnsize%'`
	checkTextIndex      = `INSERT INTO entity_fts (entity_fts) VALUES ('integrity-check')`
	isDocumentedVectors = `SELECT count(*) FROM sqlite_schema WHERE name = 'entity_embeddings'
		AND sql LIKE 'CREATE VIRTUAL TABLE%vec0%(%embedding%float[384]%'`
	readVectors         = `DELETE FROM entity_embeddings WHERE rowid = -1`
	deleteOrphanVectors = `DELETE FROM entity_embeddings WHERE rowid IN (
		SELECT rowid FROM entity_embeddings WHERE rowid NOT IN (SELECT id FROM entities))`
	// goose's own table.
	forgetVersions = `DROP TABLE IF EXISTS goose_db_version`
	noteVersions   = `INSERT INTO goose_db_version (version_id, is_applied) SELECT value, 1 FROM json_each(?) ORDER BY value`

	countVersions = `SELECT count(*) FROM goose_db_version`
	countNamed    = `SELECT count(*) FROM sqlite_schema WHERE name = ?`

	// sqlc does not know SQLite's own table.
	countIDsUsedUp = `SELECT count(*) FROM (` + sequences + `) WHERE max(seq, top) = 9223372036854775807`

	// What FTS5 tables are told: to begin to make one piece of all, by so many pages, or to go on.
	mergePart    = `INSERT INTO %[1]s (%[1]s, rank) VALUES ('merge', ?)`
	totalChanges = `SELECT total_changes()`

	// None is a query.
	vacuumInto   = `VACUUM INTO ?`
	checkpoint   = `PRAGMA wal_checkpoint(TRUNCATE)`
	writeBackLog = `PRAGMA wal_checkpoint(PASSIVE)`
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

// deleteOrphans is a statement that deletes the rows of a table that refer to an
// entity that is gone. Its parameter is the name of the table once more.
func deleteOrphans(table string) string {
	return `DELETE FROM ` + quoted(table) + `
		WHERE rowid IN (SELECT rowid FROM pragma_foreign_key_check(?) WHERE parent = 'entities')`
}

// quoted is a name as it stands in a statement.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// setBusyTimeout sets how long SQLite itself waits for a lock; a pragma takes
// no parameters.
func setBusyTimeout(ctx context.Context, q querier, milliseconds int) error {
	return run(ctx, q, fmt.Sprintf("PRAGMA busy_timeout = %d", milliseconds))
}
