package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/gen/db"
	doc "mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

func (t readTx) ObservationRows(ctx context.Context, entityID int64) ([]memory.ObservationRow, error) {
	rows, err := t.q.ObservationRows(ctx, entityID)
	if err != nil {
		return nil, fmt.Errorf("read observations of entity %d: %w", entityID, err)
	}
	list := make([]memory.ObservationRow, len(rows))
	for i, row := range rows {
		list[i] = memory.ObservationRow{ID: row.ID, Observation: doc.Observation{Content: row.Content, CreatedAt: &row.CreatedAt}}
	}
	return list, nil
}

func (t readTx) RelationRows(ctx context.Context, entityID int64) ([]memory.RelationRow, error) {
	rows, err := t.q.RelationRows(ctx, entityID)
	if err != nil {
		return nil, fmt.Errorf("read relations of entity %d: %w", entityID, err)
	}
	list := make([]memory.RelationRow, len(rows))
	for i, row := range rows {
		list[i] = memory.RelationRow{
			ID: row.ID, FromID: row.FromEntity, ToID: row.ToEntity,
			Relation: doc.Relation{From: row.FromName, To: row.ToName, Type: row.RelationType, CreatedAt: &row.CreatedAt},
		}
	}
	return list, nil
}

func (t readTx) TogetherRows(ctx context.Context, entityID int64) ([]memory.TogetherRow, error) {
	rows, err := t.q.TogetherRows(ctx, entityID)
	if err != nil {
		return nil, fmt.Errorf("read co-occurrences of entity %d: %w", entityID, err)
	}
	list := make([]memory.TogetherRow, len(rows))
	for i, row := range rows {
		list[i] = memory.TogetherRow{
			AID: row.EntityAID, BID: row.EntityBID,
			CoOccurrence: doc.CoOccurrence{A: row.AName, B: row.BName, Count: row.CoCount, Last: &row.LastCo},
		}
	}
	return list, nil
}

func (t readTx) MostUsed(ctx context.Context, limit int) ([]int64, error) {
	ids, err := t.q.MostUsedIDs(ctx, rowLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("list the most used entities: %w", err)
	}
	return ids, nil
}

func (t writeTx) PutEntity(ctx context.Context, id int64, e doc.Entity) error {
	err := t.q.PutEntity(ctx, db.PutEntityParams{
		ID: id, Name: e.Name, EntityType: e.Type, CreatedAt: doc.Time(e.CreatedAt), UpdatedAt: doc.Time(e.UpdatedAt),
	})
	if err != nil {
		return fmt.Errorf("put entity %d back: %w", id, err)
	}
	return t.mergeAccess(ctx, id, e.Access)
}

func (t writeTx) PutObservations(ctx context.Context, entityID int64, rows []memory.ObservationRow) (added bool, err error) {
	present, err := t.q.ObservationsOf(ctx, entityID)
	if err != nil {
		return false, fmt.Errorf("read observations of entity %d: %w", entityID, err)
	}
	stored := make(map[string]bool, len(present))
	for _, row := range present {
		stored[row.Content] = true
	}
	for _, row := range rows {
		if stored[row.Content] {
			continue
		}
		n, err := t.q.PutObservation(ctx, db.PutObservationParams{
			ID: row.ID, EntityID: entityID, Content: row.Content, CreatedAt: doc.Time(row.CreatedAt),
		})
		if err != nil {
			return false, fmt.Errorf("put observation %d back: %w", row.ID, err)
		}
		added = added || n > 0
	}
	return added, nil
}

func (t writeTx) PutRelation(ctx context.Context, row memory.RelationRow) (bool, error) {
	n, err := t.q.PutRelation(ctx, db.PutRelationParams{
		ID: row.ID, FromEntity: row.FromID, ToEntity: row.ToID, RelationType: row.Type, CreatedAt: doc.Time(row.CreatedAt),
	})
	if err != nil {
		return false, fmt.Errorf("put relation %d back: %w", row.ID, err)
	}
	return n > 0, nil
}

func (t writeTx) SetUpdated(ctx context.Context, id int64, at string) error {
	if err := t.q.SetUpdated(ctx, db.SetUpdatedParams{ID: id, UpdatedAt: at}); err != nil {
		return fmt.Errorf("set the update time of entity %d: %w", id, err)
	}
	return nil
}
