package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// repairWait is how long a start waits to repair the text index; after that the
// next start tries again.
const repairWait = 2 * time.Second

// foldKey is the key in db_metadata of how the texts in entity_text were folded.
const foldKey = "text_folding"

// outdateOtherFolding has all texts rewritten, by and by, that were folded in
// another way.
func outdateOtherFolding(ctx context.Context, q *db.Queries) error {
	folding, err := q.Metadata(ctx, foldKey)
	if err != nil || folding == memory.FoldVersion {
		return err
	}
	if err := q.AllTextsOutdated(ctx); err != nil {
		return err
	}
	return q.PutMetadata(ctx, db.PutMetadataParams{Key: foldKey, Value: memory.FoldVersion})
}

// repairMissingTexts makes rows of the text index that are missing, and removes
// those of entities that are gone.
func (d *DB) repairMissingTexts(ctx context.Context) error {
	ids, err := d.missingTexts(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	err = d.TryUpdate(ctx, repairWait, func(w memory.Writer) error { return w.RefreshText(ctx, ids) })
	if err != nil && !errors.Is(err, memory.ErrBusy) {
		return fmt.Errorf("repair text index: %w", err)
	}
	d.log.Info("text index repaired", "entities", len(ids), "error", err)
	return nil
}

func (d *DB) missingTexts(ctx context.Context) (ids []int64, err error) {
	err = d.View(ctx, func(r memory.Reader) error {
		ids, err = missingTexts(ctx, r.(readTx).q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("check text index: %w", err)
	}
	return ids, nil
}

// missingTexts lists the entities without a row in the text index, and the
// rows without an entity.
func missingTexts(ctx context.Context, q *db.Queries) ([]int64, error) {
	without, err := q.EntitiesWithoutText(ctx)
	if err != nil {
		return nil, err
	}
	left, err := q.TextsWithoutEntity(ctx)
	return append(without, left...), err
}

// differing returns those of ids of which the index rows say something else.
func (t readTx) differing(ctx context.Context, ids []int64) ([]int64, error) {
	texts, err := t.q.Texts(ctx, idList(ids))
	if err != nil {
		return nil, err
	}
	indexed := make(map[int64]db.TextsRow, len(texts))
	for _, text := range texts {
		indexed[text.EntityID] = text
	}
	entities, err := t.Entities(ctx, ids)
	if err != nil {
		return nil, err
	}
	var differing []int64
	for _, e := range entities {
		if text, ok := indexed[e.ID]; !ok || text != textRow(e) {
			differing = append(differing, e.ID)
		}
	}
	return differing, nil
}

// textRow is what the index should hold of an entity.
func textRow(e memory.Entity) db.TextsRow {
	return db.TextsRow{
		EntityID:   e.ID,
		Folded:     foldedText(e),
		Name:       e.Name,
		EntityType: e.Type,
		ObsText:    strings.Join(e.Observations, observationSeparator),
	}
}
