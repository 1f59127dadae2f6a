package sqlite

import (
	"context"
	"database/sql"
	"log/slog"

	"github.com/pressly/goose/v3"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// textMigration fills entity_fts and entity_text from entities that were there
// before them. It is Go because folding is.
func textMigration() *goose.Migration {
	m := goose.NewGoMigration(5, &goose.GoFunc{RunTx: fillTexts}, &goose.GoFunc{RunTx: keepTexts})
	m.Source = "00005_text.go"
	return m
}

func fillTexts(ctx context.Context, tx *sql.Tx) error {
	t := writeTx{readTx: readTx{db.New(tx)}, conn: tx, log: slog.New(slog.DiscardHandler)}
	missing, err := missingTexts(ctx, t.q)
	if err != nil {
		return err
	}
	if err := t.RefreshText(ctx, missing); err != nil {
		return err
	}
	if err := t.q.PutMetadata(ctx, db.PutMetadataParams{Key: foldKey, Value: memory.FoldVersion}); err != nil {
		return err
	}
	for after := int64(0); ; {
		page, err := t.q.EntityIDsAfter(ctx, db.EntityIDsAfterParams{After: after, Size: textPage})
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1]
		differing, err := t.differing(ctx, page)
		if err != nil {
			return err
		}
		if err := t.RefreshText(ctx, differing); err != nil {
			return err
		}
	}
}

// keepTexts is the way back: rows more or less are no matter to the tables.
func keepTexts(context.Context, *sql.Tx) error { return nil }
