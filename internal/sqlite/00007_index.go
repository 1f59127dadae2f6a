package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"

	"github.com/pressly/goose/v3"

	"mcp-memory/gen/db"
)

// fillPages is how many pages of entities a migration indexes, a second's work
// or two. With more, a client would give up on a server that does not answer.
const fillPages = 4

// indexMigration fills the index from entities that were there before it, or
// leaves them to those who search. It is Go because words, windows and folding
// are. Going back, rows more or less are no matter to the tables.
func indexMigration() *goose.Migration {
	m := goose.NewGoMigration(7, &goose.GoFunc{RunTx: fillIndex}, &goose.GoFunc{RunTx: changeNothing})
	m.Source = "00007_index.go"
	return m
}

func fillIndex(ctx context.Context, tx *sql.Tx) error {
	t := writeTx{readTx: readTx{q: db.New(tx)}, conn: tx, log: slog.New(slog.DiscardHandler)}
	left, err := t.q.IndexWithoutEntity(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(t.reindex(ctx, left, false), t.q.AllOutdated(ctx), t.noteIndexFormat(ctx)); err != nil {
		return err
	}
	for range fillPages {
		ids, err := t.Outdated(ctx, indexPage)
		if err != nil {
			return err
		}
		if err := t.reindex(ctx, ids, false); err != nil {
			return err
		}
	}
	return nil
}
