package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mcp-memory/internal/memory"
)

// searchVersion is the migration that makes entity_fts and entity_embeddings
// where they are missing.
const searchVersion = 2

// mended is a kind of damage in an old database that was made good, or can stay.
type mended struct {
	what string
	rows int64
}

// mender makes good what other programs left behind, before the schema
// changes. The backup still holds all of it.
type mender struct {
	*migration
	done []mended
}

// mend repairs a database that is about to be migrated. Nothing that a user
// stored is lost: observations whose entity is gone get one again.
func (m *migration) mend(ctx context.Context) ([]mended, error) {
	if m.state.empty {
		return nil, nil
	}
	r := &mender{migration: m}
	steps := []func(context.Context) error{
		r.storage, r.values, r.keys, r.restoreEntities, r.freeObservations, r.removeOrphans, r.countPairs, r.countLookalikes, r.removeLeftovers, r.removeEmptyVersions,
	}
	if m.state.version < searchVersion {
		steps = append(steps, r.textIndex, r.vectors)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("repair: %w", err)
		}
	}
	return r.done, nil
}

// note remembers a repair, unless there was nothing to do.
func (m *mender) note(what string, rows int64) {
	if rows > 0 {
		m.done = append(m.done, mended{what, rows})
	}
}

// exec runs a statement and notes how many rows it changed.
func (m *mender) exec(ctx context.Context, what, statement string, args ...any) error {
	result, err := m.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	rows, err := result.RowsAffected()
	m.note(what, rows)
	return err
}

// has reports whether there is a table of this name.
func (m *mender) has(ctx context.Context, table string) (bool, error) {
	n, err := number(ctx, m.db, countTables, table)
	return n > 0, err
}

func (m *mender) restoreEntities(ctx context.Context) error {
	if known, err := m.has(ctx, "observations"); err != nil || !known {
		return err
	}
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	made, err := mendOwners(ctx, conn)
	if err := errors.Join(err, conn.Close()); err != nil {
		return err
	}
	m.note("observations of what is no entity: one was made", made)
	return m.exec(ctx, "observations without their entity: it was made anew", restoreEntities)
}

// freeObservations forgets what is said to be superseded and is gone.
func (m *mender) freeObservations(ctx context.Context) error {
	columns, err := number(ctx, m.db, countSupersedings)
	if err != nil || columns == 0 {
		return err
	}
	return m.exec(ctx, "observations that supersede one that is gone", forgetSupersededGone)
}

// removeOrphans removes rows that refer to entities that are gone, from
// whatever table.
func (m *mender) removeOrphans(ctx context.Context) error {
	var tables string
	if err := m.db.QueryRowContext(ctx, tablesWithOrphans).Scan(&tables); err != nil {
		return fmt.Errorf("check foreign keys: %w", err)
	}
	for table := range strings.SplitSeq(tables, "\n") {
		if table == "" {
			continue
		}
		if err := m.exec(ctx, table+" without their entity", deleteOrphans(table), table); err != nil {
			return err
		}
	}
	// NULL is no violation.
	for _, of := range []struct{ table, statement string }{{"co_occurrences", deletePairsOfNull}, {"relations", deleteRelationsOfNull}} {
		if known, err := m.has(ctx, of.table); err != nil {
			return err
		} else if !known {
			continue
		}
		if err := m.exec(ctx, of.table+" with NULL for an entity", of.statement); err != nil {
			return err
		}
	}
	return nil
}

// countPairs counts what migration 3 repairs.
func (m *mender) countPairs(ctx context.Context) error {
	if known, err := m.has(ctx, "co_occurrences"); err != nil || !known {
		return err
	}
	rows, err := number(ctx, m.db, countOddPairs)
	m.note("co_occurrences of an entity with itself or the wrong way round", rows)
	return err
}

// countLookalikes counts the names that would be one if they were stored today.
// All of them stay, and each is found as it is written.
func (m *mender) countLookalikes(ctx context.Context) error {
	rows, err := m.db.QueryContext(ctx, everyName)
	if err != nil {
		return fmt.Errorf("read names: %w", err)
	}
	defer rows.Close()
	seen := map[string]bool{}
	var alike int64
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return fmt.Errorf("read names: %w", err)
		}
		name = memory.CanonicalName(name)
		if seen[name] {
			alike++
		}
		seen[name] = true
	}
	m.note("names that look like another one: all are kept", alike)
	return rows.Err()
}

// textIndex removes a text index that cannot be used, and counts what is
// missing or left over in another, which filling the index puts right.
func (m *mender) textIndex(ctx context.Context) error {
	usable, err := m.usable(ctx, "entity_fts", isDocumentedText, checkTextIndex)
	if err != nil {
		return err
	}
	missing, left := countEntities, ""
	if usable {
		missing, left = countWithoutText, countTextWithout
	}
	rows, err := number(ctx, m.db, missing)
	if err != nil {
		return fmt.Errorf("compare the text index: %w", err)
	}
	m.note("entities without a row in the text index", rows)
	if left == "" {
		return nil
	}
	rows, err = number(ctx, m.db, left)
	m.note("rows of the text index without their entity", rows)
	return err
}

// vectors removes vectors of another dimension and those of no entity.
func (m *mender) vectors(ctx context.Context) error {
	usable, err := m.usable(ctx, "entity_embeddings", isDocumentedVectors, readVectors)
	if err != nil || !usable {
		return err
	}
	return m.exec(ctx, "vectors without their entity", deleteOrphanVectors)
}

// usable reports whether a table of an index is there, is declared as is
// documented and passes its check. One that is not goes, to be made anew.
func (m *mender) usable(ctx context.Context, table, isDocumented, check string) (bool, error) {
	if known, err := m.has(ctx, table); err != nil || !known {
		return false, err
	}
	documented, err := number(ctx, m.db, isDocumented)
	if err != nil {
		return false, err
	}
	if documented > 0 && run(ctx, m.db, check) == nil {
		return true, nil
	}
	m.note(table+" of another form or damaged: it was made anew", 1)
	return false, run(ctx, m.db, "DROP TABLE "+table)
}

// leftovers are what migrations make that no other program has, by the number
// of the migration, without shadow tables and indexes. A file that has some and no
// note of that migration has lost the note.
var leftovers = []struct {
	version    int64
	kind, name string
}{
	{8, "TRIGGER", "renewed_passage"},
	{8, "TRIGGER", "renewed_entity"},
	{8, "TRIGGER", "made_entity"},
	{8, "TABLE", "renewals"},
	{4, "TRIGGER", "mark_entity_insert"},
	{4, "TRIGGER", "mark_entity_update"},
	{4, "TRIGGER", "mark_entity_delete"},
	{4, "TRIGGER", "mark_observation_insert"},
	{4, "TRIGGER", "mark_observation_update"},
	{4, "TRIGGER", "mark_observation_delete"},
	{4, "TRIGGER", "mark_relation_insert"},
	{4, "TRIGGER", "mark_relation_update"},
	{4, "TRIGGER", "mark_relation_delete"},
	{6, "TRIGGER", "outdate_entity_rename"},
	{6, "TRIGGER", "outdate_entity_delete"},
	{6, "TRIGGER", "outdate_relation_insert"},
	{6, "TRIGGER", "outdate_relation_update"},
	{6, "TRIGGER", "outdate_relation_delete"},
	{6, "INDEX", "idx_text_name"},
	{4, "TABLE", "text_outdated"},
	{6, "TABLE", "trigram_vocabulary"},
	{6, "TABLE", "entity_trigrams"},
	{6, "TABLE", "passage_terms"},
	{6, "TABLE", "entity_vocabulary"},
	{6, "TABLE", "entity_terms"},
	{6, "TABLE", "passage_embeddings"},
	{6, "TABLE", "passage_vectors"},
	{6, "TABLE", "passages"},
	{6, "TABLE", "embedding_models"},
}

// removeLeftovers makes way for migrations that were applied before, as far as
// the database knows no more.
func (m *mender) removeLeftovers(ctx context.Context) error {
	var removed int64
	for _, l := range leftovers {
		if l.version <= m.state.version {
			continue
		}
		n, err := number(ctx, m.db, countNamed, l.name)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		if err := run(ctx, m.db, "DROP "+l.kind+" "+l.name); err != nil {
			return fmt.Errorf("remove %s: %w", l.name, err)
		}
		removed++
	}
	m.note("parts of an index whose version is not known any more: made anew", removed)
	return nil
}

// removeEmptyVersions removes a table of versions that holds none, not even the
// zero that goose begins with.
func (m *mender) removeEmptyVersions(ctx context.Context) error {
	if known, err := m.has(ctx, "goose_db_version"); err != nil || !known {
		return err
	}
	rows, err := number(ctx, m.db, countVersions)
	if err != nil || rows > 0 {
		return err
	}
	m.note("table of schema versions without any: it was made anew", 1)
	return run(ctx, m.db, "DROP TABLE goose_db_version")
}
