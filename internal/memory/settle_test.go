package memory_test

import (
	"errors"
	"fmt"
	"testing"

	"mcp-memory/internal/memory"
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
