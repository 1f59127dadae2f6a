package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"mcp-memory/internal/sqlite"
)

const sqlTemplate = `-- Why this change.

-- +goose Up

-- +goose Down
`

const goTemplate = `package sqlite

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// %[1]sMigration says why this change. It is listed in goMigrations.
func %[1]sMigration() *goose.Migration {
	m := goose.NewGoMigration(%[2]d, &goose.GoFunc{RunTx: %[1]sUp}, &goose.GoFunc{RunTx: %[1]sDown})
	m.Source = %[3]q
	return m
}

func %[1]sUp(ctx context.Context, tx *sql.Tx) error {
	return nil
}

func %[1]sDown(ctx context.Context, tx *sql.Tx) error {
	return nil
}
`

var migrationName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// create writes the frame of the next migration: SQL goes to migrations, Go to
// internal/sqlite.
func create(stdout io.Writer, root string, args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return errors.New("create needs a name, and sql or go")
	}
	name := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(args[0]))
	if !migrationName.MatchString(name) {
		return fmt.Errorf("%q is no name of letters, digits and _", args[0])
	}
	kind := "sql"
	if len(args) == 2 {
		kind = args[1]
	}
	version := sqlite.LatestVersion() + 1
	file := fmt.Sprintf("%05d_%s.%s", version, name, kind)
	var path, content string
	switch kind {
	case "sql":
		path, content = filepath.Join(root, "migrations", file), sqlTemplate
	case "go":
		path, content = filepath.Join(root, "internal", "sqlite", file), fmt.Sprintf(goTemplate, camel(name), version, file)
	default:
		return fmt.Errorf("a migration is sql or go, not %q", kind)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "created", path)
	return nil
}

// camel writes a name as Go does: add_column becomes addColumn.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}
