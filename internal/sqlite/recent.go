package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/gen/db"
)

func (t readTx) RecentEntities(ctx context.Context, limit int) ([]int64, error) {
	ids, err := t.q.RecentEntities(ctx, rowLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("list recent entities: %w", err)
	}
	return ids, nil
}

func (t readTx) EntityIDsBefore(ctx context.Context, before int64, limit int) ([]int64, error) {
	ids, err := t.q.EntityIDsBefore(ctx, db.EntityIDsBeforeParams{Before: before, Size: rowLimit(limit)})
	if err != nil {
		return nil, fmt.Errorf("list entities: %w", err)
	}
	return ids, nil
}

func (t readTx) GraphState(ctx context.Context) (string, error) {
	state, err := t.q.GraphState(ctx)
	if err != nil {
		return "", fmt.Errorf("read the state of the graph: %w", err)
	}
	return state, nil
}

func (t readTx) WithName(ctx context.Context, folded string, limit int) (ids []int64, total int, err error) {
	folded = searchable.Replace(folded)
	ids, err = t.q.EntitiesWithName(ctx, db.EntitiesWithNameParams{Fragment: folded, Size: rowLimit(limit)})
	if err != nil {
		return nil, 0, fmt.Errorf("search names: %w", err)
	}
	if len(ids) < limit {
		return ids, len(ids), nil
	}
	n, err := t.q.CountEntitiesWithName(ctx, folded)
	if err != nil {
		return nil, 0, fmt.Errorf("count names: %w", err)
	}
	return ids, int(n), nil
}
