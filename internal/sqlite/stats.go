package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

func (t readTx) Stats(ctx context.Context, mostUsed int) (memory.Stats, error) {
	all, err := t.q.CountAll(ctx)
	if err != nil {
		return memory.Stats{}, fmt.Errorf("count what there is: %w", err)
	}
	s := memory.Stats{
		Entities: int(all.Entities), Observations: int(all.Observations), Relations: int(all.Relations), Outdated: int(all.Outdated),
		Oldest: parseTime(all.Oldest), Newest: parseTime(all.Newest), Changed: parseTime(all.Changed),
	}
	if s.Types, err = counts(ctx, t.q.CountByType); err != nil {
		return s, fmt.Errorf("count entities by type: %w", err)
	}
	if s.RelationTypes, err = counts(ctx, t.q.CountByRelationType); err != nil {
		return s, fmt.Errorf("count relations by type: %w", err)
	}
	if s.Months, err = counts(ctx, t.q.CountByMonth); err != nil {
		return s, fmt.Errorf("count entities by month: %w", err)
	}
	if s.Models, err = counts(ctx, t.q.CountByModel); err != nil {
		return s, fmt.Errorf("count vectors: %w", err)
	}
	used, err := t.q.MostUsed(ctx, rowLimit(mostUsed))
	if err != nil {
		return s, fmt.Errorf("list what is used most: %w", err)
	}
	s.MostUsed = make([]memory.Used, len(used))
	for i, row := range used {
		s.MostUsed[i] = memory.Used{Name: row.Name, Accesses: int(row.N), Last: parseTime(row.LastAccess)}
	}
	return s, nil
}

// counts runs a query that counts by a name.
func counts[Row db.CountByTypeRow | db.CountByRelationTypeRow | db.CountByMonthRow | db.CountByModelRow](
	ctx context.Context, query func(context.Context) ([]Row, error),
) ([]memory.Count, error) {
	rows, err := query(ctx)
	list := make([]memory.Count, len(rows))
	for i, row := range rows {
		of := db.CountByTypeRow(row)
		list[i] = memory.Count{Name: of.Name, Count: int(of.N)}
	}
	return list, err
}
