// Package migrations holds the schema of the database, the one place where it
// is written down. Steps that need Go are in internal/sqlite.
package migrations

import "embed"

// FS holds the migrations that are plain SQL.
//
//go:embed *.sql
var FS embed.FS
