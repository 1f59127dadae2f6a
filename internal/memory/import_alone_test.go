//go:build !race

// Large imports in one goroutine: nothing for the race detector, which makes them take a minute.

package memory_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// TestOldMemoriesAreFoundDuringAnImport that adds something to each of very many.
func TestOldMemoriesAreFoundDuringAnImport(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"lines", "document"} {
		path := filepath.Join(t.TempDir(), "memory.db")
		s, db := idle(t, path)
		other, _ := idle(t, path)
		if _, err := s.ImportFrom(t.Context(), strings.NewReader(manyLines(many))); err != nil {
			t.Fatal(err)
		}
		var more string
		if format == "lines" {
			more = manyLines(2*many) + `{"type":"entity","name":"page 7","entityType":"Page","observations":["a second harbour"]}`
		} else {
			from, _ := idle(t, filepath.Join(t.TempDir(), "memory.db"))
			if _, err := from.ImportFrom(t.Context(), strings.NewReader(strings.ReplaceAll(manyLines(2*many), "opens at seven", "opens at eight"))); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if _, err := from.ExportDocument(t.Context(), &b, false); err != nil {
				t.Fatal(err)
			}
			more = b.String()
		}
		looked := 0
		ctx := memory.WithProgress(t.Context(), func(_, _ int, what string) {
			if what != "indexing" || outdated(t, db) == 0 {
				return
			}
			looked++
			for _, query := range []string{"page 2599", "harbour of number 2599"} {
				if page, err := other.SearchNodes(t.Context(), query, 10, 0); err != nil || page.Total != 1 {
					t.Errorf("%s: during the import %q is found %d times, %v", format, query, page.Total, err)
				}
			}
		})
		if _, err := s.ImportFrom(ctx, strings.NewReader(more)); err != nil {
			t.Fatal(err)
		}
		if looked == 0 {
			t.Errorf("%s: nothing was left to index, so this tests nothing", format)
		}
		sound(t, path)
	}
}

// TestLargeImportOfNothing leaves nothing when it is broken at its very end, and when
// it is not wanted any more.
func TestLargeImportOfNothing(t *testing.T) {
	t.Parallel()
	s, db := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	if _, err := s.ImportFrom(t.Context(), strings.NewReader(manyLines(many))); err != nil {
		t.Fatal(err)
	}
	wholeVectors(t, db)
	text := exported(t, s)
	empty, _ := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	for name, content := range map[string]string{"a document": text[:len(text)-3], "lines": manyLines(many)} {
		ctx := t.Context()
		if name == "lines" {
			ctx = memory.WithConsent(ctx, func() bool { return false })
		}
		if _, err := empty.ImportFrom(ctx, strings.NewReader(content)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if page, err := empty.ReadGraph(t.Context(), 1, 0); err != nil || page.Total != 0 {
			t.Errorf("%s: %d entities are left of it, %v", name, page.Total, err)
		}
	}
}

// TestLargeDocumentComesBack with its vectors, which have transactions of their own.
func TestLargeDocumentComesBack(t *testing.T) {
	t.Parallel()
	s, db := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	if _, err := s.ImportFrom(t.Context(), strings.NewReader(manyLines(many))); err != nil {
		t.Fatal(err)
	}
	wholeVectors(t, db)
	text := exported(t, s)
	path := filepath.Join(t.TempDir(), "memory.db")
	again, _ := idle(t, path)
	report, err := again.ImportFrom(t.Context(), strings.NewReader(text))
	want := memory.ImportReport{Entities: many, Relations: many, Vectors: many, Problems: []memory.ImportProblem{}}
	if diff := cmp.Diff(want, report); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if exported(t, again) != text {
		t.Error("it came back another")
	}
	sound(t, path)
}
