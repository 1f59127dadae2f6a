package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"mcp-memory/internal/memory"
)

// pages is SQLite's own check, which has FTS5 check its tables, too: of those, what
// is wrong can be made anew. It does not begin, or ends early, where it cannot open one of
// them; then it is run on each table by itself.
func (v *verifier) pages(ctx context.Context) error {
	closed, err := broken(ctx, v.conn, derivedTable.probe)
	if err != nil {
		return err
	}
	err = v.integrity(ctx, integrityCheck)
	if !isBroken(err) || isDamage(err) {
		return err
	}
	tables, err := listTexts(ctx, v.conn, ordinaryTables)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := v.integrity(ctx, integrityCheckOf, table); err != nil {
			return err
		}
	}
	for _, d := range derived {
		if slices.Contains(closed, d) || isBroken(v.integrity(ctx, integrityCheckOf, d.name)) {
			v.isUnreadable(d.name)
		}
	}
	return nil
}

func (v *verifier) integrity(ctx context.Context, query string, args ...any) error {
	return v.each(ctx, query, args, func(scan func(...any) error) error {
		var line string
		if err := scan(&line); err != nil || line == "ok" {
			return err
		}
		v.add(checkOfLine(line), "%s", line)
		return nil
	})
}

// checkOfLine is the check that a line of SQLite's answer belongs to.
func checkOfLine(line string) string {
	for _, d := range derived {
		of := " FTS5 table main." + d.name
		if strings.HasSuffix(line, of) || strings.Contains(line, of+": ") || strings.HasPrefix(line, "fts5: ") && strings.Contains(line, `"`+d.name+`"`) {
			return d.check
		}
	}
	return CheckIntegrity
}

// schema compares with a new database what there is, and what triggers do. The
// text of other things may differ in a database that was adopted.
func (v *verifier) schema(ctx context.Context) error {
	want, err := newSchema()
	if err != nil {
		return err
	}
	have, err := readSchema(ctx, v.conn)
	if err != nil {
		return err
	}
	for _, o := range want {
		switch o.in(have) {
		case missing:
			v.add(CheckSchema, "%s is missing", o.name)
		case another:
			v.add(CheckSchema, "%s is another", o.name)
		}
	}
	keys, err := missingKeys(ctx, v.conn)
	if err != nil {
		return err
	}
	for _, k := range keys {
		v.add(CheckSchema, "table %s lets in the same %s twice", k.table, k.columns)
	}
	return v.foreign(ctx)
}

// object is a part of a schema, with its kind in front of its name.
type object struct{ name, statement string }

type presence int

const (
	present presence = iota
	missing
	another
)

func (o object) in(schema []object) presence {
	i := slices.IndexFunc(schema, func(other object) bool { return other.name == o.name })
	switch {
	case i < 0:
		return missing
	case strings.HasPrefix(o.name, "trigger ") && schema[i].statement != o.statement:
		return another
	}
	return present
}

// newSchema is that of a new database, in the order in which it is made.
var newSchema = sync.OnceValues(func() ([]object, error) { return ofNew(schemaStatements) })

// ofNew reads objects of a new database.
func ofNew(query string) ([]object, error) {
	ctx := context.Background()
	pool, err := OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return readObjects(ctx, conn, query)
}

func readSchema(ctx context.Context, conn *sql.Conn) ([]object, error) {
	return readObjects(ctx, conn, schemaStatements)
}

func readObjects(ctx context.Context, conn *sql.Conn, query string) (objects []object, err error) {
	err = each(ctx, conn, query, nil, func(scan func(...any) error) error {
		var o object
		err := scan(&o.name, &o.statement)
		objects = append(objects, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return objects, nil
}

// count counts what there is, and what is left to do.
func (v *verifier) count(ctx context.Context) error {
	entities, err := v.t.q.CountEntities(ctx)
	if err != nil {
		return err
	}
	passages, err := v.t.q.CountPassages(ctx)
	if err != nil {
		return err
	}
	v.counted.Entities, v.counted.Passages = int(entities), int(passages)
	p := &v.counted.Pending
	return v.conn.QueryRowContext(ctx, countPending).Scan(&p.Entities, &p.Passages, &p.Vectors)
}

// rows runs the checks that are a query each.
func (v *verifier) rows(ctx context.Context) error {
	for _, c := range []struct {
		check, query string
		args         []any
		table        string // a derived one that it reads
	}{
		{CheckMetadata, missingMetadata, nil, ""},
		{CheckMetadata, wrongVersion, []any{LatestVersion()}, ""},
		{CheckForeignKeys, foreignKeyCheck, nil, ""},
		{CheckOrphanObservations, orphanObservations, nil, ""},
		{CheckOrphanRelations, orphanRelations, nil, ""},
		{CheckOrphanAccess, orphanAccess, nil, ""},
		{CheckOrphanPairs, orphanPairs, nil, ""},
		{CheckOrphanStates, orphanStates, nil, ""},
		{CheckOrphanRenewals, orphanRenewals, nil, ""},
		{CheckPairs, wrongPairs, nil, ""},
		{CheckTexts, oddTexts(), nil, ""},
		{CheckValues, oddValues(), nil, ""},
		{CheckIDs, idsExhausted, nil, ""},
		{CheckSequences, farSequences, nil, ""},
		{CheckText, textsOfNone, nil, ""},
		{CheckFTS, ftsOfNone, nil, "entity_fts"},
		{CheckPassages, passagesOfNone, nil, ""},
		{CheckPassages, freeWithModel, nil, ""},
		{CheckPassages, passageGaps, nil, ""},
		{CheckVectors, vectorsMissing, nil, ""},
		{CheckVectors, vectorsOfNone, nil, ""},
		{CheckCoarse, coarseMissing, nil, "passage_embeddings"},
		{CheckCoarse, coarseOfNone, nil, "passage_embeddings"},
		{CheckCoarse, coarseShards, nil, "passage_embeddings"},
		{CheckWhole, wholeMissing, nil, "entity_embeddings"},
		{CheckWhole, wholeOfNone, nil, "entity_embeddings"},
	} {
		look := func() error { return v.addAll(ctx, c.check, c.query, c.args...) }
		if c.table != "" {
			ordinary := look
			look = func() error { return v.derived(c.table, ordinary) }
		}
		if err := look(); err != nil {
			return err
		}
	}
	nulls, err := number(ctx, v.conn, countNulls())
	if err != nil {
		return fmt.Errorf("look for NULL: %w", err)
	}
	v.counted.Partial = nulls > 0
	return v.each(ctx, oddPassages, nil, func(scan func(...any) error) error {
		var example string
		err := scan(&example)
		v.add(CheckPassages, "%s", example)
		v.odd = true
		return err
	})
}

// names looks for names that only differ in normalisation or in blanks around
// them, which new ones cannot.
func (v *verifier) names(ctx context.Context) error {
	odd := map[string][]string{} // by their canonical form
	err := v.each(ctx, allNames, nil, func(scan func(...any) error) error {
		var id int64
		var name string
		if err := scan(&id, &name); err != nil {
			return err
		}
		if canonical := memory.CanonicalName(name); canonical != name {
			odd[canonical] = append(odd[canonical], name)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read names: %w", err)
	}
	canonical := make([]string, 0, len(odd))
	for name := range odd {
		canonical = append(canonical, name)
	}
	taken, err := v.t.EntityIDs(ctx, canonical)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(odd)) {
		spellings := odd[name]
		if _, ok := taken[name]; ok {
			spellings = append(spellings, name)
		}
		if len(spellings) > 1 {
			v.add(CheckNames, "%+q", spellings)
		}
	}
	return nil
}
