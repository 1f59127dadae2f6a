package sqlite_test

import (
	"errors"
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
