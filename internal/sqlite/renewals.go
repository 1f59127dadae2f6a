package sqlite

import (
	"context"
	"errors"
	"fmt"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// The parts that renewals.part names.
const (
	textPart    = "text"
	passagePart = "passage"
	entityPart  = "entity"
)

func (t readTx) CountRenewals(ctx context.Context) (memory.Renewals, error) {
	n, err := t.q.CountRenewals(ctx)
	if err != nil {
		return memory.Renewals{}, fmt.Errorf("count what is to be made anew: %w", err)
	}
	return memory.Renewals{Texts: int(n.Texts), Passages: int(n.Passages), Entities: int(n.Entities)}, nil
}

func (t readTx) TextsToRenew(ctx context.Context, limit int) ([]int64, error) {
	ids, err := t.q.TextsToRenew(ctx, rowLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("list texts to be made anew: %w", err)
	}
	return ids, nil
}

func (t readTx) PassagesToRenew(ctx context.Context, after int64, limit int) ([]memory.PassageText, error) {
	due := []memory.PassageText{}
	for limit > 0 && len(due) == 0 { // of a page, no text may be told
		rows, err := t.q.PassagesToRenew(ctx, db.PassagesToRenewParams{After: after, Size: int64(limit)})
		if err != nil {
			return nil, fmt.Errorf("list passages to be made anew: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		after = rows[len(rows)-1].ID
		passages := make([]db.PassagesByIDRow, len(rows))
		for i, row := range rows {
			passages[i] = db.PassagesByIDRow(row)
		}
		if due, err = t.passageTexts(ctx, passages); err != nil {
			return nil, err
		}
	}
	return due, nil
}

func (t readTx) EntitiesToRenew(ctx context.Context, after int64, limit int) ([]int64, error) {
	ids, err := t.q.EntitiesToRenew(ctx, db.EntitiesToRenewParams{After: after, Size: rowLimit(limit)})
	if err != nil {
		return nil, fmt.Errorf("list vectors to be made anew: %w", err)
	}
	return ids, nil
}

func (t writeTx) MarkTexts(ctx context.Context) error {
	return t.mark(ctx, textPart, func() error { return t.q.MarkTexts(ctx) })
}

func (t writeTx) MarkPassages(ctx context.Context, modelID string) error {
	return t.mark(ctx, passagePart, func() error { return t.q.MarkPassages(ctx, modelID) })
}

func (t writeTx) MarkEntities(ctx context.Context) error {
	return t.mark(ctx, entityPart, func() error { return t.q.MarkEntities(ctx) })
}

func (t writeTx) mark(ctx context.Context, part string, mark func() error) error {
	err := t.q.Unmark(ctx, part)
	if err == nil {
		err = mark()
	}
	if err != nil {
		return fmt.Errorf("mark each %s to be made anew: %w", part, err)
	}
	return nil
}

func (t writeTx) RenewTexts(ctx context.Context, ids []int64) error {
	if err := t.reindex(ctx, ids, true); err != nil {
		return err
	}
	if err := t.q.UnmarkTexts(ctx, idList(ids)); err != nil {
		return fmt.Errorf("note which texts were made anew: %w", err)
	}
	return nil
}

func (t writeTx) UnmarkVectors(ctx context.Context) error {
	if err := errors.Join(t.q.Unmark(ctx, passagePart), t.q.Unmark(ctx, entityPart)); err != nil {
		return fmt.Errorf("note that vectors were made anew: %w", err)
	}
	return nil
}
