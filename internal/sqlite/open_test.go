package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

func TestNewFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a b", "100%?#")
	path := filepath.Join(folder, "memory.db")
	db := open(t, path)
	add(t, db, "Alfa")
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{folder: 0o700, path: 0o600, path + "-wal": 0o600} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "mode of "+name, info.Mode().Perm(), want)
		}
	}
	equal(t, "metadata", query(t, path, "SELECT value FROM db_metadata WHERE key = 'schema_version'"), []string{"8"})
	equal(t, "backups", backups(t, path), []string(nil))
}

func TestSettings(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	for name, want := range map[string]string{
		"journal_mode": "wal", "busy_timeout": "10000", "synchronous": "1", "cache_size": "-64000",
		"temp_store": "2", "foreign_keys": "1",
	} {
		for _, writes := range []bool{true, false} {
			got, err := db.Pragma(t.Context(), writes, name)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, name, got, want)
		}
	}
}

// Connections to many passages map the database.
func TestMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	for passages, want := range map[int]string{100_000: "0", 100_001: "2147418112"} {
		execute(t, path, "DELETE FROM passages", fmt.Sprintf("INSERT INTO passages (id, ordinal, text_hash) VALUES (%d, 0, '')", passages))
		db := open(t, path)
		for _, writes := range []bool{false, true} {
			got, err := db.Pragma(t.Context(), writes, "mmap_size")
			if err != nil {
				t.Fatal(err)
			}
			equal(t, fmt.Sprintf("mmap_size with %d passages, writing %v", passages, writes), got, want)
		}
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	for _, session := range []string{"first", "writing", "reading", "idle"} {
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		switch session {
		case "writing":
			add(t, db, "Alfa", "uno")
		case "reading":
			err = db.View(t.Context(), func(r memory.Reader) error {
				_, total, err := r.Containing(t.Context(), "uno", 10, 0)
				equal(t, "found", total, 1)
				return err
			})
		}
		if err := errors.Join(err, db.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
		equal(t, "files after the session "+session, filesBeside(t, path), []string{"memory.db"})
	}
}

func TestRefusals(t *testing.T) {
	sqliteFile := filepath.Join(t.TempDir(), "other.db")
	execute(t, sqliteFile, "CREATE TABLE bookmarks (url TEXT)")
	changed := filepath.Join(t.TempDir(), "changed.db")
	openAndClose(t, changed)
	execute(t, changed, "ALTER TABLE passages RENAME COLUMN model TO other")
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	openAndClose(t, damaged)
	content := readFile(t, damaged)
	for name, tc := range map[string]struct {
		content, reason string
		is              error
	}{
		"garbage":         {strings.Repeat("garbage ", 1000), "not a database", memory.ErrCorrupt},
		"short garbage":   {"hello", "not a database", memory.ErrCorrupt},
		"another program": {readFile(t, sqliteFile), "another program", nil},
		"other tables":    {readFile(t, changed), "another program, or its tables were changed", nil},
		"damaged":         {content[:4096] + strings.Repeat("x", len(content)-4096), "damaged", memory.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			refused(t, err, tc.reason)
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("%v is not %v", err, tc.is)
			}
			if readFile(t, path) != tc.content {
				t.Error("the file was changed")
			}
			equal(t, "files", filesBeside(t, path), []string{"memory.db"})
		})
	}
}

func TestRefusedPaths(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		_, err := sqlite.Open(t.Context(), os.DevNull, sqlite.Options{})
		refused(t, err, "it is not a regular file")
	}
	for path, reason := range map[string]string{
		folder:                                  "it is a folder",
		filepath.Join(file, "memory.db"):        "not a directory",
		filepath.Join(file, "sub", "memory.db"): "not a directory",
	} {
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		refused(t, err, reason)
	}
}

func TestReadOnlyFile(t *testing.T) {
	if !unprivileged(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	refused(t, err, "cannot be written")
	// A -shm file of the same mode would be left, and in the way from then on.
	equal(t, "files", filesBeside(t, path), []string{"memory.db"})
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	openAndClose(t, path)
}

func TestReadOnlyFolder(t *testing.T) {
	if !unprivileged(t) {
		return
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "memory.db")
	openAndClose(t, path)
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(folder, 0o700) //nolint:errcheck // for the removal, which would report it
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	refused(t, err, "cannot be written")
	_, err = sqlite.Open(t.Context(), filepath.Join(folder, "new.db"), sqlite.Options{})
	refused(t, err, "permission denied")
}

// refused checks for an *sqlite.OpenError of one line that gives the reason.
func refused(t *testing.T, err error, reason string) {
	t.Helper()
	if _, ok := errors.AsType[*sqlite.OpenError](err); !ok {
		t.Fatalf("%v is no OpenError", err)
	}
	if text := err.Error(); !strings.Contains(text, reason) || strings.Contains(text, "\n") {
		t.Errorf("%q is not one line about %q", text, reason)
	}
}

func TestNewerDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	execute(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	before := readFile(t, path)
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	newer, ok := errors.AsType[*sqlite.NewerError](err)
	if !ok {
		t.Fatalf("%v is no NewerError", err)
	}
	if text := newer.Error(); !strings.Contains(text, "update mcp-memory") || strings.Contains(text, "\n") {
		t.Errorf("%q is not one line that says what to do", text)
	}
	equal(t, "error", *newer, sqlite.NewerError{Path: path, Have: 99, Know: sqlite.LatestVersion()})
	if readFile(t, path) != before {
		t.Error("the file was changed")
	}
	equal(t, "files", filesBeside(t, path), []string{"memory.db"})
}

// TestOpenExisting makes no memory where there is none, and opens what is one.
func TestOpenExisting(t *testing.T) {
	folder := t.TempDir()
	missing, empty := filepath.Join(folder, "a", "missing.db"), filepath.Join(folder, "empty.db")
	write(t, empty, "")
	for _, path := range []string{missing, empty, ":memory:"} {
		if _, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true}); !errors.Is(err, sqlite.ErrNoDatabase) {
			t.Errorf("open %s: %v, want %v", path, err, sqlite.ErrNoDatabase)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || readFile(t, empty) != "" {
		t.Errorf("left behind: %v, %v, %q", entries, err, readFile(t, empty))
	}
	path := filepath.Join(folder, "memory.db")
	openAndClose(t, path)
	for _, path := range []string{path, unpack(t, "seed")} {
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Where not all statements can be prepared, those that were do not keep the database
// open, nor its log beside it.
func TestClosedWhereStatementsCannotBePrepared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	execute(t, path, "ALTER TABLE observations RENAME COLUMN content TO contents")
	db := open(t, path)
	if err := db.View(t.Context(), func(memory.Reader) error { return nil }); !errors.Is(err, memory.ErrUnsound) {
		t.Errorf("View: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	equal(t, "files", filesBeside(t, path), []string{"memory.db"})
}
