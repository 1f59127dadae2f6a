package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/gen/db"
)

// observationsOf reads the observations of a list of entities, in order.
func (t readTx) observationsOf(ctx context.Context, idList string) (map[int64][]string, error) {
	rows, err := t.q.ObservationsOfAll(ctx, idList)
	if err != nil {
		return nil, fmt.Errorf("read observations: %w", err)
	}
	observations := map[int64][]string{}
	for _, row := range rows {
		observations[row.EntityID] = append(observations[row.EntityID], row.Content)
	}
	return observations, nil
}

func (t readTx) CountObservations(ctx context.Context) (int, error) {
	n, err := t.q.CountObservations(ctx)
	if err != nil {
		return 0, fmt.Errorf("count observations: %w", err)
	}
	return int(n), nil
}

func (t writeTx) InsertObservations(ctx context.Context, id int64, contents []string) ([]string, error) {
	added := []string{}
	if len(contents) == 0 {
		return added, nil
	}
	rows, err := t.q.ObservationsOf(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read observations of entity %d: %w", id, err)
	}
	stored := make(map[string]bool, len(rows)+len(contents))
	for _, row := range rows {
		stored[row.Content] = true
	}
	for _, content := range contents {
		if stored[content] {
			continue
		}
		if err := t.q.InsertObservation(ctx, db.InsertObservationParams{EntityID: id, Content: content}); err != nil {
			return nil, fmt.Errorf("insert observation of entity %d: %w", id, err)
		}
		stored[content] = true
		added = append(added, content)
	}
	return added, nil
}

func (t writeTx) DeleteObservations(ctx context.Context, id int64, contents []string) ([]string, error) {
	deleted := []string{}
	rows, err := t.q.ObservationsOf(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read observations of entity %d: %w", id, err)
	}
	stored := make(map[string][]int64, len(rows)) // older servers could store one twice
	for _, row := range rows {
		stored[row.Content] = append(stored[row.Content], row.ID)
	}
	var ids []int64
	for _, content := range contents {
		if of, ok := stored[content]; ok {
			ids = append(ids, of...)
			deleted = append(deleted, content)
			delete(stored, content)
		}
	}
	if len(ids) == 0 {
		return deleted, nil
	}
	if t.supersedes {
		if err := run(ctx, t.conn, forgetSuperseded, idList(ids)); err != nil {
			return nil, fmt.Errorf("free observations of entity %d: %w", id, err)
		}
	}
	if err := t.q.DeleteObservations(ctx, idList(ids)); err != nil {
		return nil, fmt.Errorf("delete observations of entity %d: %w", id, err)
	}
	return deleted, nil
}
