package sqlite

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// textMigration filled the text index before migration 7 fills all of it.
func textMigration() *goose.Migration {
	m := goose.NewGoMigration(5, &goose.GoFunc{RunTx: changeNothing}, &goose.GoFunc{RunTx: changeNothing})
	m.Source = "00005_text.go"
	return m
}

func changeNothing(context.Context, *sql.Tx) error { return nil }
