package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

func TestLook(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "memory.db")
	if _, err := sqlite.Look(t.Context(), path, sqlite.Options{}); !errors.Is(err, sqlite.ErrNoDatabase) {
		t.Errorf("of no file, Look returned %v", err)
	}
	if _, err := sqlite.Look(t.Context(), folder, sqlite.Options{}); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := sqlite.Look(t.Context(), unpack(t, "seed"), sqlite.Options{}); !errors.Is(err, sqlite.ErrOlderSchema) {
		t.Errorf("of an older schema, Look returned %v", err)
	}
	openAndClose(t, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Look(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(r memory.Reader) error {
		_, err := r.Stats(t.Context(), 10)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	err = db.Update(t.Context(), func(w memory.Writer) error {
		_, err := w.InsertEntity(context.WithoutCancel(t.Context()), "A", "Note")
		return err
	})
	if err == nil {
		t.Error("it was written to")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the file has changed")
	}
	equal(t, "files", filesBeside(t, path), []string{"memory.db"})
}

func TestUpgrade(t *testing.T) {
	if _, err := sqlite.Upgrade(t.Context(), filepath.Join(t.TempDir(), "memory.db")); !errors.Is(err, sqlite.ErrNoDatabase) {
		t.Errorf("of no file, Upgrade returned %v", err)
	}
	path := unpack(t, "seed")
	done, err := sqlite.Upgrade(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(done.Backup); err != nil {
		t.Errorf("the copy: %v", err)
	}
	done.Backup = ""
	equal(t, "the first", done, sqlite.Upgraded{From: "unversioned", Adopted: true})
	done, err = sqlite.Upgrade(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the second", done, sqlite.Upgraded{From: "8"})
}
