//go:build !race

// Here is damage of each kind, with one goroutine on one file at a time: nothing for the
// race detector, which makes it take two minutes.

package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"mcp-memory/internal/sqlite"
)

func TestRepairOfEachDamage(t *testing.T) {
	original := sound(t)
	want := only(contents(t, original), userTables...)
	file := readFile(t, original)
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, path, d.damage...)
			before := fileTexts(t, path)
			done, err := sqlite.Repair(t.Context(), path)
			if d.check == sqlite.CheckIntegrity {
				if !errors.Is(err, sqlite.ErrDamaged) || done.Backup != "" {
					t.Errorf("repaired a damaged file: %+v, %v", done, err)
				}
				equal(t, "files", fileTexts(t, path), before)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(done.Findings) == 0 || done.Findings[0].Check != d.check {
				t.Errorf("done: %+v", done)
			}
			if report := verify(t, path); !report.OK() || report.Pending.Entities != 0 {
				t.Errorf("after the repair: %+v", report)
			}
			if d.check == sqlite.CheckOrphanObservations {
				equal(t, "where the observation is", query(t, path, "SELECT name, content FROM entities e JOIN observations o ON o.entity_id = e.id WHERE e.id = 99"),
					[]string{"Recovered entity 99 x"})
			} else if d.name != renames {
				equal(t, "what users stored", only(contents(t, path), userTables...), want)
			}
			equal(t, "backups", backups(t, path), []string{done.Backup})
			if info, err := os.Stat(done.Backup); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("backup: %v, %v", info, err)
			}
			equal(t, "findings of the backup", verifyCheck(t, done.Backup), d.check)
			again, err := sqlite.Repair(t.Context(), path)
			equal(t, "a second repair", again, sqlite.Repairs{})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVerifyFindsEachDamage(t *testing.T) {
	original := readFile(t, sound(t))
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, []byte(original), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, path, d.damage...)
			report := verify(t, path)
			if len(report.Findings) != 1 || report.Findings[0].Check != d.check || d.example != "" && report.Findings[0].Examples[0] != d.example {
				t.Errorf("findings: %vwant %s: %q", report, d.check, d.example)
			}
		})
	}
}

func TestBrokenDatabases(t *testing.T) {
	for name, tc := range broken {
		t.Run(name, func(t *testing.T) {
			path := unpack(t, tc.of)
			if tc.migrated {
				openAndClose(t, path)
				for _, copied := range backups(t, path) {
					if err := os.Remove(copied); err != nil {
						t.Fatal(err)
					}
				}
			}
			execute(t, path, tc.statements...)
			before := storedRows(t, path)
			repairs := openRepaired(t, path)
			equal(t, "repairs", repairs, append([]string{}, tc.repairs...))
			got := changes(before, storedRows(t, path))
			for i := range got {
				got[i] = regexp.MustCompile(`(entity \d+) [0-9a-f]{16}`).ReplaceAllString(got[i], "$1 *")
			}
			equal(t, "changes", got, tc.changes)
			if copies := backups(t, path); len(copies) != 1 {
				t.Errorf("backups: %q", copies)
			} else {
				equal(t, "what the backup holds", changes(before, storedRows(t, copies[0])), []string(nil))
			}
			wholeAndWorks(t, path, tc.stays...)
			equal(t, "repairs at the second start", openRepaired(t, path), []string{})
		})
	}
}
