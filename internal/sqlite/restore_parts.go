package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-memory/gen/db"
	"mcp-memory/migrations"
)

// restoreLimit is how many vectors a start derives or removes, a second's work. Of
// more, doctor --fix does all.
const restoreLimit = 2000

var createStatement = regexp.MustCompile(`(?m)^CREATE (?:VIRTUAL )?(TABLE|INDEX|TRIGGER) (?:IF NOT EXISTS )?(\w+)`)

// migratedSchema is what the migrations make, by the beginnings of their statements:
// to run them takes longer than a start may.
var migratedSchema = sync.OnceValue(func() (objects []object) {
	files, err := migrations.FS.ReadDir(".")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, f := range files {
		text, err := migrations.FS.ReadFile(f.Name())
		if err != nil {
			panic(err) // likewise
		}
		for _, found := range createStatement.FindAllStringSubmatch(string(text), -1) {
			objects = append(objects, object{strings.ToLower(found[1]) + " " + found[2], found[0]})
		}
	}
	return objects
})

// missingObjects lists what is missing of the schema, each with its kind.
func missingObjects(ctx context.Context, c *conn) (names []string, err error) {
	for _, o := range migratedSchema() {
		names = append(names, o.name)
	}
	err = each(ctx, c.sql, namesOfSchema, nil, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		names = slices.DeleteFunc(names, func(other string) bool { return other == name })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return names, nil
}

func lacksUserTable(missing []string) bool {
	return slices.Contains(missing, "table observations") || slices.Contains(missing, "table relations")
}

// restoreSchema makes what is missing. What changed while nothing marked it is not
// known, so everything counts as changed.
func restoreSchema(ctx context.Context, conn *sql.Conn, missing []string) error {
	r := repairer{conn: conn, q: db.New(conn)}
	if err := r.schema(ctx); err != nil {
		return err
	}
	if err := r.all(ctx, forgetUnknownModels); err != nil {
		return err
	}
	marks := func(name string) bool { return strings.HasPrefix(name, "trigger ") || name == "table text_outdated" }
	if !slices.ContainsFunc(missing, marks) {
		return nil
	}
	if err := r.q.AllOutdated(ctx); err != nil {
		return err
	}
	return r.all(ctx, staleAll)
}

// restorePassages makes rows that were deleted free ones, and has all entities
// looked at to which they may have belonged.
func (d *DB) restorePassages(ctx context.Context) error {
	var lost int64
	err := d.onWriter(ctx, repairWait, func(c *conn, q *db.Queries) error {
		for _, statement := range []string{outdateFarPassages, deleteFarPassages, fillPassageGaps, deleteTermsOfNone} {
			result, err := c.sql.ExecContext(ctx, statement)
			if err != nil {
				return err
			}
			rows, err := result.RowsAffected()
			if err != nil {
				return err
			}
			lost += rows
		}
		if lost == 0 {
			return nil
		}
		return q.AllOutdated(ctx)
	})
	if err != nil {
		return fmt.Errorf("restore passages: %w", err)
	}
	if lost > 0 {
		d.log.Warn("passages were missing: all entities are looked at again", "rows", lost)
	}
	return nil
}

// restoreVectors derives the coarse vectors that are missing. Passages without an
// exact one lose the claim to have one, so that it is computed anew.
func (d *DB) restoreVectors(ctx context.Context) error {
	var forgotten int64
	var derived, left []int64
	err := d.onWriter(ctx, repairWait, func(c *conn, q *db.Queries) error {
		result, err := c.sql.ExecContext(ctx, forgetVectors, "[]")
		if err != nil {
			return err
		}
		if forgotten, err = result.RowsAffected(); err != nil {
			return err
		}
		if err := run(ctx, c.sql, deleteVectorsOfNone); err != nil {
			return err
		}
		if left, err = listIDs(ctx, c.sql, coarseLeft, restoreLimit); err != nil {
			return err
		}
		t := writeTx{readTx{q: q}, c.sql, d.log, d.supersedes}
		for _, id := range left {
			if err := t.deleteVector(ctx, q.DeleteCoarse, "passage", id); err != nil {
				return err
			}
		}
		derived, err = restoreCoarse(ctx, repairer{conn: c.sql, q: q})
		return err
	})
	if err != nil {
		return fmt.Errorf("restore vectors: %w", err)
	}
	d.log.Warn("vectors were missing or left over", "computed anew", forgotten, "derived", len(derived), "removed", len(left))
	if max(len(derived), len(left)) == restoreLimit {
		d.log.Warn("more vectors may be missing: run mcp-memory doctor --fix")
	}
	return nil
}

// restoreCoarse derives coarse vectors that are missing, and returns whose.
func restoreCoarse(ctx context.Context, r repairer) (ids []int64, err error) {
	if ids, err = listIDs(ctx, r.conn, coarseLost, restoreLimit); err != nil {
		return nil, err
	}
	for _, id := range ids {
		row := vectorRow{id: id}
		if err := r.conn.QueryRowContext(ctx, vectorOfPassage, id).Scan(&row.model, &row.exact); err != nil {
			return nil, fmt.Errorf("read vector of passage %d: %w", id, err)
		}
		if err := r.derive(ctx, row); err != nil {
			return nil, fmt.Errorf("vector of passage %d: %w", id, err)
		}
	}
	return ids, nil
}

func listTexts(ctx context.Context, conn *sql.Conn, query string) (texts []string, err error) {
	err = each(ctx, conn, query, nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		texts = append(texts, text)
		return err
	})
	return texts, err
}

func listIDs(ctx context.Context, conn *sql.Conn, query string, args ...any) (ids []int64, err error) {
	err = each(ctx, conn, query, args, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}
