package sqlite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/sqlite"
)

func TestForeignActorsAreFoundAndLeft(t *testing.T) {
	for name, test := range map[string]struct{ made, found string }{
		"a trigger":                      {"CREATE TRIGGER t AFTER INSERT ON entities BEGIN DELETE FROM observations; END", `trigger "t" on entities`},
		"in another case":                {"CREATE TRIGGER t BEFORE DELETE ON ENTITIES BEGIN SELECT RAISE(IGNORE); END", `trigger "t" on ENTITIES`},
		"on a table of the index":        {"CREATE TRIGGER t AFTER UPDATE ON passages BEGIN SELECT 1; END", `trigger "t" on passages`},
		"on a virtual table's own":       {"CREATE TRIGGER t AFTER INSERT ON entity_fts_content BEGIN DELETE FROM entities; END", `trigger "t" on entity_fts_content`},
		"with an odd name":               {"CREATE TRIGGER \"a\x1b[2J\" AFTER INSERT ON relations BEGIN SELECT 1; END", `trigger "a\x1b[2J" on relations`},
		"a unique index":                 {"CREATE UNIQUE INDEX one ON observations (content)", `index "one" on observations`},
		"a name of ours on another kind": {"CREATE TRIGGER idx_obs_entity AFTER INSERT ON observations BEGIN SELECT 1; END", `trigger "idx_obs_entity" on observations`},
	} {
		t.Run(name, func(t *testing.T) {
			path := sound(t)
			execute(t, path, test.made, "DROP INDEX idx_rel_type")
			report := verify(t, path)
			if len(report.Findings) != 2 || report.Findings[1].Check != sqlite.CheckForeign {
				t.Fatalf("findings: %v", report)
			}
			equal(t, "found", report.Findings[1].Examples, []string{test.found})
			before := fileTexts(t, path)
			if _, err := sqlite.Repair(t.Context(), path); !errors.Is(err, sqlite.ErrForeign) {
				t.Errorf("Repair: %v", err)
			}
			equal(t, "files after a repair that was refused", fileTexts(t, path), before)
		})
	}
}

// Nothing to repair is nothing to refuse.
func TestForeignActorsAlone(t *testing.T) {
	path := sound(t)
	execute(t, path, "CREATE TRIGGER t AFTER INSERT ON entities BEGIN SELECT 1; END")
	done, err := sqlite.Repair(t.Context(), path)
	equal(t, "done", done, sqlite.Repairs{})
	if err != nil {
		t.Error(err)
	}
}

func TestExtraTablesAreFine(t *testing.T) {
	path := sound(t)
	execute(t, path,
		"CREATE TABLE mine (entity TEXT UNIQUE)", "CREATE UNIQUE INDEX mine_one ON mine (entity)", "CREATE INDEX more ON observations (created_at)",
		"CREATE TRIGGER mine_insert AFTER INSERT ON mine BEGIN DELETE FROM mine; END",
		"CREATE VIEW named AS SELECT name FROM entities", "CREATE TRIGGER named_insert INSTEAD OF INSERT ON named BEGIN SELECT 1; END")
	if report := verify(t, path); !report.OK() {
		t.Errorf("findings: %v", report)
	}
}

// A table of entities makes no memory, wherever it is looked at.
func TestDatabasesOfOtherProgramsAreRefused(t *testing.T) {
	for _, made := range []string{
		"CREATE TABLE entities (x)", "CREATE TABLE entities (id, name); CREATE TABLE goose_db_version (id, version_id, is_applied)",
		"CREATE TABLE notes (x)",
	} {
		path := filepath.Join(t.TempDir(), "other.db")
		execute(t, path, made)
		copied := filepath.Join(t.TempDir(), "copy.db")
		before := fileTexts(t, path)
		for name, use := range map[string]func() error{
			"Survey":  func() error { _, err := sqlite.Survey(t.Context(), path); return err },
			"Verify":  func() error { _, err := sqlite.Verify(t.Context(), path); return err },
			"Repair":  func() error { _, err := sqlite.Repair(t.Context(), path); return err },
			"Look":    func() error { _, err := sqlite.Look(t.Context(), path, sqlite.Options{}); return err },
			"Open":    func() error { _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); return err },
			"Upgrade": func() error { _, err := sqlite.Upgrade(t.Context(), path); return err },
			"BackUp":  func() error { _, err := sqlite.BackUp(t.Context(), path, copied, sqlite.BackupOptions{}); return err },
			"Restore": func() error {
				_, err := sqlite.Restore(t.Context(), copied, path, sqlite.RestoreOptions{})
				return err
			},
		} {
			refused, ok := errors.AsType[*sqlite.OpenError](use())
			if !ok || !strings.HasPrefix(refused.Reason, "it is the database of another program") {
				t.Errorf("%s of %q: %v", name, made, use())
			}
		}
		equal(t, "files", fileTexts(t, path), before)
		equal(t, "copies", filesBeside(t, copied), []string{})
	}
}
