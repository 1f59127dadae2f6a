package sqlite

import (
	"context"
	"fmt"
	"slices"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// CheckText compares the whole text index with the entities, repairs what
// differs, and counts it: the tests' judge of whether both agree.
func (d *DB) CheckText(ctx context.Context) (repaired int, err error) {
	missing, err := d.missingTexts(ctx)
	if err != nil {
		return 0, err
	}
	repaired, err = d.refreshInPages(ctx, missing)
	for after, more := int64(0), true; err == nil && more; {
		var differing []int64
		differing, after, more, err = d.differingTexts(ctx, after)
		if err == nil {
			var n int
			n, err = d.refreshInPages(ctx, differing)
			repaired += n
		}
	}
	return repaired, err
}

// refreshInPages rewrites index rows and counts them.
func (d *DB) refreshInPages(ctx context.Context, ids []int64) (done int, err error) {
	for page := range slices.Chunk(ids, textPage) {
		if err := d.Update(ctx, func(w memory.Writer) error { return w.RefreshText(ctx, page) }); err != nil {
			return done, fmt.Errorf("repair text index: %w", err)
		}
		done += len(page)
	}
	return done, nil
}

// differingTexts compares the next page of entities with their index rows.
func (d *DB) differingTexts(ctx context.Context, after int64) (ids []int64, last int64, more bool, err error) {
	err = d.View(ctx, func(r memory.Reader) error {
		t := r.(readTx)
		page, err := t.q.EntityIDsAfter(ctx, db.EntityIDsAfterParams{After: after, Size: textPage})
		if err != nil || len(page) == 0 {
			return err
		}
		last, more = page[len(page)-1], len(page) == textPage
		ids, err = t.differing(ctx, page)
		return err
	})
	if err != nil {
		err = fmt.Errorf("check text index: %w", err)
	}
	return ids, last, more, err
}
