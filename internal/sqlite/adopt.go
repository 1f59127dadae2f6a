package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// adopted are the tables of the Python server's first release, with the columns
// that all its releases have. A table that is missing is made; one that is
// there and lacks a column belongs to another program.
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
				return &OpenError{Path: path, Reason: fmt.Sprintf(
					"it is the database of another program: its table %s lacks the column %s", a.table, column)}
			}
		}
	}
	return nil
}
