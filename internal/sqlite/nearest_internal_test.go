package sqlite

import (
	"context"
	"errors"
	"testing"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// TestSlowerHalfIsWaitedFor has the other connection find what it finds only when
// it is waited for.
func TestSlowerHalfIsWaitedFor(t *testing.T) {
	pool, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	SearchAsIfLarge(t)
	q := db.New(pool)
	vector := make([]float32, memory.Dimensions)
	vector[0] = 1
	for _, id := range []int64{1, 2000} { // of the first and second shard
		if err := q.InsertCoarse(t.Context(), db.InsertCoarseParams{PassageID: id, Embedding: coarse(vector)}); err != nil {
			t.Fatal(err)
		}
	}
	failure := errors.New("failure")
	for _, want := range []error{nil, failure} {
		late := func(_ context.Context, fn func(*db.Queries) error) (func() error, bool) {
			return func() error { return errors.Join(fn(q), want) }, true
		}
		rows, err := readTx{q, late}.searchShards(t.Context(), db.CoarseNearestParams{Coarse: coarse(vector), K: 10, LastShard: 1})
		if len(rows) != 2 || !errors.Is(err, want) {
			t.Errorf("found %v, %v; want two passages and %v", rows, err, want)
		}
	}
}
