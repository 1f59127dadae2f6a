package storetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// Run tests a store. open returns a new and empty one that the test may use
// until it ends.
func Run(t *testing.T, open func(t *testing.T) memory.Store) {
	groups := []struct {
		name string
		test func(t *testing.T, s memory.Store)
	}{
		{"entities", testEntities},
		{"unknown ids and empty lists", testNothing},
		{"long lists", testLongLists},
		{"entity deletion", testDeleteEntity},
		{"observations", testObservations},
		{"relations", testRelations},
		{"substrings", testContaining},
		{"substrings in names", testContainingNamesFirst},
		{"names", testWithName},
		{"recent entities", testRecent},
		{"states", testStates},
		{"words of entities", testMatchEntities},
		{"words of passages", testMatchPassages},
		{"words of some entities", testMatchFiltered},
		{"odd words", testOddTerms},
		{"term counts", testTermCounts},
		{"index refresh", testReindex},
		{"passages", testPassages},
		{"passages due", testPassagesDue},
		{"vectors of unchanged passages", testUnchangedPassages},
		{"nearest passages", testNearestPassages},
		{"nearest of some entities", testNearestOf},
		{"likeness", testLikeness},
		{"nearest passages that pass a filter", testNearestFiltered},
		{"passages of outdated entities", testOutdatedPassages},
		{"many vectors", testManyVectors},
		{"odd vectors", testOddVectors},
		{"vectors out of date", testOutOfDate},
		{"vectors of whole texts from passages", testSetVectorOf},
		{"what a change outdates", testOutdated},
		{"usage", testUsage},
		{"co-occurrence", testTogether},
		{"restored entities", testRestore},
		{"merged entities", testMergeEntity},
		{"rows taken away and put back", testRows},
		{"vectors to be written down", testWholeVectors},
		{"marks of what is to be made anew", testRenewals},
		{"texts made anew", testRenewTexts},
		{"statistics", testStats},
		{"rollback", testRollback},
		{"own changes", testOwnChanges},
		{"snapshot", testSnapshot},
		{"busy", testBusy},
		{"snapshot if one can be had", testTryView},
		{"cancellation", testCancellation},
		{"late cancellation", testLateCancellation},
		{"concurrency", testConcurrency},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) { g.test(t, open(t)) })
	}
}

// update runs fn in a transaction that must succeed.
func update(t *testing.T, s memory.Store, fn func(ctx context.Context, w memory.Writer) error) {
	t.Helper()
	ctx := t.Context()
	if err := s.Update(ctx, func(w memory.Writer) error { return fn(ctx, w) }); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// view runs fn on a snapshot, which must succeed.
func view(t *testing.T, s memory.Store, fn func(ctx context.Context, r memory.Reader) error) {
	t.Helper()
	ctx := t.Context()
	if err := s.View(ctx, func(r memory.Reader) error { return fn(ctx, r) }); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// add stores an indexed entity of type Note and returns its id.
func add(t *testing.T, s memory.Store, name string, observations ...string) (id int64) {
	t.Helper()
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		var err error
		id, err = addTo(ctx, w, name, observations...)
		return err
	})
	return id
}

func addTo(ctx context.Context, w memory.Writer, name string, observations ...string) (int64, error) {
	id, err := w.InsertEntity(ctx, name, "Note")
	if err != nil {
		return 0, err
	}
	if _, err := w.InsertObservations(ctx, id, observations); err != nil {
		return 0, err
	}
	return id, w.Reindex(ctx, []int64{id})
}

// equal compares what was got with what is wanted.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
