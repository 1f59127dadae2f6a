package memory_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

func TestSettleWaitsForAllVectors(t *testing.T) {
	b := newBundle(t)
	var items []memory.NewEntity
	for i := range 60 { // more than a batch
		items = append(items, memory.NewEntity{Name: fmt.Sprintf("note %d", i), Observations: []string{"a kettle of tea"}})
	}
	if _, err := b.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.embedder.passages.Load(); n < 60 {
		t.Errorf("%d passages have a vector, want 60 at least", n)
	}
	if pending := b.semantic(t, "kettle", 5).Pending; pending != 0 {
		t.Errorf("%d entities are pending", pending)
	}
}

func TestSettleSaysWhatIsMissing(t *testing.T) {
	b := newBundle(t)
	b.embedder.refuse = "poison"
	b.create(t, "good", "", "tea")
	b.create(t, "bad", "", "poison")
	if err := b.Settle(t.Context()); err == nil || err.Error() != "entities without a vector: 1" {
		t.Errorf("with a text that cannot be embedded: %v", err)
	}
	b.embedder.missing.Store(true)
	if err := b.Settle(t.Context()); !errors.Is(err, memory.ErrNoModel) {
		t.Errorf("without a model: %v, want ErrNoModel", err)
	}
}

// An indexer that waits for another program's write has not finished.
func TestSettleWaitsToWriteVectors(t *testing.T) {
	b := newBundle(t)
	holding := make(chan func(), 1)
	b.embedder.before = func([]string) {
		if len(holding) == 0 {
			holding <- holdWriteLock(t, b.path)
		}
	}
	b.create(t, "Locked", "T", "still readable")
	if pending := b.semantic(t, "readable", 1).Pending; pending != 1 { // which returns once it is known
		t.Errorf("%d entities are pending, want 1", pending)
	}
	b.embedder.mu.Lock()
	b.embedder.before = nil
	b.embedder.mu.Unlock()
	settlesAfter(t, b.Service, <-holding)
}

// What another program has changed is not settled before it is indexed.
func TestSettleWaitsToIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := memory.New(db, &wordEmbedder{id: "words/1"}, memory.Options{})
	defer s.Close()
	if _, err := s.CreateEntities(t.Context(), []memory.NewEntity{{Name: "Changed", Observations: []string{"by us"}}}); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("UPDATE observations SET content = 'by another program'"); err != nil {
		t.Fatal(err)
	}
	release := holdWriteLock(t, path)
	s.Start(t.Context())
	settlesAfter(t, s, release)
}

// settlesAfter fails unless Settle waits for release.
func settlesAfter(t *testing.T, s *memory.Service, release func()) {
	t.Helper()
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := s.Settle(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another program writes: %v, want a wait", err)
	}
	release()
	if err := s.Settle(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Where computing takes much longer than it should, one search waits as long as any
// may, and the next ones use what is there.
func TestOneSearchWaitsInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBundle(t)
		b.create(t, "Harbour", "place", "an anchor for boats")
		if err := b.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		stuck := make(chan struct{})
		b.embedder.mu.Lock()
		b.embedder.before = func([]string) { <-stuck }
		b.embedder.mu.Unlock()
		b.create(t, "Orchard", "place", "apple trees in rows")
		var waited []time.Duration
		for range 3 {
			began := time.Now()
			if result := b.semantic(t, "anchor", 5); result.Pending != 1 || hitNames(result)[0] != "Harbour" {
				t.Errorf("found %q with %d pending, want Harbour first and one pending", hitNames(result), result.Pending)
			}
			waited = append(waited, time.Since(began))
		}
		if waited[0] < 10*time.Second || waited[0] > time.Minute || waited[1] > time.Second || waited[2] > time.Second {
			t.Errorf("searches waited %v, want only the first to wait", waited)
		}
		close(stuck)
		if err := b.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if pending := b.semantic(t, "apple", 5).Pending; pending != 0 {
			t.Errorf("%d are pending", pending)
		}
	})
}
