package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcp-memory/internal/sqlite"
)

// useAs has a database open in the way that MCP_MEMORY_TEST_STATEMENTS says, until
// its input ends.
func useAs(ctx context.Context, path string) error {
	db := sqlite.Raw(path)
	db.SetMaxOpenConns(1)
	for statement := range strings.SplitSeq(os.Getenv("MCP_MEMORY_TEST_STATEMENTS"), ";") {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "open")
	_, err := io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, db.Close())
}

// touch reads and writes a database without waiting, and says what that gave.
func touch(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=1")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range []string{"SELECT * FROM entities", "DELETE FROM entities WHERE id < 0"} {
		_, err := db.ExecContext(ctx, statement)
		if _, err := fmt.Fprintln(os.Stdout, err); err != nil { //nolint:forbidigo // how a child of the test answers
			return err
		}
	}
	return nil
}

// A session that is to be the only one is not begun while another process has
// the database open, and nobody gets in until it ends.
func TestSoleSession(t *testing.T) {
	for name, statements := range map[string]string{
		"idle":    "SELECT * FROM entities",
		"reading": "BEGIN;SELECT * FROM entities",
		"writing": "BEGIN IMMEDIATE;DELETE FROM entities WHERE id < 0",
		"written": "INSERT INTO entities (name, entity_type) VALUES ('x', 'y')",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			addAndClose(t, path, "Presente", "lo que había")
			child := command(t, "use", path)
			child.Env = append(child.Env, "MCP_MEMORY_TEST_STATEMENTS="+statements)
			stdin := startUntil(t, child, "open")
			if session, err := sqlite.OpenSole(path); err == nil {
				t.Error("the session began while another process had the database open")
				session.Close()
			} else if !strings.Contains(err.Error(), "database is locked") {
				t.Error(err)
			}
			stdin.Close()
			if err := child.Wait(); err != nil {
				t.Error(err)
			}
			session, err := sqlite.OpenSole(path)
			if err != nil {
				t.Fatal(err)
			}
			refused, err := command(t, "touch", path).Output()
			equal(t, "others meanwhile", string(refused), "database is locked\ndatabase is locked\n")
			if err := errors.Join(err, session.Close()); err != nil {
				t.Error(err)
			}
			allowed, err := command(t, "touch", path).Output()
			equal(t, "others afterwards", string(allowed), "<nil>\n<nil>\n")
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Servers that run during a restore lose nothing that they were told is stored:
// it is in what was kept, or in what there is now.
func TestRestoreAmongWriters(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	addAndClose(t, backup, "Faro", "guarda los barcos")
	for round := range 4 {
		path := filepath.Join(t.TempDir(), "memory.db")
		if round%2 == 0 { // else it is missing
			addAndClose(t, path, "Presente", "lo que había")
		}
		var group sync.WaitGroup
		var lock sync.Mutex
		var stored []string
		for range 3 {
			group.Go(func() {
				for range 4 {
					child := command(t, "start", path)
					err := child.Run()
					lock.Lock()
					if err == nil {
						stored = append(stored, fmt.Sprintf("process %d", child.Process.Pid))
					}
					lock.Unlock()
				}
			})
		}
		var kept []string
		for range 4 {
			done, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{})
			if _, inUse := errors.AsType[*sqlite.InUseError](err); err != nil && !inUse {
				t.Error(err)
			}
			if done.Kept != "" {
				kept = append(kept, done.Kept)
			}
		}
		group.Wait()
		found := map[string]bool{}
		for _, file := range append(kept, path) {
			for _, name := range query(t, file, "SELECT name FROM entities") {
				found[name] = true
			}
		}
		for _, name := range stored {
			if !found[name] {
				t.Errorf("round %d: %s was stored, and is gone", round, name)
			}
		}
		equal(t, "integrity", query(t, path, "PRAGMA integrity_check"), []string{"ok"})
	}
}
