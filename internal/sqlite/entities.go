package sqlite

import (
	"context"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

func (t readTx) EntityIDs(ctx context.Context, names []string) (map[string]int64, error) {
	list, err := textList(names)
	if err != nil {
		return nil, fmt.Errorf("list names: %w", err)
	}
	rows, err := t.q.EntityIDs(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("look up names: %w", err)
	}
	ids := make(map[string]int64, len(rows))
	for _, row := range rows {
		ids[row.Name] = row.ID
	}
	return ids, nil
}

func (t readTx) Entities(ctx context.Context, ids []int64) ([]memory.Entity, error) {
	entities, err := t.EntityHeads(ctx, ids)
	if err != nil {
		return nil, err
	}
	observations, err := t.observationsOf(ctx, idList(ids))
	if err != nil {
		return nil, err
	}
	for i := range entities {
		if own := observations[entities[i].ID]; own != nil {
			entities[i].Observations = own
		}
	}
	return entities, nil
}

func (t readTx) EntityHeads(ctx context.Context, ids []int64) ([]memory.Entity, error) {
	rows, err := t.q.Entities(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read entities: %w", err)
	}
	entities := make([]memory.Entity, len(rows))
	for i, row := range rows {
		entities[i] = memory.Entity{
			ID:           row.ID,
			Name:         row.Name,
			Type:         row.EntityType,
			Observations: []string{},
			CreatedAt:    parseTime(row.CreatedAt),
			UpdatedAt:    parseTime(row.UpdatedAt),
		}
	}
	return entities, nil
}

func (t readTx) EntityPage(ctx context.Context, limit, offset int) ([]int64, int, error) {
	total, err := t.q.CountEntities(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("count entities: %w", err)
	}
	page := db.EntityPageParams{Size: rowLimit(limit), Skip: int64(offset)}
	ids, err := t.q.EntityPage(ctx, page)
	if err != nil {
		return nil, 0, fmt.Errorf("list entities: %w", err)
	}
	return ids, int(total), nil
}

func (t readTx) EntityTypes(ctx context.Context) ([]string, error) {
	types, err := t.q.EntityTypes(ctx)
	if err != nil {
		return nil, fmt.Errorf("list types: %w", err)
	}
	return types, nil
}

// rowLimit is a LIMIT; SQLite takes a negative one for none at all.
func rowLimit(limit int) int64 { return int64(max(limit, 0)) }

func (t writeTx) InsertEntity(ctx context.Context, name, entityType string) (int64, error) {
	id, err := t.q.InsertEntity(ctx, db.InsertEntityParams{Name: name, EntityType: entityType})
	if err != nil {
		return 0, fmt.Errorf("insert entity: %w", err)
	}
	return id, nil
}

func (t writeTx) SetEntityType(ctx context.Context, id int64, entityType string) (bool, error) {
	n, err := t.q.SetEntityType(ctx, db.SetEntityTypeParams{ID: id, EntityType: entityType})
	if err != nil {
		return false, fmt.Errorf("set type of entity %d: %w", id, err)
	}
	return n > 0, nil
}

func (t writeTx) TouchEntity(ctx context.Context, id int64) error {
	if err := t.q.TouchEntity(ctx, id); err != nil {
		return fmt.Errorf("touch entity %d: %w", id, err)
	}
	return nil
}

func (t writeTx) DeleteEntity(ctx context.Context, id int64) error {
	if t.supersedes {
		if err := run(ctx, t.conn, forgetSupersededOf, id); err != nil {
			return fmt.Errorf("free observations of entity %d: %w", id, err)
		}
	}
	if err := t.q.DeleteEntity(ctx, id); err != nil {
		return fmt.Errorf("delete entity %d: %w", id, err)
	}
	return t.Reindex(ctx, []int64{id})
}

// deleteVector deletes a vector, that of an entity or passage. sqlite-vec is
// known to fail now and then, with an error of no meaning; a vector that is left
// behind does no harm, as it counts as out of date.
func (t writeTx) deleteVector(ctx context.Context, remove func(context.Context, int64) error, of string, id int64) error {
	const attempts = 3
	var err error
	for range attempts {
		if err = remove(ctx, id); !hasCode(err, sqlite3.ErrError) {
			break
		}
	}
	if hasCode(err, sqlite3.ErrError) {
		t.log.Warn("vector not deleted", of, id, "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete vector of %s %d: %w", of, id, err)
	}
	return nil
}
