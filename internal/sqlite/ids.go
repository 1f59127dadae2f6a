package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// reference is a column with ids of another table.
type reference struct{ table, column string }

// documentedReferences are those of the documented tables, which in a table of another
// program may not say so.
var documentedReferences = map[string][]reference{
	"entities": {
		{"observations", "entity_id"},
		{"relations", "from_entity"},
		{"relations", "to_entity"},
		{"entity_access", "entity_id"},
		{"co_occurrences", "entity_a_id"},
		{"co_occurrences", "entity_b_id"},
	},
}

// ids numbers anew the rows whose ids leave no room for new ones, with all that refers
// to them. They keep their order, and get ids that no row ever had.
func (r *repairer) ids(ctx context.Context) error {
	tables, err := listTexts(ctx, r.conn, tablesUsedUp)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := r.renumber(ctx, table); err != nil {
			return fmt.Errorf("number %s anew: %w", table, err)
		}
	}
	return nil
}

func (r *repairer) renumber(ctx context.Context, table string) error {
	old, err := listIDs(ctx, r.conn, fmt.Sprintf(farIDs, table))
	if err != nil {
		return err
	}
	references, err := referencesTo(ctx, r.conn, table)
	if err != nil {
		return err
	}
	references = append(references, reference{table, "id"})
	next, err := number(ctx, r.conn, fmt.Sprintf(idBehindOthers, table))
	if err != nil {
		return err
	}
	made := make([]int64, 0, len(old))
	for _, id := range old {
		for taken := int64(1); taken > 0; next++ {
			if taken, err = number(ctx, r.conn, fmt.Sprintf(countID, table), next); err != nil {
				return err
			}
		}
		for _, ref := range references {
			if err := run(ctx, r.conn, fmt.Sprintf(renumberColumn, quoted(ref.table), quoted(ref.column)), next-1, id); err != nil {
				return fmt.Errorf("%s.%s: %w", ref.table, ref.column, err)
			}
		}
		made = append(made, next-1)
	}
	if err := run(ctx, r.conn, countOnFrom, next-1, table); err != nil {
		return err
	}
	if table != "entities" {
		return nil // whose triggers note what they belong to
	}
	// What was indexed by the old id goes, and the vectors with it.
	if err := run(ctx, r.conn, markThese, idList(append(old, made...))); err != nil {
		return err
	}
	return run(ctx, r.conn, staleThese, idList(made))
}

// referencesTo lists the columns of all tables with ids of one, the columns of other
// programs that say so among them.
func referencesTo(ctx context.Context, conn *sql.Conn, table string) ([]reference, error) {
	list := []reference{}
	for _, ref := range documentedReferences[table] {
		if known, err := number(ctx, conn, countTables, ref.table); err != nil {
			return nil, err
		} else if known > 0 {
			list = append(list, ref)
		}
	}
	err := each(ctx, conn, columnsReferring, []any{table}, func(scan func(...any) error) error {
		var ref reference
		err := scan(&ref.table, &ref.column)
		if !slices.Contains(list, ref) {
			list = append(list, ref)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	return list, nil
}
