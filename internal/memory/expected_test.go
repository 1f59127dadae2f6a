package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// Every write is refused where an entity is not as expected.
func TestExpected(t *testing.T) {
	writes := map[string]change{
		"create an entity":      createEntity("Ana", "robot", "fourth"),
		"delete an entity":      deleteEntities("Ana"),
		"add observations":      addObservations("Ana", "fourth"),
		"delete an observation": deleteObservations("Ana", "first"),
		"relate":                createRelation("Ana", "at", "Lumen"),
		"delete a relation":     deleteRelation("Ana", "leads", "Faro"),
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			b := newBundle(t)
			imported(t, b.Service, undoable)
			before := documentOf(t, b)
			for _, expected := range []memory.Expected{
				{Name: "Ana", Type: "robot"},
				{Name: "Ana", Observation: "fourth"},
				{Name: "Ana", UpdatedAt: "2024-02-02 10:00:01"},
				{Name: "Ana", Absent: true},
				{Name: "Nobody"},
			} {
				var (
					outdated *memory.OutdatedError
					missing  *memory.NotFoundError
				)
				err := write(memory.WithExpected(t.Context(), expected), b)
				if expected.Name == "Nobody" {
					if !errors.As(err, &missing) {
						t.Errorf("%+v: %v", expected, err)
					}
				} else if !errors.As(err, &outdated) || outdated.Name != "Ana" {
					t.Errorf("%+v: %v", expected, err)
				}
			}
			if diff := cmp.Diff(before, documentOf(t, b)); diff != "" {
				t.Errorf("changed all the same (-before +after):\n%s", diff)
			}
			as := memory.Expected{Name: "Ana", Type: "person", Observation: "first", UpdatedAt: "2024-02-02 10:00:00"}
			if err := write(memory.WithExpected(t.Context(), as), b); err != nil {
				t.Errorf("as expected: %v", err)
			}
			if documentOf(t, b) == before {
				t.Error("as expected, but nothing is changed")
			}
		})
	}
}

func TestExpectedAbsent(t *testing.T) {
	b := newBundle(t)
	imported(t, b.Service, undoable)
	absent := memory.WithExpected(t.Context(), memory.Expected{Name: "Kiko", Absent: true})
	if err := createEntity("Kiko", "cat", "likes tea")(absent, b); err != nil {
		t.Fatalf("where there is none: %v", err)
	}
	before := documentOf(t, b)
	var outdated *memory.OutdatedError
	if err := createEntity("Kiko", "robot", "is loud")(absent, b); !errors.As(err, &outdated) || outdated.Name != "Kiko" {
		t.Errorf("where it is there by now: %v", err)
	}
	if diff := cmp.Diff(before, documentOf(t, b)); diff != "" {
		t.Errorf("changed all the same (-before +after):\n%s", diff)
	}
}

// What is expected is looked at in the transaction of the write: of two that
// replace the same observation at the same time, one is refused.
func TestExpectedIsAtomic(t *testing.T) {
	b := newBundle(t)
	imported(t, b.Service, undoable)
	ctx := memory.WithExpected(t.Context(), memory.Expected{Name: "Ana", Observation: "first"})
	const writers = 8
	ended := make(chan error, writers)
	for range writers {
		go func(ctx context.Context) { ended <- deleteObservations("Ana", "first")(ctx, b) }(ctx)
	}
	done := 0
	for range writers {
		err := <-ended
		if outdated, ok := errors.AsType[*memory.OutdatedError](err); ok && outdated.What != "" {
			continue
		}
		if err != nil {
			t.Error(err)
		}
		done++
	}
	if done != 1 {
		t.Errorf("%d writers deleted the same observation", done)
	}
}
