package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// renewing opens a service like those that b's database has, without background
// work.
func renewing(t *testing.T, b *bundle) (*memory.Service, *wordEmbedder) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), b.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	embedder := &wordEmbedder{id: b.embedder.id}
	service := memory.New(db, embedder, memory.Options{})
	t.Cleanup(func() {
		service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return service, embedder
}

// filled is a memory of n entities of one passage each, all embedded.
func filled(t *testing.T, n int) *bundle {
	t.Helper()
	b := newBundle(t)
	for i := range n {
		b.create(t, fmt.Sprint("Entity ", i), "thing", fmt.Sprintf("word%d says", i))
	}
	b.semantic(t, "anything", 1)
	return b
}

func wellAfter(t *testing.T, b *bundle) {
	t.Helper()
	report, err := sqlite.Verify(t.Context(), b.path)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) > 0 {
		t.Errorf("not well: %+v", report.Findings)
	}
}

func TestRenewMakesAllAnew(t *testing.T) {
	b := filled(t, 70)
	service, embedder := renewing(t, b)
	got, err := service.Renew(t.Context(), memory.RenewOptions{Texts: true, Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	got.Entities = 0 // as many as the server has made by now
	if diff := cmp.Diff(memory.RenewReport{Texts: 70, Passages: 70}, got); diff != "" {
		t.Error(diff)
	}
	if n := embedder.passages.Load(); n < 70 {
		t.Errorf("%d passages embedded, want all 70", n)
	}
	wellAfter(t, b)
	for name, o := range map[string]memory.RenewOptions{"texts": {Texts: true}, "vectors": {Vectors: true}} {
		got, err := service.Renew(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		want := memory.RenewReport{}
		if o.Texts {
			want.Texts = 70
		} else {
			want.Passages, want.Entities = 70, 70
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s alone: %s", name, diff)
		}
	}
	wellAfter(t, b)
}

// TestRenewGoesOn where a call that was cancelled ended, while the memory is used.
func TestRenewGoesOn(t *testing.T) {
	const entities = 100
	b := filled(t, entities)
	service, embedder := renewing(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	embedder.before = func([]string) {
		if embedder.passages.Load() > 40 {
			cancel()
		}
	}
	first, err := service.Renew(ctx, memory.RenewOptions{Texts: true, Vectors: true})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Renew returned %v", err)
	}
	if first.Resumed || first.Texts != entities || first.Passages == 0 || first.PassagesLeft != entities-first.Passages {
		t.Errorf("the first call did %+v", first)
	}
	// What is not made anew yet is in use.
	if result := b.semantic(t, "word99", 1); result.Pending > 0 || result.Hits[0].Entity.Name != "Entity 99" || result.Hits[0].NearestRank != 1 {
		t.Errorf("meanwhile found %q, %d pending", hitNames(result), result.Pending)
	}
	b.create(t, "New", "thing", "brandnew") // embedded by the server
	if result := b.semantic(t, "brandnew", 1); result.Hits[0].Entity.Name != "New" {
		t.Errorf("what is new is not found: %q", hitNames(result))
	}
	again, embedder := renewing(t, b)
	second, err := again.Renew(t.Context(), memory.RenewOptions{Texts: true, Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := entities - first.Passages; !second.Resumed || second.Texts != 0 || second.Passages != want {
		t.Errorf("the second call did %+v, want the %d passages left", second, want)
	}
	wellAfter(t, b)

	restarted, err := again.Renew(t.Context(), memory.RenewOptions{Vectors: true})
	if err != nil || restarted.Resumed || restarted.Passages != entities+1 {
		t.Errorf("the third call did %+v, %v: want everything", restarted, err)
	}
	if embedder.passages.Load() < int64(restarted.Passages) {
		t.Error("not as many were embedded as it says")
	}
}

func TestRenewRestarts(t *testing.T) {
	b := filled(t, 60)
	service, embedder := renewing(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	embedder.before = func([]string) { cancel() }
	if _, err := service.Renew(ctx, memory.RenewOptions{Vectors: true}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Renew returned %v", err)
	}
	embedder.before = nil
	got, err := service.Renew(t.Context(), memory.RenewOptions{Vectors: true, Restart: true})
	if err != nil || got.Resumed || got.Passages != 60 {
		t.Errorf("Renew returned %+v, %v", got, err)
	}
}

// TestRenewKeepsWhatCannotBeMade, and comes to an end.
func TestRenewKeepsWhatCannotBeMade(t *testing.T) {
	b := filled(t, 20)
	service, embedder := renewing(t, b)
	embedder.refuse = "word7 "
	got, err := service.Renew(t.Context(), memory.RenewOptions{Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Passages != 19 || got.Failed == 0 {
		t.Errorf("Renew returned %+v", got)
	}
	if result := b.semantic(t, "word7", 1); result.Hits[0].NearestRank != 1 {
		t.Error("the old vector is gone")
	}
	next, err := service.Renew(t.Context(), memory.RenewOptions{Vectors: true})
	if err != nil || next.Resumed {
		t.Errorf("the next call returned %+v, %v", next, err)
	}
}

func TestRenewWithoutModel(t *testing.T) {
	b := filled(t, 3)
	service, embedder := renewing(t, b)
	embedder.missing.Store(true)
	if _, err := service.Renew(t.Context(), memory.RenewOptions{Texts: true, Vectors: true}); !errors.Is(err, memory.ErrNoModel) {
		t.Errorf("Renew returned %v", err)
	}
	got, err := service.Renew(t.Context(), memory.RenewOptions{Texts: true})
	if err != nil || got.Texts != 3 || got.Resumed {
		t.Errorf("of texts alone, Renew returned %+v, %v", got, err)
	}
}

func TestRenewReportsProgress(t *testing.T) {
	b := filled(t, 30)
	service, _ := renewing(t, b)
	last := map[string][2]int{}
	ctx := memory.WithProgress(t.Context(), func(done, total int, what string) {
		if done < last[what][0] || done > total {
			t.Errorf("%s: %d of %d after %v", what, done, total, last[what])
		}
		last[what] = [2]int{done, total}
	})
	if _, err := service.Renew(ctx, memory.RenewOptions{Texts: true, Vectors: true}); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"indexing texts", "computing vectors"} {
		if diff := cmp.Diff([2]int{30, 30}, last[what]); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}
