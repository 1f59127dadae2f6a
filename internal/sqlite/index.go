package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
	"mcp-memory/internal/words"
)

const (
	// indexPage is how many entities are in memory at a time.
	indexPage = 500
	// observationSeparator is the documented one of entity_fts.obs_text.
	observationSeparator = " | "
	// indexFormatKey is the key in db_metadata of the form of what is indexed.
	indexFormatKey = "index_format"
	// indexFormat is its value.
	indexFormat = "fold " + fold.Version + ", words " + words.FormatVersion + ", windows " + passage.WindowVersion
)

func (t readTx) Outdated(ctx context.Context, limit int) ([]int64, error) {
	ids, err := t.q.Outdated(ctx, rowLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("list entities out of step: %w", err)
	}
	return ids, nil
}

func (t writeTx) Reindex(ctx context.Context, ids []int64) error {
	if err := t.reindex(ctx, ids, false); err != nil {
		return err
	}
	if err := t.q.UnmarkGone(context.WithoutCancel(ctx), idList(ids)); err != nil {
		return fmt.Errorf("delete marks of entities that are gone: %w", err)
	}
	return nil
}

func (t writeTx) reindex(ctx context.Context, ids []int64, anew bool) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for page := range slices.Chunk(slices.Compact(ids), indexPage) {
		if err := t.reindexPage(ctx, page, anew); err != nil {
			return err
		}
	}
	return nil
}

// reindexPage writes what is missing of the index of these entities, or differs;
// anew, all of it but vectors.
// It heeds the end of its context between statements: for one that can be
// cancelled, the driver starts a goroutine.
func (t writeTx) reindexPage(cancellable context.Context, page []int64, anew bool) error {
	if err := cancellable.Err(); err != nil {
		return err
	}
	ctx := context.WithoutCancel(cancellable)
	sources, err := t.sources(ctx, page)
	if err != nil {
		return err
	}
	texts, err := t.indexedTexts(ctx, page)
	if err != nil {
		return err
	}
	passages, err := t.indexedPassages(ctx, page)
	if err != nil {
		return err
	}
	if anew {
		forget(texts, passages)
	}
	var free freeSlots
	exists := make(map[int64]bool, len(sources))
	for _, s := range sources {
		exists[s.ID] = true
		if err := cancellable.Err(); err != nil {
			return err
		}
		if text := textOf(s.Entity); texts[s.ID] != text {
			err = t.putText(ctx, text, s.Entity)
		}
		if err = errors.Join(err, t.putPassages(cancellable, s, passages[s.ID], &free)); err != nil {
			return fmt.Errorf("index entity %d: %w", s.ID, err)
		}
	}
	for _, id := range page {
		if exists[id] {
			continue
		}
		if err := t.removeIndex(ctx, id, passages[id]); err != nil {
			return fmt.Errorf("delete traces of entity %d: %w", id, err)
		}
	}
	if err := t.q.UpToDate(ctx, idList(page)); err != nil {
		return fmt.Errorf("note that the index is in step: %w", err)
	}
	return nil
}

// forget makes texts and words that are there seem missing.
func forget(texts map[int64]db.TextsRow, passages map[int64][]db.PassagesOfRow) {
	clear(texts)
	for _, rows := range passages {
		for i := range rows {
			rows[i].HasTerms = 0
		}
	}
}

// indexedTexts reads the texts of those entities of which no text is missing.
func (t readTx) indexedTexts(ctx context.Context, ids []int64) (map[int64]db.TextsRow, error) {
	rows, err := t.q.Texts(ctx, idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read text index: %w", err)
	}
	texts := make(map[int64]db.TextsRow, len(rows))
	for _, row := range rows {
		texts[row.EntityID] = row
	}
	return texts, nil
}

// textOf is what the index should hold of an entity as text.
func textOf(e memory.Entity) db.TextsRow {
	return db.TextsRow{
		EntityID:   e.ID,
		Folded:     foldedText(e),
		Name:       e.Name,
		EntityType: e.Type,
		ObsText:    strings.Join(e.Observations, observationSeparator),
	}
}

func (t writeTx) putText(ctx context.Context, text db.TextsRow, e memory.Entity) error {
	return errors.Join(
		t.q.PutText(ctx, db.PutTextParams{EntityID: e.ID, Name: text.Name, EntityType: text.EntityType, ObsText: text.ObsText}),
		t.q.PutFolded(ctx, db.PutFoldedParams{EntityID: e.ID, Folded: text.Folded}),
		t.q.PutTrigrams(ctx, db.PutTrigramsParams{EntityID: e.ID, Folded: text.Folded + trigramPadding}),
		t.q.PutEntityTerms(ctx, db.PutEntityTermsParams{EntityID: e.ID, Terms: entityTerms(e)}))
}

// removeIndex removes what is left of an entity that is gone.
func (t writeTx) removeIndex(ctx context.Context, id int64, passages []db.PassagesOfRow) error {
	err := errors.Join(
		t.q.DeleteText(ctx, id),
		t.q.DeleteFolded(ctx, id),
		t.q.DeleteTrigrams(ctx, id),
		t.q.DeleteEntityTerms(ctx, id),
		t.deleteVector(ctx, t.q.DeleteVector, "entity", id))
	return errors.Join(err, t.freePassages(ctx, passages))
}

// noteIndexFormat notes that what will be indexed has the current form.
func (t writeTx) noteIndexFormat(ctx context.Context) error {
	return t.q.PutMetadata(ctx, db.PutMetadataParams{Key: indexFormatKey, Value: indexFormat})
}

// outdateOtherFormat has all entities indexed anew, by and by, that were in
// another form. Folded texts and passages show by themselves that they differ;
// terms go.
func (t writeTx) outdateOtherFormat(ctx context.Context) error {
	format, err := t.q.Metadata(ctx, indexFormatKey)
	if err != nil || format == indexFormat {
		return err
	}
	return errors.Join(
		t.q.AllOutdated(ctx),
		t.q.DeleteAllEntityTerms(ctx),
		t.q.DeleteAllPassageTerms(ctx),
		t.noteIndexFormat(ctx))
}
