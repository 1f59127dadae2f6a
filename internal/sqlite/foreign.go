package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// ErrForeign is a database that nothing repairs as long as something of another
// program acts on what is written.
var ErrForeign = errors.New("triggers or unique indexes that are not of the memory are on its tables: remove them first, as doctor tells")

// actor is a trigger or a unique index: what acts when a table is written, or
// refuses that. Views and other tables do neither.
type actor struct{ kind, name, table string }

func (a actor) String() string { return fmt.Sprintf("%s %+q on %s", a.kind, a.name, a.table) }

// foreignActors lists those on the tables of the memory that are none of its schema.
func foreignActors(ctx context.Context, conn *sql.Conn, own []object) (foreign []actor, err error) {
	err = each(ctx, conn, allActors, nil, func(scan func(...any) error) error {
		var a actor
		if err := scan(&a.kind, &a.name, &a.table); err != nil {
			return err
		}
		if isOwnTable(own, a.table) && !isRepairIndex(a.name) && (object{name: a.kind + " " + a.name}).in(own) == missing {
			foreign = append(foreign, a)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list triggers: %w", err)
	}
	return foreign, nil
}

// isOwnTable reports whether a table is of a schema, or one in which a virtual table
// of it keeps its rows. SQLite does not tell cases apart.
func isOwnTable(schema []object, table string) bool {
	table = strings.ToLower(table)
	for _, o := range schema {
		name, ok := strings.CutPrefix(o.name, "table ")
		if ok && (name == table || strings.HasPrefix(o.statement, "CREATE VIRTUAL") && strings.HasPrefix(table, name+"_")) {
			return true
		}
	}
	return false
}

// foreign looks for what could change or refuse what the memory writes.
func (v *verifier) foreign(ctx context.Context) error {
	own, err := newSchema()
	if err != nil {
		return err
	}
	foreign, err := foreignActors(ctx, v.conn, own)
	for _, a := range foreign {
		v.add(CheckForeign, "%v", a)
	}
	return err
}
