//go:build !race

package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcp-memory/internal/sqlite"
)

// derivedDamages damages every table in which a virtual one keeps its rows, in every
// way that fits it.
func derivedDamages(t *testing.T, path string) map[string][]string {
	t.Helper()
	list := map[string][]string{}
	for _, table := range query(t, path, `SELECT s.name FROM sqlite_schema s JOIN sqlite_schema v
		ON v.sql LIKE 'CREATE VIRTUAL%' AND s.type = 'table' AND instr(s.name, v.name || '_') = 1`) {
		list[table+" emptied"] = []string{"DELETE FROM " + table}
		for _, column := range query(t, path, "SELECT name FROM pragma_table_info(?) WHERE type = 'BLOB' OR name IN ('block', 'vectors', 'sz')", table) {
			list[table+" "+column+" zeroed"] = []string{fmt.Sprintf("UPDATE %s SET %s = zeroblob(length(%[2]s))", table, column)}
			list[table+" "+column+" noise"] = []string{fmt.Sprintf("UPDATE %s SET %s = unhex(substr('%s', 1, 2 * length(%[2]s)))", table, column, strings.Repeat("c3a57e19", 1500000))}
			list[table+" "+column+" cut off"] = []string{fmt.Sprintf("UPDATE %s SET %s = substr(%[2]s, 1, length(%[2]s) / 2)", table, column)}
		}
	}
	return list
}

// harmless are damages that nothing reads, or that small tables work without.
var harmless = regexp.MustCompile(`_embeddings_info emptied$|_idx emptied$`)

// Whatever becomes of tables that are made from others, it is told apart from damage
// of what users stored, and repaired.
func TestDamageOfDerivedTables(t *testing.T) {
	original := sound(t)
	want := only(contents(t, original), userTables...)
	file := readFile(t, original)
	for name, damage := range derivedDamages(t, original) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, path, damage...)
			report := verify(t, path)
			if report.Has(sqlite.CheckIntegrity) || report.OK() != harmless.MatchString(name) {
				t.Errorf("findings: %v", report)
			}
			if _, err := sqlite.Repair(t.Context(), path); err != nil {
				t.Errorf("Repair: %v", err)
			}
			if report := verify(t, path); !report.OK() || report.Pending.Entities > 0 {
				t.Errorf("after the repair: %+v", report)
			}
			equal(t, "what users stored", only(contents(t, path), userTables...), want)
			worksAnew(t, path)
		})
	}
}
