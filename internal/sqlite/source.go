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
	relations      relations
}

// relations are those of one entity, by id. A loop is told once.
type relations struct{ outgoing, incoming []passage.Rel }

// sources reads entities with what belongs to them, in the order of ids.
func (t readTx) sources(ctx context.Context, ids []int64) ([]source, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list := idList(ids)
	rows, err := t.q.Entities(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("read entities: %w", err)
	}
	observations, err := t.q.ObservationsOfAll(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("read observations: %w", err)
	}
	related, err := t.relationsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	sources := make([]source, len(rows))
	place := make(map[int64]*source, len(rows))
	for i, row := range rows {
		sources[i].ID, sources[i].Name, sources[i].Type = row.ID, row.Name, row.EntityType
		sources[i].relations = related[row.ID]
		place[row.ID] = &sources[i]
	}
	for _, o := range observations {
		if s := place[o.EntityID]; s != nil {
			s.Observations = append(s.Observations, o.Content)
			s.observationIDs = append(s.observationIDs, o.ID)
		}
	}
	return sources, nil
}

func (t readTx) relationsOf(ctx context.Context, ids []int64) (map[int64]relations, error) {
	edges, err := t.EdgesTouching(ctx, ids)
	if err != nil {
		return nil, err
	}
	related := make(map[int64]relations, len(edges))
	for _, e := range edges {
		from := related[e.FromID]
		from.outgoing = append(from.outgoing, passage.Rel{Type: e.Type, Other: e.To})
		related[e.FromID] = from
		if e.FromID == e.ToID {
			continue
		}
		to := related[e.ToID]
		to.incoming = append(to.incoming, passage.Rel{Type: e.Type, Other: e.From})
		related[e.ToID] = to
	}
	return related, nil
}

// windows cuts the entity into its passages.
func (s source) windows() []passage.Window {
	return passage.Windows(passage.Entity{
		Name: s.Name, Type: s.Type, Observations: s.Observations,
		Outgoing: s.relations.outgoing, Incoming: s.relations.incoming,
	})
}
