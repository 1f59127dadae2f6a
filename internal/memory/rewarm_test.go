package memory_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// idleEmbedder is a wordEmbedder whose model can be dropped, and which counts
// how often it was asked to come back.
type idleEmbedder struct {
	wordEmbedder
	known  atomic.Bool // it was loaded once
	warmed atomic.Int64
}

func (e *idleEmbedder) Warm() {
	e.warmed.Add(1)
	e.wordEmbedder.Warm()
}

func (e *idleEmbedder) Load(ctx context.Context) error {
	err := e.wordEmbedder.Load(ctx)
	if err == nil {
		e.known.Store(true)
	}
	return err
}

func (e *idleEmbedder) ModelID() string {
	if !e.known.Load() {
		return ""
	}
	return e.id
}

func (e *idleEmbedder) drop() {
	e.loaded.Store(false)
	e.warmed.Store(0)
}

// What reads brings a model back that was dropped, and only one that was: who
// never searches by meaning never pays for the model.
func TestReadingWarmsADroppedModel(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	embedder := &idleEmbedder{wordEmbedder: wordEmbedder{id: "words/1"}}
	embedder.missing.Store(true) // until all is stored, so that nothing loads it in the background
	service := memory.New(db, embedder, memory.Options{})
	service.Start(context.WithoutCancel(t.Context()))
	defer func() {
		service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := service.CreateEntities(t.Context(), []memory.NewEntity{{Name: "Marea", Observations: []string{"warns ships"}}}); err != nil {
		t.Fatal(err)
	}
	reads := []struct {
		name   string
		warms  int64
		search func() error
	}{
		{"search_nodes", 1, func() error { _, err := service.SearchNodes(t.Context(), "ships", 10, 0); return err }},
		{"search_nodes for nothing", 0, func() error { _, err := service.SearchNodes(t.Context(), " ", 10, 0); return err }},
		{"open_nodes", 1, func() error { _, err := service.OpenNodes(t.Context(), []string{"Marea"}); return err }},
		{"read_graph", 1, func() error { _, err := service.ReadGraph(t.Context(), 10, 0); return err }},
	}
	for _, read := range reads {
		if err := read.search(); err != nil {
			t.Fatal(err)
		}
		if n := embedder.warmed.Load(); n != 0 {
			t.Errorf("%s warmed a model that was never needed", read.name)
		}
	}
	embedder.missing.Store(false)
	find := func() {
		t.Helper()
		found, err := service.SearchSemantic(t.Context(), memory.Question{Query: "ships", Limit: 10})
		if err != nil || len(found.Hits) != 1 || found.Pending != 0 {
			t.Fatalf("found %+v, %v, want Marea", found, err)
		}
	}
	find()
	for _, read := range reads {
		embedder.drop()
		if err := read.search(); err != nil {
			t.Fatal(err)
		}
		if n := embedder.warmed.Load(); n != read.warms {
			t.Errorf("%s warmed a dropped model %d times, want %d", read.name, n, read.warms)
		}
	}
	embedder.drop()
	find()
}
