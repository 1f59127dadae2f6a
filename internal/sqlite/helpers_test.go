package sqlite_test

import (
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// oldDatabases are the ages of the Python server's databases in testdata.
var oldDatabases = []string{"first-release", "seed", "v3"}

// unpack copies an old database into a folder of the test.
func unpack(t testing.TB, name string) (path string) {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name+".db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "memory.db")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens a database that is closed when the test ends.
func open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

// openAndClose opens a database for its migration's sake.
func openAndClose(t testing.TB, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// add stores an indexed entity.
func add(t testing.TB, db memory.Store, name string, observations ...string) (id int64) {
	t.Helper()
	ctx := t.Context()
	err := db.Update(ctx, func(w memory.Writer) error {
		var err error
		if id, err = w.InsertEntity(ctx, name, "Note"); err != nil {
			return err
		}
		if _, err := w.InsertObservations(ctx, id, observations); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{id})
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// execute runs statements past the store.
func execute(t testing.TB, path string, statements ...string) {
	t.Helper()
	raw := sqlite.Raw(path)
	defer raw.Close()
	for _, s := range statements {
		if _, err := raw.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// query returns the rows of a query as lines of text.
func query(t testing.TB, path, statement string, args ...any) []string {
	t.Helper()
	raw := sqlite.Raw(path)
	defer raw.Close()
	rows, err := raw.QueryContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	lines, err := scanLines(rows)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return lines
}

func scanLines(rows *sql.Rows) ([]string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	lines := []string{}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		lines = append(lines, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	return lines, rows.Err()
}

// contents dumps the rows of every ordinary table, except for what SQLite,
// goose and the virtual tables keep for themselves.
func contents(t testing.TB, path string) map[string][]string {
	t.Helper()
	dump := map[string][]string{}
	for _, table := range query(t, path, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version' AND sql NOT LIKE 'CREATE VIRTUAL%'
		AND NOT EXISTS (SELECT 1 FROM sqlite_schema v WHERE v.sql LIKE 'CREATE VIRTUAL%' AND instr(sqlite_schema.name, v.name || '_') = 1)`) {
		dump[table] = query(t, path, "SELECT * FROM "+table+" ORDER BY rowid")
	}
	return dump
}

// structure describes the columns, foreign keys and indexes of every table.
// The text of the schema does not compare: ALTER TABLE leaves its own spelling.
func structure(t testing.TB, path string) map[string][]string {
	t.Helper()
	tables := map[string][]string{}
	for _, table := range query(t, path, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version'`) {
		lines := query(t, path, `SELECT * FROM pragma_table_xinfo(?)`, table)
		lines = append(lines, query(t, path, `SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY "from"`, table)...)
		lines = append(lines, query(t, path, `SELECT l.name, l."unique", i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i ORDER BY l.name, i.seqno`, table)...)
		tables[table] = lines
	}
	return tables
}

// backups lists the copies beside a database.
func backups(t testing.TB, path string) []string {
	t.Helper()
	files, err := filepath.Glob(path + ".bak-*")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// filesBeside lists the names in a database's folder.
func filesBeside(t testing.TB, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// equal compares what was got with what is wanted.
func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// only returns the entries of a map with these keys.
func only(m map[string][]string, keys ...string) map[string][]string {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(key string, _ []string) bool { return !slices.Contains(keys, key) })
	return m
}

// asked and stored are vectors of which nothing is taken off.
func asked(exact []float32) memory.QueryVector {
	return memory.QueryVector{Exact: exact, Neutral: exact}
}

func stored(exact []float32) memory.PassageVector {
	return memory.PassageVector{Exact: exact, Neutral: exact, Length: 1}
}
