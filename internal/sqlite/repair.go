package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// Repairs are what Repair did.
type Repairs struct {
	Findings  []Finding // of which it did what can be done
	Reindexed int       // entities that were out of step, or all after an index was made anew
	Backup    string    // the copy of the database as it was; empty when nothing was changed
}

// ErrDamaged is a database whose pages are damaged, which nothing repairs.
var ErrDamaged = errors.New("the file is damaged; restore a backup copy, after mcp-memory export has saved what can still be read")

// unrepaired are the checks of which a person has to decide what is right.
var unrepaired = map[string]bool{CheckNames: true, CheckIntegrity: true, CheckForeign: true}

// Repair puts right what Verify finds, and does what is left to do for the index.
// Nothing that can be made again is dear to it; of what a user stored, it removes
// relations that are stored twice and those of entities that are gone, while
// observations get their entity again. The
// database is copied beside its file before anything is changed, and the oldest of
// such copies go. Other processes may use it meanwhile. A damaged file is left as it is: ErrDamaged.
// So is one of which triggers of others would act on every repair: ErrForeign.
func Repair(ctx context.Context, path string) (Repairs, error) {
	var done Repairs
	if err := restoreNote(ctx, path, &done); err != nil {
		return done, err
	}
	// What is missing of the schema keeps the rest from being looked at, and so does NULL.
	for range 4 {
		v, err := verified(ctx, path)
		if err != nil {
			return done, err
		}
		report := v.report()
		if report.Has(CheckIntegrity) {
			return done, ErrDamaged
		}
		wrong := repairable(report)
		if len(wrong) == 0 && report.Pending.Entities == 0 {
			return done, nil
		}
		if report.Has(CheckForeign) {
			return done, ErrForeign
		}
		if len(wrong) > 0 {
			if err := v.repair(ctx, path, wrong, &done); err != nil {
				return done, openError(path, err)
			}
		}
		if report.Has(CheckSchema) || report.Partial {
			continue
		}
		n, err := reindexOutdated(ctx, path)
		if done.Reindexed += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// restoreNote notes the version of a database where only that is gone.
func restoreNote(ctx context.Context, path string, done *Repairs) error {
	o, err := Survey(ctx, path)
	if err != nil || !o.Unnoted {
		return err
	}
	return withMigration(ctx, path, func(m *migration) error {
		noted, err := m.noteVersions(ctx)
		if noted && err == nil {
			done.Findings = append(done.Findings, Finding{Check: CheckMetadata, Count: 1, Examples: []string{"the applied migrations are missing"}})
		}
		return err
	})
}

// repairable are the findings that something can be done about.
func repairable(r Report) (list []Finding) {
	for _, f := range r.Findings {
		if !unrepaired[f.Check] {
			list = append(list, f)
		}
	}
	return list
}

// repair copies the database, unless that was done, and repairs all that a
// verifier found, in one transaction.
func (v *verifier) repair(ctx context.Context, path string, wrong []Finding, done *Repairs) error {
	return withMigration(ctx, path, func(m *migration) error {
		if done.Backup != "" {
			return v.repairAll(ctx, m, wrong, done)
		}
		backup, err := m.backup(ctx)
		if err != nil {
			return fmt.Errorf("back up: %w", err)
		}
		kept := m.backupName()
		if err := os.Rename(backup, kept); err != nil {
			return err
		}
		if err := v.repairAll(ctx, m, wrong, done); err != nil {
			return errors.Join(err, os.Remove(kept))
		}
		done.Backup = kept
		dropOldBackups(path, kept)
		return nil
	})
}

func (v *verifier) repairAll(ctx context.Context, m *migration, wrong []Finding, done *Repairs) error {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := repairer{conn: conn, q: db.New(conn), found: v}
	for _, f := range wrong {
		if err := r.repair(ctx, f.Check); err != nil {
			return fmt.Errorf("repair %s: %w", f.Check, err)
		}
	}
	if err := run(ctx, conn, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	done.Findings = append(done.Findings, wrong...)
	return nil
}

// reindexOutdated indexes what is marked, a page in each transaction, so that
// others can write in between.
func reindexOutdated(ctx context.Context, path string) (n int, err error) {
	d, err := Open(ctx, path, Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for {
		var ids []int64
		err := d.Update(ctx, func(w memory.Writer) (err error) {
			if ids, err = w.Outdated(ctx, indexPage); err != nil {
				return err
			}
			return w.Reindex(ctx, ids)
		})
		if err != nil || len(ids) == 0 {
			return n, err
		}
		n += len(ids)
	}
}

// repairer repairs by one connection, in a transaction.
type repairer struct {
	conn    *sql.Conn
	q       *db.Queries
	found   *verifier
	rebuilt bool // the index
	coarse  bool // the coarse vectors
}

// repair puts right what one check found. Passages and vectors come after all
// that they depend on, as in the order of the checks.
func (r *repairer) repair(ctx context.Context, check string) error {
	switch check {
	case CheckSchema:
		return r.schema(ctx)
	case CheckMetadata:
		return r.metadata(ctx)
	case CheckForeignKeys:
		return r.foreignKeys(ctx)
	case CheckOrphanObservations:
		_, err := mendOwners(ctx, r.conn)
		return errors.Join(err, r.all(ctx, restoreEntities))
	case CheckTexts:
		_, err := mendTexts(ctx, r.conn)
		return err
	case CheckIDs:
		return r.ids(ctx)
	case CheckValues:
		for _, remedy := range valueRemedies() {
			if err := run(ctx, r.conn, remedy.statement); err != nil {
				return err
			}
		}
		return nil
	case CheckText, CheckFTS, CheckTrigrams, CheckEntityTerms, CheckPassages, CheckPassageTerms:
		return r.index(ctx)
	case CheckVectors, CheckCoarse, CheckCoarseChunks:
		return r.vectors(ctx)
	case CheckWhole:
		if r.found.unreadable["entity_embeddings"] {
			return nil // as the next check makes it anew
		}
		return errors.Join(r.all(ctx, deleteWholeOfNone, staleWithout), run(ctx, r.conn, staleThese, idList(r.found.stale)))
	case CheckWholeChunks:
		return errors.Join(r.remake(ctx, "entity_embeddings"), r.all(ctx, staleAll))
	case CheckStates:
		return run(ctx, r.conn, staleThese, idList(r.found.stale))
	}
	return r.all(ctx, remedies[check]...)
}

// remedies are statements alone. They remove rows that say nothing; an observation says
// something, and gets its entity again.
var remedies = map[string][]string{
	CheckOrphanRelations: {deleteOrphanRelations},
	CheckOrphanAccess:    {deleteOrphanAccess},
	CheckOrphanPairs:     {deleteOrphanPairs},
	CheckOrphanStates:    {deleteOrphanStates},
	CheckOrphanRenewals:  {deleteOrphanRenewals},
	CheckPairs:           {turnPairs, deleteWrongPairs},
	CheckSequences:       {mendSequences},
}

// all runs statements one after the other.
func (r *repairer) all(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if err := run(ctx, r.conn, s); err != nil {
			return err
		}
	}
	return nil
}
