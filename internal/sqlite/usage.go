package sqlite

import (
	"context"
	"fmt"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

func (t readTx) Usages(ctx context.Context, ids []int64) ([]memory.Usage, error) {
	rows, err := t.q.Usages(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	usages := make([]memory.Usage, len(rows))
	for i, row := range rows {
		usages[i] = usage(row)
	}
	return usages, nil
}

func usage(row db.UsagesRow) memory.Usage {
	u := memory.Usage{
		EntityID:   row.ID,
		Accesses:   int(row.AccessCount),
		LastAccess: parseTime(row.LastAccess.String),
		Degree:     int(row.Degree),
	}
	if u.LastAccess.IsZero() {
		u.LastAccess = parseTime(row.CreatedAt)
	}
	return u
}

func (t readTx) CoOccurrences(ctx context.Context, ids []int64) ([]memory.CoOccurrence, error) {
	rows, err := t.q.CoOccurrences(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read co-occurrences: %w", err)
	}
	pairs := make([]memory.CoOccurrence, len(rows))
	for i, row := range rows {
		pairs[i] = memory.CoOccurrence{A: row.EntityAID, B: row.EntityBID, Count: int(row.CoCount)}
	}
	return pairs, nil
}

func (t writeTx) EnsureUsage(ctx context.Context, id int64) error {
	if err := t.q.EnsureUsage(ctx, id); err != nil {
		return fmt.Errorf("record first access of entity %d: %w", id, err)
	}
	return nil
}

func (t writeTx) RecordAccess(ctx context.Context, ids []int64) error {
	if err := t.q.RecordAccess(ctx, idList(ids)); err != nil {
		return fmt.Errorf("record access: %w", err)
	}
	return nil
}

func (t writeTx) RecordTogether(ctx context.Context, ids []int64) error {
	if len(ids) < 2 {
		return nil
	}
	if err := t.q.RecordTogether(ctx, idList(ids)); err != nil {
		return fmt.Errorf("record co-occurrence: %w", err)
	}
	return nil
}
