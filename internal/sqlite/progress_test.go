package sqlite_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// progressed is what VectorProgress says of a database that it can read.
func progressed(t *testing.T, path, modelID string) sqlite.Progress {
	t.Helper()
	progress, err := sqlite.VectorProgress(t.Context(), path, modelID)
	if err != nil {
		t.Fatal(err)
	}
	return progress
}

// unchanged calls look, which must leave a folder and a database in it alone.
func unchanged(t *testing.T, path string, look func()) {
	t.Helper()
	files, content := filesBeside(t, path), readFile(t, path)
	look()
	equal(t, "files", filesBeside(t, path), files)
	if readFile(t, path) != content {
		t.Error("the database was changed")
	}
}

func TestVectorProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "100%?#.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other := add(t, db, "Alfa", "uno")
	embedAll(t, db, "e5/fp32@12/neutral1")
	add(t, db, "Beta", "dos")
	add(t, db, "Gamma", "tres")
	deleted := add(t, db, "Delta", "cuatro")
	embedAll(t, db, "e5/fp32@1/neutral1")
	execute(t, path, fmt.Sprintf(`UPDATE passages SET model = (SELECT id FROM embedding_models WHERE model = 'e5/fp32@12/neutral1')
		WHERE entity_id = %d`, other))
	add(t, db, "Epsilon", "cinco")

	check := func(state string) {
		t.Helper()
		unchanged(t, path, func() {
			for modelID, done := range map[string]int{
				"e5/fp32@1": 3, "e5/fp32@12": 1, "e5/fp32@1/neutral1": 3, "e5/fp32@": 0, "e5": 4, "fp32@1": 0, "": 4,
			} {
				equal(t, state+", vectors of "+modelID, progressed(t, path, modelID), sqlite.Progress{Passages: 5, Done: done})
			}
		})
	}
	check("in use")
	err = db.Update(t.Context(), func(w memory.Writer) error {
		check("while others write")
		return w.DeleteEntity(t.Context(), deleted)
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "after a deletion", progressed(t, path, ""), sqlite.Progress{Passages: 4, Done: 3})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	unchanged(t, path, func() {
		equal(t, "closed", progressed(t, path, ""), sqlite.Progress{Passages: 4, Done: 3})
	})
	equal(t, "files", filesBeside(t, path), []string{"100%?#.db"})
}

// What a crash leaves is for the next server to clear up.
func TestVectorProgressAfterCrash(t *testing.T) {
	folder := t.TempDir()
	db := open(t, filepath.Join(folder, "memory.db"))
	add(t, db, "Alfa", "uno")
	left := filepath.Join(t.TempDir(), "memory.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(left+suffix, []byte(readFile(t, filepath.Join(folder, "memory.db"+suffix))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := readFile(t, left+"-wal")
	unchanged(t, left, func() {
		equal(t, "progress", progressed(t, left, ""), sqlite.Progress{Passages: 1})
	})
	if readFile(t, left+"-wal") != log {
		t.Error("the log was changed")
	}
}

func TestNoVectorProgress(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing", "memory.db")
	empty := filepath.Join(folder, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{missing, empty, ":memory:"} {
		if _, err := sqlite.VectorProgress(t.Context(), path, ""); !errors.Is(err, sqlite.ErrNoDatabase) {
			t.Errorf("%s: %v, want %v", path, err, sqlite.ErrNoDatabase)
		}
	}
	if _, err := os.Stat(filepath.Dir(missing)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder was made")
	}
	for _, name := range oldDatabases {
		path := unpack(t, name)
		unchanged(t, path, func() {
			if _, err := sqlite.VectorProgress(t.Context(), path, ""); !errors.Is(err, sqlite.ErrOlderSchema) {
				t.Errorf("%s: %v, want %v", name, err, sqlite.ErrOlderSchema)
			}
		})
	}
}

func TestVectorProgressRefusals(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "other.db")
	execute(t, other, "CREATE TABLE bookmarks (url TEXT)")
	garbage := filepath.Join(folder, "garbage.db")
	if err := os.WriteFile(garbage, []byte("this is no database, however long one looks at it"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		folder:  "it is a folder",
		other:   "another program",
		garbage: "not a database",
	} {
		_, err := sqlite.VectorProgress(t.Context(), path, "")
		refused(t, err, reason)
	}
	newer := filepath.Join(folder, "newer.db")
	openAndClose(t, newer)
	execute(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	_, err := sqlite.VectorProgress(t.Context(), newer, "")
	if _, ok := errors.AsType[*sqlite.NewerError](err); !ok {
		t.Errorf("%v is no NewerError", err)
	}
}
