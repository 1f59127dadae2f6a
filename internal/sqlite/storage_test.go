package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/sqlite"
)

// Whatever table a virtual one has lost of those that it keeps its rows in, the doctor
// says so, and makes it and what it held anew.
func TestRepairOfLostStorage(t *testing.T) {
	original := sound(t)
	want := only(contents(t, original), userTables...)
	file := readFile(t, original)
	damages := map[string]string{
		"entity_fts of another version":    "UPDATE entity_fts_config SET v = 99 WHERE k = 'version'",
		"passage_terms of another version": "UPDATE passage_terms_config SET v = 99 WHERE k = 'version'",
	}
	for _, table := range query(t, original, `SELECT s.name FROM sqlite_schema s JOIN sqlite_schema v
		ON v.sql LIKE 'CREATE VIRTUAL%' AND s.type = 'table' AND instr(s.name, v.name || '_') = 1`) {
		damages[table+" lost"] = "DROP TABLE " + table
	}
	if len(damages) < 20 {
		t.Fatalf("only %d damages", len(damages))
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, path, damage)
			if report := verify(t, path); !report.Has(sqlite.CheckSchema) || report.Has(sqlite.CheckIntegrity) {
				t.Errorf("findings: %v", report)
			}
			if _, err := sqlite.Repair(t.Context(), path); err != nil {
				t.Fatalf("Repair: %v", err)
			}
			if report := verify(t, path); !report.OK() || report.Pending.Entities > 0 {
				t.Errorf("after the repair: %v, %d pending", report, report.Pending.Entities)
			}
			equal(t, "what users stored", only(contents(t, path), userTables...), want)
			worksAnew(t, path)
		})
	}
}
