package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// repairWait is how long a start waits to repair the index; after that the
// next start tries again.
const repairWait = 2 * time.Second

// repairIndex makes rows of the index that are missing, and removes those of
// entities that are gone.
func (d *DB) repairIndex(ctx context.Context) error {
	ids, err := d.missingIndex(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	err = d.TryUpdate(ctx, repairWait, func(w memory.Writer) error { return w.Reindex(ctx, ids) })
	if err != nil && !errors.Is(err, memory.ErrBusy) {
		return fmt.Errorf("repair index: %w", err)
	}
	d.log.Info("index repaired", "entities", len(ids), "error", err)
	return nil
}

func (d *DB) missingIndex(ctx context.Context) (ids []int64, err error) {
	err = d.View(ctx, func(r memory.Reader) error {
		ids, err = missingIndex(ctx, r.(readTx).q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("check index: %w", err)
	}
	return ids, nil
}

// missingIndex lists the entities of which rows of the index are missing, and
// those of rows without an entity.
func missingIndex(ctx context.Context, q *db.Queries) ([]int64, error) {
	without, err := q.EntitiesWithoutIndex(ctx)
	if err != nil {
		return nil, err
	}
	left, err := q.IndexWithoutEntity(ctx)
	return append(without, left...), err
}
