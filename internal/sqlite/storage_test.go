package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// storageDamages are ways to take from virtual tables what they keep their rows in, by
// a name.
func storageDamages(t *testing.T, path string) map[string]string {
	t.Helper()
	damages := map[string]string{
		"entity_fts of another version":    "UPDATE entity_fts_config SET v = 99 WHERE k = 'version'",
		"passage_terms of another version": "UPDATE passage_terms_config SET v = 99 WHERE k = 'version'",
	}
	for _, table := range storageTables(t, path) {
		damages[table+" lost"] = "DROP TABLE " + table
	}
	if len(damages) < 20 {
		t.Fatalf("only %d damages", len(damages))
	}
	return damages
}

// storageTables are those in which virtual tables keep their rows.
func storageTables(t *testing.T, path string) []string {
	t.Helper()
	return query(t, path, `SELECT s.name FROM sqlite_schema s JOIN sqlite_schema v
		ON v.sql LIKE 'CREATE VIRTUAL%' AND s.type = 'table' AND instr(s.name, v.name || '_') = 1 ORDER BY s.name`)
}

func TestStorageNamesAreComplete(t *testing.T) {
	names := sqlite.StorageNames()
	slices.Sort(names)
	equal(t, "names", names, storageTables(t, sound(t)))
}

// Whatever table a virtual one has lost of those that it keeps its rows in, the doctor
// says so, and makes it and what it held anew.
func TestRepairOfLostStorage(t *testing.T) {
	original := sound(t)
	want := only(contents(t, original), userTables...)
	file := readFile(t, original)
	for name, damage := range storageDamages(t, original) {
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

// A start makes it anew by itself, and so does that of a copy, whatever way it went.
func TestStartRestoresLostStorage(t *testing.T) {
	original := sound(t)
	want := only(contents(t, original), userTables...)
	file := readFile(t, original)
	damages := storageDamages(t, original)
	damages["everything lost"] = ""
	for _, table := range storageTables(t, original) {
		damages["everything lost"] += "DROP TABLE " + table + ";"
	}
	damages["storage and a trigger lost"] = "DROP TABLE entity_terms_docsize; DROP TABLE passage_embeddings_rowids; DROP TRIGGER mark_entity_insert"
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damaged, restored := filepath.Join(t.TempDir(), "damaged.db"), filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(damaged, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, damaged, damage)
			copied := filepath.Join(t.TempDir(), "copy.db")
			if _, err := sqlite.BackUp(t.Context(), damaged, copied, sqlite.BackupOptions{}); err != nil {
				t.Fatalf("BackUp: %v", err)
			}
			if _, err := sqlite.Restore(t.Context(), restored, copied, sqlite.RestoreOptions{}); err != nil {
				t.Fatalf("Restore: %v", err)
			}
			for _, path := range []string{damaged, copied, restored} {
				openAndIndex(t, path)
				if report := verify(t, path); !report.OK() || report.Pending.Entities > 0 || report.Pending.Passages > 0 {
					t.Errorf("%s after a start: %+v", filepath.Base(path), report)
				}
				equal(t, "what users stored", only(contents(t, path), userTables...), want)
			}
			worksAnew(t, damaged)
		})
	}
}

// openAndIndex does what a server does when it starts, and before its first search.
func openAndIndex(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	err = db.Update(t.Context(), func(w memory.Writer) error {
		ids, err := w.Outdated(t.Context(), 100)
		if err != nil {
			return err
		}
		return w.Reindex(t.Context(), ids)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
