package sqlite

import (
	"context"
	"fmt"
)

// mergePages is how many pages of each table one part of merging writes, about: some
// tens of milliseconds.
const mergePages = 250

// mergeable are the tables of the text index.
var mergeable = []string{"entity_terms", "passage_terms", "entity_trigrams"}

// MergeIndex implements memory.Writer. See "The 'merge' Command" in SQLite's
// description of FTS5: it is done when it changes fewer than two rows.
func (t writeTx) MergeIndex(ctx context.Context, begin bool) (more bool, err error) {
	pages := mergePages
	if begin {
		pages = -mergePages
	}
	for _, table := range mergeable {
		before, err := number(ctx, t.conn, totalChanges)
		if err != nil {
			return false, fmt.Errorf("merge %s: %w", table, err)
		}
		if err := run(ctx, t.conn, fmt.Sprintf(mergePart, table), pages); err != nil {
			return false, fmt.Errorf("merge %s: %w", table, err)
		}
		after, err := number(ctx, t.conn, totalChanges)
		if err != nil {
			return false, fmt.Errorf("merge %s: %w", table, err)
		}
		more = more || after-before >= 2
	}
	return more, nil
}
