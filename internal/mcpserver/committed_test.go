package mcpserver_test

import (
	"context"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// slowEmbedder is a loaded model that takes as long as the test wants.
type slowEmbedder struct {
	started chan struct{}
	finish  chan struct{}
}

func (slowEmbedder) Ready() bool                { return true }
func (slowEmbedder) Warm()                      {}
func (slowEmbedder) Load(context.Context) error { return nil }
func (slowEmbedder) ModelID() string            { return "slow/1" }

func (e slowEmbedder) Embed(_ context.Context, _ memory.Kind, texts []string) ([][]float32, error) {
	e.started <- struct{}{}
	<-e.finish
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = make([]float32, memory.Dimensions)
		vectors[i][0] = 1
	}
	return vectors, nil
}

func (slowEmbedder) CountTokens(_ context.Context, texts []string) ([]int, error) {
	return make([]int, len(texts)), nil
}

// TestStoredIsReadWhileItsWriteWaitsForVectors with the real tools. A write may
// find the model at work, and then does not wait; so it is tried again.
func TestStoredIsReadWhileItsWriteWaitsForVectors(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := slowEmbedder{make(chan struct{}, 100), make(chan struct{})}
	service := memory.New(db, e, memory.Options{})
	service.Start(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		close(e.finish)
		service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := serve(t.Context(), t, tool.Catalog(service))
	for range 5 {
		c.request(`"write"`, "tools/call", `{"name":"create_entities","arguments":{"entities":[{"name":"Aspen","observations":["a tree"]}]}}`)
		<-e.started
		c.request(`"read"`, "tools/call", `{"name":"open_nodes","arguments":{"names":["Aspen"]}}`)
		first := c.receive()
		if string(first.ID) == `"read"` && first.Result != nil && !first.Result.IsError {
			e.finish <- struct{}{}
			if m := c.receive(); string(m.ID) != `"write"` {
				t.Errorf("answered %s, want the write", m.ID)
			}
			c.close()
			return
		}
		c.receive()
		e.finish <- struct{}{}
		c.request(`"undo"`, "tools/call", `{"name":"delete_entities","arguments":{"entityNames":["Aspen"]}}`)
		c.receive()
	}
	t.Error("a read waits for the vectors of the write before it")
}
