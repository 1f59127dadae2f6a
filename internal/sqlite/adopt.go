package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// adopted are the tables of the Python server's first release, with the columns
// that all its releases have. A table that is missing is made; one that is
// there and lacks a column, or that a new row of ours would not do for, belongs to
// another program.
var adopted = []struct {
	table   string
	columns []string
}{
	{"entities", []string{"id", "name", "entity_type", "created_at", "updated_at"}},
	{"observations", []string{"id", "entity_id", "content", "created_at"}},
	{"relations", []string{"id", "from_entity", "to_entity", "relation_type", "created_at"}},
	{"db_metadata", []string{"key", "value"}},
	{"entity_access", []string{"entity_id", "access_count", "last_access"}},
	{"co_occurrences", []string{"entity_a_id", "entity_b_id", "co_count", "last_co"}},
}

// recognise refuses a file that a migration would not fit.
func recognise(ctx context.Context, path string) error {
	_, err := inspectFile(ctx, path)
	return err
}

// fits refuses tables that no migration has made and that lack something.
func fits(ctx context.Context, q querier, state schemaState, path string) error {
	if state.version > 0 {
		return nil
	}
	for _, a := range adopted {
		var columns string
		if err := q.QueryRowContext(ctx, columnsOf, a.table).Scan(&columns); err != nil {
			return err
		}
		if columns == "" {
			continue
		}
		present := strings.Split(columns, ",")
		for _, column := range a.columns {
			if !slices.Contains(present, column) {
				return foreignTable(path, a.table, "lacks the column "+column)
			}
		}
		if slices.Contains(a.columns, "id") {
			if n, err := number(ctx, q, givesIDs, a.table); err != nil {
				return err
			} else if n == 0 {
				return foreignTable(path, a.table, "has an id that is no INTEGER PRIMARY KEY")
			}
		}
		must, err := text(ctx, q, demanded, a.table)
		if err != nil {
			return err
		}
		for column := range strings.SplitSeq(must, ",") {
			if column != "" && !slices.Contains(a.columns, column) {
				return foreignTable(path, a.table, "has a column that must be filled, "+column)
			}
		}
	}
	return nil
}

func foreignTable(path, table, what string) error {
	return &OpenError{Path: path, Reason: fmt.Sprintf("it is the database of another program: its table %s %s", table, what)}
}
