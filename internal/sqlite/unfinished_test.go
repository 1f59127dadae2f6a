package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/sqlite"
)

// unfinished is a database as a program leaves it that is killed while it writes with
// a journal, some of it to the database already.
func unfinished(t *testing.T) (path string) {
	t.Helper()
	ctx := t.Context()
	original := sound(t)
	raw := sqlite.Raw(original)
	defer raw.Close()
	conn, err := raw.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range []string{
		"PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 5", "BEGIN IMMEDIATE",
		"UPDATE observations SET content = content || hex(zeroblob(20000))",
	} {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	path = filepath.Join(t.TempDir(), "memory.db")
	for _, suffix := range []string{"", "-journal"} {
		if err := os.WriteFile(path+suffix, []byte(readFile(t, original+suffix)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestUnfinishedWritingIsNotTakenForMissingRights(t *testing.T) {
	path := unfinished(t)
	want := only(contents(t, sound(t)), "observations")
	before := fileTexts(t, path)
	for name, look := range map[string]func() error{
		"Survey": func() error { _, err := sqlite.Survey(t.Context(), path); return err },
		"Verify": func() error { _, err := sqlite.Verify(t.Context(), path); return err },
		"Look":   func() error { _, err := sqlite.Look(t.Context(), path, sqlite.Options{}); return err },
		"Repair": func() error { _, err := sqlite.Repair(t.Context(), path); return err },
	} {
		if err := look(); !errors.Is(err, sqlite.ErrUnfinished) {
			t.Errorf("%s: %v", name, err)
		}
	}
	equal(t, "files that were looked at", fileTexts(t, path), before)
	openAndClose(t, path)
	if report := verify(t, path); !report.OK() {
		t.Errorf("after a start: %v", report)
	}
	equal(t, "observations after a start", len(only(contents(t, path), "observations")["observations"]), len(want["observations"]))
	equal(t, "what was unfinished", query(t, path, "SELECT max(length(content)) < 20000 FROM observations"), []string{"1"})
}
