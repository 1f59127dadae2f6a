package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
)

// source is all that the index of an entity is made from.
type source struct {
	memory.Entity
	observationIDs []int64 // of Observations
	described      passage.Entity
}

// sources reads entities with what belongs to them, in the order of ids.
func (t readTx) sources(ctx context.Context, ids []int64) ([]source, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	entities, err := t.EntityHeads(ctx, ids)
	if err != nil {
		return nil, err
	}
	observations, err := t.q.ObservationsOfAll(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read observations: %w", err)
	}
	edges, err := t.EdgesTouching(ctx, ids)
	if err != nil {
		return nil, err
	}
	sources := make([]source, len(entities))
	place := make(map[int64]int, len(entities))
	for i, e := range entities {
		place[e.ID] = i
	}
	for _, o := range observations {
		if i, ok := place[o.EntityID]; ok {
			entities[i].Observations = append(entities[i].Observations, o.Content)
			sources[i].observationIDs = append(sources[i].observationIDs, o.ID)
		}
	}
	for i, described := range memory.Described(entities, edges) {
		sources[i].Entity, sources[i].described = entities[i], described
	}
	return sources, nil
}

// windows cuts the entity into its passages.
func (s source) windows() []passage.Window { return passage.Windows(s.described) }
