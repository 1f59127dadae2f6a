package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/sqlite"
)

// leftLog is a path where a database was that was moved away, and whose server was
// killed: its log, with an entity that nothing else holds, is still there.
func leftLog(t *testing.T) (path, moved string) {
	t.Helper()
	path = crashedAfter(t, sound(t), "INSERT INTO entities (name) VALUES ('Percebe')")
	moved = filepath.Join(t.TempDir(), "moved.db")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	return path, moved
}

// SQLite would delete the log of a database that is gone, and with it what it holds:
// nothing that reads or writes gets so far.
func TestLogWithoutItsDatabase(t *testing.T) {
	const says = "its file is gone, but its log memory.db-wal is still here, with changes that may be nowhere else"
	for what, use := range map[string]func(path string) error{
		"Open": func(path string) error { _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); return err },
		"Open what must exist": func(path string) error {
			_, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true})
			return err
		},
		"Look":    func(path string) error { _, err := sqlite.Look(t.Context(), path, sqlite.Options{}); return err },
		"Upgrade": func(path string) error { _, err := sqlite.Upgrade(t.Context(), path); return err },
		"Migrate": func(path string) error { return sqlite.Migrate(t.Context(), path, nil) },
		"Survey":  func(path string) error { _, err := sqlite.Survey(t.Context(), path); return err },
		"Verify":  func(path string) error { _, err := sqlite.Verify(t.Context(), path); return err },
		"Repair":  func(path string) error { _, err := sqlite.Repair(t.Context(), path); return err },
		"vectors": func(path string) error { _, err := sqlite.VectorProgress(t.Context(), path, ""); return err },
	} {
		for _, empty := range []bool{false, true} {
			path, moved := leftLog(t)
			if empty {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := fileTexts(t, path)
			link := filepath.Join(t.TempDir(), "link.db")
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			if err := use(link); err == nil || !strings.Contains(err.Error(), "its file is gone, but its log") {
				t.Errorf("%s by a link, empty file %v: %v", what, empty, err)
			}
			err := use(path)
			if refused, ok := errors.AsType[*sqlite.OpenError](err); !ok || !strings.HasPrefix(refused.Reason, says+": put the file back, or move memory.db-wal to where it is now") {
				t.Errorf("%s, empty file %v: %v", what, empty, err)
			}
			equal(t, what+": files", fileTexts(t, path), before)
			// As it says.
			if err := os.Rename(path+"-wal", moved+"-wal"); err != nil {
				t.Fatal(err)
			}
			openAndClose(t, moved)
			equal(t, "what only the log held", query(t, moved, "SELECT count(*) FROM entities WHERE name = 'Percebe'"), []string{"1"})
			openAndClose(t, path) // with the -shm file alone
			equal(t, "a new memory", query(t, path, "SELECT count(*) FROM entities"), []string{"0"})
		}
	}
}

// A backup is restored where only a log is left, and that is kept.
func TestRestoreBesideALog(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "copy.db")
	if _, err := sqlite.BackUp(t.Context(), sound(t), copied, sqlite.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, empty := range []bool{false, true} {
		path, _ := leftLog(t)
		log := readFile(t, path+"-wal")
		if empty {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		link := filepath.Join(t.TempDir(), "link.db")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		done, err := sqlite.Restore(t.Context(), link, copied, sqlite.RestoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("restored by a link: %v, %v", info, err)
		}
		if kept := strings.TrimSuffix(done.Kept, "-wal"); kept == "" || readFile(t, kept+"-wal") != log {
			t.Errorf("the log is not kept beside %q: %q", done.Kept, filesBeside(t, path))
		}
		openAndClose(t, path)
		if report := verify(t, path); !report.OK() {
			t.Errorf("restored: %v", report)
		}
	}
}

// What a start leaves that was killed before there was anything is no obstacle.
func TestStartAfterAFirstStartThatWasKilled(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a file":                       {"": ""},
		"a file and a journal":         {"": "", "-journal": strings.Repeat("\x00", 512)},
		"an empty log alone":           {"-wal": ""},
		"a log of its header alone":    {"": "", "-wal": strings.Repeat("\x37", 32), "-shm": strings.Repeat("\x00", 32768)},
		"the index of a log alone":     {"-shm": strings.Repeat("\x00", 32768)},
		"a file, its log and an index": {"": "", "-wal": "", "-shm": ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			for suffix, content := range files {
				if err := os.WriteFile(path+suffix, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			add(t, db, "Ana")
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			equal(t, "files", filesBeside(t, path), []string{"memory.db"})
		})
	}
}
