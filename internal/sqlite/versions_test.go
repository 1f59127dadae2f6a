package sqlite_test

import (
	"errors"
	"testing"

	"mcp-memory/internal/sqlite"
)

// What is stored and indexed stays as it is when only the note of the version is
// gone; a schema that does not prove it is migrated.
func TestVersionNoteIsMadeAgain(t *testing.T) {
	note := "SELECT version_id, is_applied FROM goose_db_version ORDER BY id"
	for _, damage := range []string{"DELETE FROM goose_db_version", "DROP TABLE goose_db_version", "DELETE FROM goose_db_version WHERE version_id > 0"} {
		for name, mend := range map[string]func(path string) error{
			"Open": func(path string) error { openAndClose(t, path); return nil },
			"Repair": func(path string) error {
				done, err := sqlite.Repair(t.Context(), path)
				if len(done.Findings) != 1 || done.Findings[0].Check != sqlite.CheckMetadata {
					t.Errorf("done: %+v", done)
				}
				return err
			},
			"Upgrade": func(path string) error { _, err := sqlite.Upgrade(t.Context(), path); return err },
		} {
			path := sound(t)
			versions, want := query(t, path, note), contents(t, path)
			execute(t, path, damage)
			if o, err := sqlite.Survey(t.Context(), path); err != nil || !o.Unnoted || o.Adopted || o.Current() {
				t.Errorf("%s: %+v, %v", damage, o, err)
			}
			if err := mend(path); err != nil {
				t.Errorf("%s after %s: %v", name, damage, err)
			}
			equal(t, name+": versions", query(t, path, note), versions)
			equal(t, name+": contents", contents(t, path), want)
			equal(t, name+": copies", backups(t, path), []string(nil))
			if report := verify(t, path); !report.OK() {
				t.Errorf("%s after %s: %v", name, damage, report)
			}
		}
	}
	path := sound(t)
	execute(t, path, "DELETE FROM goose_db_version", "DROP TABLE renewals")
	if o, err := sqlite.Survey(t.Context(), path); err != nil || o.Unnoted {
		t.Errorf("a schema that is not complete: %+v, %v", o, err)
	}
	if _, err := sqlite.Repair(t.Context(), path); !errors.Is(err, sqlite.ErrOlderSchema) {
		t.Errorf("Repair of a schema that is not complete: %v", err)
	}
	openAndClose(t, path)
	if report := verify(t, path); !report.OK() {
		t.Errorf("after its migration: %v", report)
	}
}
