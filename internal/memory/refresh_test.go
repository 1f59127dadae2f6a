package memory_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// addRaw adds entities as another program does, without their index: to n in all.
func addRaw(t *testing.T, path string, n string) {
	t.Helper()
	changeRaw(t, path,
		"WITH RECURSIVE n(i) AS (SELECT coalesce(max(id), 0) + 1 FROM entities UNION ALL SELECT i + 1 FROM n WHERE i < "+n+
			") INSERT INTO entities (id, name) SELECT i, 'n' || i || 'x' FROM n")
}

// indexFirst indexes the first entities that are out of date, as another process does.
func indexFirst(t *testing.T, db *sqlite.DB, n int) {
	t.Helper()
	err := db.Update(t.Context(), func(w memory.Writer) error {
		ids, err := w.Outdated(t.Context(), n)
		return errors.Join(err, w.Reindex(t.Context(), ids))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSearchLeavesManyToOthers who are at them, the last ones, too: it would wait for
// them, and they for it.
func TestSearchLeavesManyToOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	_, other := idle(t, path)
	found := func(query string, complete bool, total, left int) {
		t.Helper()
		page, err := s.SearchNodes(t.Context(), query, 10, 0)
		if err != nil || page.Incomplete == complete || page.Total != total {
			t.Errorf("%q: %d found, incomplete %v, %v; want %d, %v", query, page.Total, page.Incomplete, err, total, !complete)
		}
		if n := outdated(t, other); n != left {
			t.Errorf("%q: %d left, want %d", query, n, left)
		}
	}
	addRaw(t, path, "2500")
	found("n1x", false, 0, 2500)
	indexFirst(t, other, 1000)
	found("n1x", false, 1, 1500)
	indexFirst(t, other, 1400)
	found("n2500x", false, 0, 100)
	indexFirst(t, other, 100)
	found("n2500x", true, 1, 0)
	addRaw(t, path, "2510") // nobody else is at these
	found("n2510x", true, 1, 0)
}

// TestSearchGoesWithoutWhatItWouldWaitFor while another process holds the write lock.
func TestSearchGoesWithoutWhatItWouldWaitFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	_, other := idle(t, path)
	imported(t, s, strings.TrimSpace(manyLines(1)))
	addRaw(t, path, "3")
	err := other.Update(t.Context(), func(memory.Writer) error {
		for query, want := range map[string]int{"number 0": 1, "n3x": 0} {
			page, err := s.SearchNodes(t.Context(), query, 10, 0)
			if err != nil || page.Total != want || !page.Incomplete {
				t.Errorf("%q: %d found, incomplete %v, %v; want %d", query, page.Total, page.Incomplete, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := s.SearchNodes(t.Context(), "n3x", 10, 0); err != nil || page.Total != 1 || page.Incomplete {
		t.Errorf("afterwards: %d found, incomplete %v, %v", page.Total, page.Incomplete, err)
	}
}

// TestIndexTexts brings all in step at once, however much it is, and tells how far it is.
func TestIndexTexts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, db := idle(t, path)
	told := []string{}
	ctx := memory.WithProgress(t.Context(), func(done, total int, step string) {
		told = append(told, fmt.Sprintf("%s: %d of %d", step, done, total))
	})
	if err := s.IndexTexts(ctx); err != nil {
		t.Fatal(err)
	}
	addRaw(t, path, "1200")
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := s.IndexTexts(stopped); !errors.Is(err, context.Canceled) || outdated(t, db) != 1200 {
		t.Errorf("when it is stopped: %v, %d are left", err, outdated(t, db))
	}
	if err := s.IndexTexts(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"indexing: 500 of 1200", "indexing: 1000 of 1200", "indexing: 1200 of 1200"}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if page, err := s.SearchNodes(t.Context(), "n1200x", 10, 0); err != nil || page.Total != 1 || page.Incomplete {
		t.Errorf("afterwards: %d found, incomplete %v, %v", page.Total, page.Incomplete, err)
	}
	sound(t, path)
}

// TestIndexTextsGivesUp while another process holds the write lock, without an error.
func TestIndexTextsGivesUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, db := idle(t, path)
	_, other := idle(t, path)
	addRaw(t, path, "3")
	err := other.Update(t.Context(), func(memory.Writer) error { return s.IndexTexts(t.Context()) })
	if left := outdated(t, db); err != nil || left != 3 {
		t.Errorf("%v, %d are left", err, left)
	}
}

// TestIndexTextsTogether in several processes: each entity is indexed by one of them.
func TestIndexTextsTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	one, _ := idle(t, path)
	addRaw(t, path, "1500")
	done := make(chan int, 2)
	index := func(s *memory.Service) {
		last := 0
		err := s.IndexTexts(memory.WithProgress(t.Context(), func(n, _ int, _ string) { last = n }))
		if err != nil {
			t.Error(err)
		}
		done <- last
	}
	other, db := idle(t, path)
	go index(one)
	go index(other)
	if a, b := <-done, <-done; a+b != 1500 {
		t.Errorf("%d and %d were indexed of 1500", a, b)
	}
	if left := outdated(t, db); left > 0 {
		t.Errorf("%d are left", left)
	}
}
