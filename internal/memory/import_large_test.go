package memory_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// many is so large that its index is not of the import's transaction.
const many = 2_600

// manyLines are so many entities and relations in a ring.
func manyLines(many int) string {
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, `{"type":"relation","from":"page %d","to":"page %d","relationType":"precedes"}`+"\n", i, (i+1)%many)
	}
	for i := range many {
		fmt.Fprintf(&b, `{"type":"entity","name":"page %d","entityType":"Page","observations":["the harbour of number %d","opens at seven"]}`+"\n", i, i)
	}
	return b.String()
}

// TestLargeImport has the same memory come of it as a small one has, step by step in
// sight: first all rows at once, then the index, while others write in between.
func TestLargeImport(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	other, _ := idle(t, path)
	stage, wrote := "", 0
	ctx := memory.WithProgress(t.Context(), func(done, _ int, what string) {
		if what == "indexing" && what != stage {
			page, err := other.ReadGraph(t.Context(), 1, 0)
			if err != nil || page.Total != many || page.TotalRelations != many {
				t.Errorf("before it is indexed %d entities and %d relations are there, %v", page.Total, page.TotalRelations, err)
			}
		}
		if what == "indexing" { // between two transactions: nobody waits for long
			if _, err := other.CreateEntities(t.Context(), []memory.NewEntity{{Name: fmt.Sprint("other ", done)}}); err != nil {
				t.Errorf("another server's write: %v", err)
			}
			wrote++
		}
		stage = what
	})
	for run, relations := range []int{many, 0} {
		report, err := s.ImportFrom(ctx, strings.NewReader(manyLines(many)))
		if err != nil {
			t.Fatal(err)
		}
		want := memory.ImportReport{Entities: many, Relations: relations, Problems: []memory.ImportProblem{}}
		if diff := cmp.Diff(want, report); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", run, diff)
		}
	}
	if wrote < 2 {
		t.Errorf("%d writes between the transactions of the index, want some", wrote)
	}
	sound(t, path)
	if page, err := other.SearchNodes(t.Context(), "harbour of number 2599", 10, 0); err != nil || page.Total != 1 {
		t.Errorf("what was imported last is found %d times, %v", page.Total, err)
	}
}

// TestLargeImportIsCutShort while it indexes: all of it is there, is found, and is
// indexed later.
func TestLargeImportIsCutShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s, db := idle(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx = memory.WithProgress(ctx, func(done, _ int, what string) {
		if what == "indexing" && done > many/3 { // what is left then, a search waits for
			cancel()
		}
	})
	report, err := s.ImportFrom(ctx, strings.NewReader(manyLines(many)))
	if err != nil || report.Entities != many {
		t.Fatalf("%+v, %v", report, err)
	}
	n := outdated(t, db)
	if want := fmt.Sprintf("searches do not find %d entities yet, since indexing them was interrupted", n); n == 0 || !strings.HasPrefix(report.Unindexed, want) {
		t.Errorf("%d are left, and the report says %q", n, report.Unindexed)
	}
	if page, err := s.SearchNodes(t.Context(), "harbour of number 2599", 10, 0); err != nil || page.Total != 1 {
		t.Errorf("what was imported last is found %d times, %v", page.Total, err)
	}
	if n := outdated(t, db); n != 0 {
		t.Errorf("%d entities are still not indexed", n)
	}
	sound(t, path)
}

// TestVeryLargeImportIsCutShort, and no search is held up for what it has left: the
// background of the next server does it, once it has seen that nobody else does.
func TestVeryLargeImportIsCutShort(t *testing.T) {
	t.Parallel()
	const veryMany = 6_000
	path := filepath.Join(t.TempDir(), "memory.db")
	s, db := idle(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx = memory.WithProgress(ctx, func(_, _ int, what string) {
		if what == "indexing" {
			cancel()
		}
	})
	if report, err := s.ImportFrom(ctx, strings.NewReader(manyLines(veryMany))); err != nil || report.Entities != veryMany {
		t.Fatalf("%+v, %v", report, err)
	}
	left := outdated(t, db)
	if page, err := s.SearchNodes(t.Context(), "harbour of number 5999", 10, 0); err != nil || outdated(t, db) != left || !page.Incomplete {
		t.Errorf("a search indexed some of the %d entities left, or does not say that it is incomplete: %v, %v", left, page.Incomplete, err)
	}
	s.Start(t.Context())
	for outdated(t, db) > 0 { // until the test's deadline
		runtime.Gosched()
	}
	if page, err := s.SearchNodes(t.Context(), "harbour of number 5999", 10, 0); err != nil || page.Total != 1 || page.Incomplete {
		t.Errorf("what was imported last is found %d times, %v", page.Total, err)
	}
	sound(t, path)
}

// outdated counts the entities of which the index is not in step, up to 10,000.
func outdated(t *testing.T, db *sqlite.DB) int {
	t.Helper()
	var ids []int64
	err := db.View(t.Context(), func(r memory.Reader) (err error) {
		ids, err = r.Outdated(t.Context(), 10_000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(ids)
}

// sound examines all that is derived from what is stored.
func sound(t *testing.T, path string) {
	t.Helper()
	found, err := sqlite.Verify(t.Context(), path)
	if err != nil || len(found.Findings) > 0 {
		t.Errorf("verified: %+v, %v", found, err)
	}
}
