package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

func (t readTx) CountEdges(ctx context.Context) (int, error) {
	n, err := t.q.CountRelations(ctx)
	if err != nil {
		return 0, fmt.Errorf("count relations: %w", err)
	}
	return int(n), nil
}

func (t readTx) EdgesTouching(ctx context.Context, ids []int64) ([]memory.Edge, error) {
	rows, err := t.q.RelationsTouching(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read relations that touch: %w", err)
	}
	edges := make([]memory.Edge, len(rows))
	for i, row := range rows {
		edges[i] = edge(db.RelationsUpToRow(row))
	}
	return edges, nil
}

func (t readTx) EdgesUpTo(ctx context.Context, ids []int64) ([]memory.Edge, error) {
	rows, err := t.q.RelationsUpTo(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read relations up to: %w", err)
	}
	edges := make([]memory.Edge, len(rows))
	for i, row := range rows {
		edges[i] = edge(row)
	}
	return edges, nil
}

func edge(row db.RelationsUpToRow) memory.Edge {
	return memory.Edge{
		ID:       row.ID,
		FromID:   row.FromEntity,
		ToID:     row.ToEntity,
		Relation: memory.Relation{From: row.FromName, To: row.ToName, Type: row.RelationType},
	}
}

func (t writeTx) InsertRelation(ctx context.Context, fromID, toID int64, relationType string) (bool, error) {
	n, err := t.q.InsertRelation(ctx, db.InsertRelationParams{FromEntity: fromID, ToEntity: toID, RelationType: relationType})
	if err != nil {
		return false, fmt.Errorf("insert relation %d -> %d: %w", fromID, toID, err)
	}
	return n > 0, nil
}

func (t writeTx) DeleteRelation(ctx context.Context, fromID, toID int64, relationType string) (bool, error) {
	n, err := t.q.DeleteRelation(ctx, db.DeleteRelationParams{FromEntity: fromID, ToEntity: toID, RelationType: relationType})
	if err != nil {
		return false, fmt.Errorf("delete relation %d -> %d: %w", fromID, toID, err)
	}
	return n > 0, nil
}
