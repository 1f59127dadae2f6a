package memory_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// full is a store that has no snapshot to spare.
type full struct{ memory.Store }

func (full) TryView(context.Context, func(memory.Reader) error) error { return memory.ErrBusy }

// moving is a store that changes before a snapshot besides another is taken.
type moving struct {
	memory.Store
	change func()
}

func (s moving) TryView(ctx context.Context, fn func(memory.Reader) error) error {
	s.change()
	return s.Store.TryView(ctx, fn)
}

// TestSearchOnAnyProcessors searches in each of the orders in which the words and
// the vectors may be looked for.
func TestSearchOnAnyProcessors(t *testing.T) {
	var want []string
	for _, processors := range []int{1, 2, 4} {
		for _, spare := range []bool{true, false} {
			got := searchBerths(t, processors, spare)
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("on %d processors, a snapshot to spare %v (-first +got):\n%s", processors, spare, diff)
			}
		}
	}
}

// searchBerths asks some questions of a memory of its own.
func searchBerths(t *testing.T, processors int, spare bool) (found []string) {
	t.Helper()
	b := newBundle(t)
	b.ranking.Use = 0 // which may be written down after the next question was asked
	b.restart(t)
	for i := range 8 {
		b.create(t, fmt.Sprint("Berth ", i), "place", fmt.Sprintf("harbour %d is painted orange%d", i, i%3))
	}
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	service := b.Service
	if !spare {
		service = memory.New(full{b.db}, b.embedder, memory.Options{Ranking: &b.ranking})
		defer service.Close()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	for _, question := range []string{"harbour orange1", "Berth 7", "nothing of it"} {
		result, err := service.SearchSemantic(t.Context(), memory.Question{Query: question, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Hits) != 5 {
			t.Errorf("%q found %d, want 5", question, len(result.Hits))
		}
		for _, hit := range result.Hits {
			found = append(found, fmt.Sprintf("%q: %s %.4f %d %d %s",
				question, hit.Entity.Name, hit.Relevance, hit.NearestRank, hit.WordsRank, hit.Match))
		}
	}
	return found
}

// TestSearchWhileEntitiesGo has an entity created, and another one deleted,
// between the two snapshots of a search.
func TestSearchWhileEntitiesGo(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Old quay", "place", "painted orange")
	b.create(t, "Pier", "place", "painted orange")
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	changed := false
	store := moving{b.db, func() {
		if changed {
			return
		}
		changed = true
		b.create(t, "New quay", "place", "painted orange")
		if _, _, err := b.DeleteEntities(t.Context(), []string{"Old quay"}); err != nil {
			t.Error(err)
		}
	}}
	service := memory.New(store, b.embedder, memory.Options{Ranking: &b.ranking})
	defer service.Close()
	for range 2 {
		before := runtime.GOMAXPROCS(2)
		result, err := service.SearchSemantic(t.Context(), memory.Question{Query: "painted orange", Limit: 5, Since: time.Unix(0, 0)})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, hit := range result.Hits {
			names = append(names, hit.Entity.Name)
			if hit.Match != "painted orange" {
				t.Errorf("%s matched by %q", hit.Entity.Name, hit.Match)
			}
		}
		slices.Sort(names)
		if !slices.Contains(names, "Pier") || len(names) != 2 {
			t.Errorf("found %q, want two that there are", names)
		}
	}
}
