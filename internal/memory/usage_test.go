package memory_test

import (
	"errors"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// holdWriteLock keeps the database's write lock, as another process would,
// until the returned function is called.
func holdWriteLock(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- db.Update(t.Context(), func(memory.Writer) error {
			close(held)
			<-let
			return nil
		})
	}()
	<-held
	return func() {
		t.Helper()
		close(let)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadsDoNotWaitForWriters(t *testing.T) {
	b := newBundle(t)
	a := b.create(t, "Locked", "T", "still readable")
	b.semantic(t, "readable", 1)
	release := holdWriteLock(t, b.path)
	err := b.db.TryUpdate(t.Context(), 0, func(memory.Writer) error { return nil })
	if !errors.Is(err, memory.ErrBusy) {
		t.Fatalf("writing while the lock is held: %v, want that it is busy", err)
	}

	// The lock is held until these have answered, so none of them waits for it.
	if _, err := b.OpenNodes(t.Context(), []string{"Locked"}); err != nil {
		t.Errorf("opening: %v", err)
	}
	if page, err := b.SearchNodes(t.Context(), "readable", 10, 0); err != nil || page.Total != 1 {
		t.Errorf("searching: %d found, %v", page.Total, err)
	}
	if got := hitNames(b.semantic(t, "readable", 1)); len(got) != 1 {
		t.Errorf("semantic search found %q, want Locked", got)
	}
	release()

	b.restart(t) // writes what could not be written before
	err = b.db.View(t.Context(), func(r memory.Reader) error {
		usages, err := r.Usages(t.Context(), []int64{a.ID})
		if err == nil && usages[0].Accesses != 4 {
			t.Errorf("%d accesses, want 4: creation, one opening, two searches", usages[0].Accesses)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFirstSearchWhileAnotherProcessWrites(t *testing.T) {
	b := newBundle(t)
	b.embedder.missing.Store(true)
	b.create(t, "Locked", "T", "still readable")
	release := holdWriteLock(t, b.path)
	defer release()
	b.embedder.missing.Store(false)
	result := b.semantic(t, "readable", 1)
	if len(result.Hits) != 1 || result.Pending != 1 {
		t.Errorf("found %+v, want Locked by its words and one pending", result)
	}
}

func TestSearchDoesNotWaitForVectorsThatCannotBeWritten(t *testing.T) {
	b := newBundle(t)
	holding := make(chan func())
	b.embedder.before = func([]string) { holding <- holdWriteLock(t, b.path) }
	b.create(t, "Locked", "T", "still readable")
	release := <-holding
	defer release()
	result := b.semantic(t, "readable", 1)
	if len(result.Hits) != 1 || result.Hits[0].Distance != nil || result.Pending != 1 {
		t.Errorf("found %+v, want Locked by its words and one pending", result)
	}
}
