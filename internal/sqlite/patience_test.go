package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// TestWritersWaitWhileOthersGoOn for longer than they would wait otherwise, and not
// for a lock that is only held.
func TestWritersWaitWhileOthersGoOn(t *testing.T) {
	t.Parallel()
	const wait = time.Second
	path := filepath.Join(t.TempDir(), "memory.db")
	options := sqlite.Options{BusyWait: wait}
	long, err := sqlite.Open(t.Context(), path, options)
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close()
	patient, err := sqlite.Open(t.Context(), path, options)
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	ended := make(chan error, 2)
	insert := func(db *sqlite.DB, name string) {
		ended <- db.Update(t.Context(), func(w memory.Writer) error {
			_, err := w.InsertEntity(t.Context(), name, "Note")
			return err
		})
	}
	err = long.Update(t.Context(), func(memory.Writer) error {
		go insert(patient, "of another server")
		go insert(long, "of the same server")
		select {
		case err := <-ended:
			t.Errorf("a writer did not wait: %v", err)
		case <-time.After(3 * wait): // the transaction is a long one
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("a writer that waited: %v", err)
		}
	}
	idle, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	idle.SetMaxOpenConns(1) // which holds the lock, and does nothing
	if _, err := idle.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	insert(patient, "never")
	if err := <-ended; !errors.Is(err, memory.ErrBusy) {
		t.Errorf("a writer on whose lock nothing goes on: %v, want that it is busy", err)
	}
}
