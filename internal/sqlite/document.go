package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"mcp-memory/gen/db"
	doc "mcp-memory/internal/document" // verifying has documents of its own
)

func (t readTx) EntityIDsAfter(ctx context.Context, after int64, limit int) ([]int64, error) {
	ids, err := t.q.EntityIDsAfter(ctx, db.EntityIDsAfterParams{After: after, Size: rowLimit(limit)})
	if err != nil {
		return nil, fmt.Errorf("list entities: %w", err)
	}
	return ids, nil
}

func (t readTx) WholeEntities(ctx context.Context, ids []int64) ([]doc.Entity, error) {
	list := idList(ids)
	rows, err := t.q.WholeEntities(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("read entities: %w", err)
	}
	observations, err := t.q.WholeObservations(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("read observations: %w", err)
	}
	entities := make([]doc.Entity, len(rows))
	place := make(map[int64]int, len(rows))
	for i, row := range rows {
		place[row.ID] = i
		entities[i] = doc.Entity{
			Name: row.Name, Type: row.EntityType, CreatedAt: &row.CreatedAt, UpdatedAt: &row.UpdatedAt,
			Observations: []doc.Observation{},
		}
		if row.Accessed != 0 {
			entities[i].Access = &doc.Access{Count: row.AccessCount, Last: &row.LastAccess.String}
		}
	}
	for _, o := range observations {
		if i, ok := place[o.EntityID]; ok {
			entities[i].Observations = append(entities[i].Observations, doc.Observation{Content: o.Content, CreatedAt: &o.CreatedAt})
		}
	}
	return entities, nil
}

func (t readTx) WholeRelations(ctx context.Context, after int64, limit int) ([]doc.Relation, int64, error) {
	rows, err := t.q.WholeRelations(ctx, db.WholeRelationsParams{After: after, Size: rowLimit(limit)})
	if err != nil {
		return nil, 0, fmt.Errorf("read relations: %w", err)
	}
	relations := make([]doc.Relation, len(rows))
	for i, row := range rows {
		relations[i] = doc.Relation{From: row.FromName, To: row.ToName, Type: row.RelationType, CreatedAt: &row.CreatedAt}
		after = row.ID
	}
	return relations, after, nil
}

func (t readTx) WholeCoOccurrences(ctx context.Context, ids []int64) ([]doc.CoOccurrence, error) {
	rows, err := t.q.WholeCoOccurrences(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read co-occurrences: %w", err)
	}
	pairs := make([]doc.CoOccurrence, len(rows))
	for i, row := range rows {
		pairs[i] = doc.CoOccurrence{A: row.AName, B: row.BName, Count: row.CoCount, Last: &row.LastCo}
	}
	return pairs, nil
}

func (t readTx) PassageVectors(ctx context.Context, ids []int64) ([]doc.Vector, error) {
	rows, err := t.q.WholePassageVectors(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read vectors of passages: %w", err)
	}
	vectors := make([]doc.Vector, len(rows))
	for i, row := range rows {
		vectors[i] = doc.Vector{Entity: row.Name, Model: row.Model, TextHash: row.TextHash, Numbers: row.Embedding}
	}
	return vectors, nil
}

func (t readTx) EntityVectors(ctx context.Context, ids []int64) ([]doc.Vector, error) {
	rows, err := t.q.WholeEntityVectors(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read vectors of entities: %w", err)
	}
	vectors := make([]doc.Vector, len(rows))
	for i, row := range rows {
		vectors[i] = doc.Vector{Entity: row.Name, Model: row.ModelID, TextHash: row.TextHash, Numbers: row.Embedding}
	}
	return vectors, nil
}

func (t readTx) PassagesWithout(ctx context.Context, id int64) (map[string][]int64, error) {
	rows, err := t.q.PassagesWithout(ctx, sql.NullInt64{Int64: id, Valid: true})
	if err != nil {
		return nil, fmt.Errorf("list passages of entity %d without a vector: %w", id, err)
	}
	passages := make(map[string][]int64, len(rows))
	for _, row := range rows {
		passages[row.TextHash] = append(passages[row.TextHash], row.ID)
	}
	return passages, nil
}
