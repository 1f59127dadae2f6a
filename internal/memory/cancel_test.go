package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"mcp-memory/internal/memory"
)

// holdEmbedding has the embedding of passages wait until release is called.
func (b *bundle) holdEmbedding(t *testing.T) (begun <-chan struct{}, release func()) {
	t.Helper()
	held, free := make(chan struct{}, 100), make(chan struct{})
	b.embedder.mu.Lock()
	b.embedder.before = func([]string) {
		held <- struct{}{}
		<-free
	}
	b.embedder.mu.Unlock()
	return held, func() { close(free) }
}

// TestSearchStopsWaiting for vectors when it is cancelled.
func TestSearchStopsWaiting(t *testing.T) {
	b := newBundle(t)
	begun, release := b.holdEmbedding(t)
	defer release()
	b.create(t, "Aspen", "tree", "white bark")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := b.SearchSemantic(ctx, memory.Question{Query: "bark", Limit: 5})
		ended <- err
	}()
	<-begun
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("SearchSemantic returned %v", err)
	}
}

// TestProgressOfVectors is told while an import waits for them.
func TestProgressOfVectors(t *testing.T) {
	b := newBundle(t)
	b.embedder.Warm()
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`{"type":"entity","name":"e%d","observations":["o"]}`, i))
	}
	told, all := map[string][]int{}, map[string]int{}
	ctx := memory.WithProgress(t.Context(), func(done, total int, message string) {
		all[message] = total
		if done > total {
			t.Errorf("%d of %d", done, total)
		}
		told[message] = append(told[message], done)
	})
	if _, err := b.Import(ctx, writeFile(t, lines...)); err != nil {
		t.Fatal(err)
	}
	const computing = "computing embeddings" // what is done before the import waits is not told
	if last := told[computing]; len(last) == 0 || slices.Max(last) != all[computing] {
		t.Errorf("vectors done: %v, want them to end at all %d", last, all[computing])
	}
	if last := told["importing"]; len(last) == 0 || last[len(last)-1] != 100 {
		t.Errorf("records imported: %v", last)
	}
}
