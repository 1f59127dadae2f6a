package sqlite

import (
	"context"
	"strconv"
	"sync"

	"github.com/pressly/goose/v3"

	"mcp-memory/migrations"
)

// schemaState is what a database says about its schema.
type schemaState struct {
	version   int64
	versioned bool // false for a new file and for databases of the Python server
	empty     bool
	unnoted   bool // the version is that of this program, as documented, but the note that counts is gone
}

// current reports whether the schema is the one that this program works with.
func (s schemaState) current() bool { return s.versioned && s.version == LatestVersion() }

// String is the version as it stands in names of backups.
func (s schemaState) String() string {
	if !s.versioned {
		return "unversioned"
	}
	return strconv.FormatInt(s.version, 10)
}

// inspect reads the state of a schema. It refuses databases of newer programs
// and those that hold something else than a memory.
func inspect(ctx context.Context, q querier, path string) (schemaState, error) {
	var s schemaState
	versionTables, err := number(ctx, q, countTables, "goose_db_version")
	if err != nil {
		return s, err
	}
	tables, err := number(ctx, q, countAnything)
	if err != nil {
		return s, err
	}
	entityTables, err := number(ctx, q, countTables, "entities")
	if err != nil {
		return s, err
	}
	s.versioned, s.empty = versionTables > 0, tables == 0
	if s.versioned {
		if s.version, err = number(ctx, q, latestMigration); err != nil {
			return s, err
		}
	}
	newest, err := newestVersion(ctx, q, s.version)
	if err != nil {
		return s, err
	}
	s.unnoted = s.version == 0 && newest == LatestVersion()
	switch {
	case newest > LatestVersion():
		return s, &NewerError{Path: path, Have: newest, Know: LatestVersion()}
	case !s.empty && entityTables == 0:
		return s, &OpenError{Path: path, Reason: "it is the database of another program"}
	}
	return s, fits(ctx, q, s, path)
}

// newestVersion is the larger one of the version that goose noted and the
// documented one in db_metadata.
func newestVersion(ctx context.Context, q querier, noted int64) (int64, error) {
	tables, err := number(ctx, q, countTables, "db_metadata")
	if err != nil || tables == 0 {
		return noted, err
	}
	documented, err := number(ctx, q, documentedVersion)
	return max(noted, documented), err
}

// goMigrations are the migrations that plain SQL cannot express.
func goMigrations() []*goose.Migration { return []*goose.Migration{textMigration(), indexMigration()} }

// LatestVersion is the schema version that this program works with.
func LatestVersion() int64 { return latestVersion() }

var latestVersion = sync.OnceValue(func() int64 {
	var latest int64
	for _, m := range goMigrations() {
		latest = max(latest, m.Version)
	}
	files, err := migrations.FS.ReadDir(".")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, f := range files {
		version, err := goose.NumericComponent(f.Name())
		if err != nil {
			panic(err) // likewise
		}
		latest = max(latest, version)
	}
	return latest
})
