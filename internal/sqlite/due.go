package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
)

const (
	anyModel     = 0  // stands for every model
	unknownModel = -1 // is that of no vector
)

// modelNumber is the number of a model in embedding_models.
func (t readTx) modelNumber(ctx context.Context, modelID string) (int64, error) {
	if modelID == "" {
		return anyModel, nil
	}
	number, err := t.q.EmbeddingModel(ctx, modelID)
	if err != nil {
		return 0, fmt.Errorf("look up model %q: %w", modelID, err)
	}
	if number == 0 {
		return unknownModel, nil
	}
	return number, nil
}

func (t readTx) CountPassages(ctx context.Context) (int, error) {
	n, err := t.q.CountPassages(ctx)
	if err != nil {
		return 0, fmt.Errorf("count passages: %w", err)
	}
	return int(n), nil
}

func (t readTx) CountPassagesDue(ctx context.Context, modelID string) (passages, entities int, err error) {
	model, err := t.modelNumber(ctx, modelID)
	if err != nil {
		return 0, 0, err
	}
	n, err := t.q.CountPassagesDue(ctx, sql.NullInt64{Int64: model, Valid: model != anyModel})
	if err != nil {
		return 0, 0, fmt.Errorf("count passages without a vector: %w", err)
	}
	return int(n.Passages), int(n.Entities), nil
}

func (t readTx) PassagesDue(ctx context.Context, modelID string, after int64, limit int) ([]memory.PassageText, error) {
	models, err := t.modelsDue(ctx, modelID)
	if err != nil {
		return nil, err
	}
	due := []memory.PassageText{}
	for limit > 0 && len(due) == 0 { // of a page, no text may be told
		rows, err := t.passagesOfModels(ctx, models, after, limit)
		if err != nil {
			return nil, fmt.Errorf("list passages without a vector: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		after = rows[len(rows)-1].ID
		if due, err = t.passageTexts(ctx, rows); err != nil {
			return nil, err
		}
	}
	return due, nil
}

// modelsDue are the numbers of other models; NULL is that of no vector.
func (t readTx) modelsDue(ctx context.Context, modelID string) ([]sql.NullInt64, error) {
	due := []sql.NullInt64{{}}
	model, err := t.modelNumber(ctx, modelID)
	if err != nil || model == anyModel {
		return due, err
	}
	all, err := t.q.EmbeddingModels(ctx)
	if err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	for _, other := range all {
		if other != model {
			due = append(due, sql.NullInt64{Int64: other, Valid: true})
		}
	}
	return due, nil
}

// passagesOfModels lists passages in the order of their ids. Model by model, as
// that is the order of the index.
func (t readTx) passagesOfModels(ctx context.Context, models []sql.NullInt64, after int64, limit int) ([]db.PassagesByIDRow, error) {
	var list []db.PassagesByIDRow
	for _, model := range models {
		rows, err := t.q.PassagesOfModel(ctx, db.PassagesOfModelParams{Model: model, After: after, Size: int64(limit)})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			list = append(list, db.PassagesByIDRow(row))
		}
	}
	slices.SortFunc(list, func(a, b db.PassagesByIDRow) int { return cmp.Compare(a.ID, b.ID) })
	return list[:min(limit, len(list))], nil
}

func (t readTx) PassageTexts(ctx context.Context, ids []int64) ([]memory.PassageText, error) {
	rows, err := t.q.PassagesByID(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	return t.passageTexts(ctx, rows)
}

// passageTexts cuts the entities anew, and leaves out rows of texts that they
// do not have.
func (t readTx) passageTexts(ctx context.Context, rows []db.PassagesByIDRow) ([]memory.PassageText, error) {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.EntityID
	}
	slices.Sort(ids)
	sources, err := t.sources(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	type cutEntity struct {
		memory.Entity
		windows []passage.Window
	}
	entities := make(map[int64]cutEntity, len(sources))
	for _, s := range sources {
		entities[s.ID] = cutEntity{s.Entity, s.windows()}
	}
	texts := []memory.PassageText{}
	for _, row := range rows {
		of := entities[row.EntityID]
		if row.Ordinal < int64(len(of.windows)) && of.windows[row.Ordinal].Hash() == row.TextHash {
			texts = append(texts, memory.PassageText{ID: row.ID, Entity: of.Entity, Window: of.windows[row.Ordinal]})
		}
	}
	return texts, nil
}
