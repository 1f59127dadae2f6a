package httpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// noModel is an embedder without a model.
type noModel struct{}

func (noModel) Ready() bool                { return false }
func (noModel) Warm()                      {}
func (noModel) Load(context.Context) error { return memory.ErrNoModel }
func (noModel) ModelID() string            { return "" }
func (noModel) Embed(context.Context, memory.Kind, []string) ([][]float32, error) {
	return nil, memory.ErrNoModel
}

func (noModel) CountTokens(context.Context, []string) ([]int, error) { return nil, memory.ErrNoModel }

// TestManyClients of three kinds write, read and search at once. Each reads what
// it has written, and in the end all is there and the database is sound.
func TestManyClients(t *testing.T) {
	const clients, entities = 12, 8 // each
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := memory.New(db, noModel{}, memory.Options{})
	service.Start(context.WithoutCancel(t.Context()))
	s := run(t, service, tool.Catalog(service))

	kinds := []func(t *testing.T, s *site) (call caller, end func()){mcpGo, withSession, withoutSession}
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			call, end := kinds[i%len(kinds)](t, s)
			defer end()
			for j := range entities {
				name := fmt.Sprintf("client %d thing %d", i, j)
				call("create_entities", map[string]any{"entities": []any{map[string]any{"name": name, "observations": []string{"likes zebras"}}}})
				call("add_observations", map[string]any{"name": name, "observations": []string{"number " + name}})
				if j > 0 {
					call("create_relations", map[string]any{"relations": []any{map[string]any{"from": name, "to": fmt.Sprintf("client %d thing %d", i, j-1), "relationType": "follows"}}})
				}
				if got := call("open_nodes", map[string]any{"names": []string{name}}); !strings.Contains(got, `["likes zebras","number `+name+`"]`) {
					t.Errorf("what was written is read as %s", got)
				}
				if got := call("search_nodes", map[string]any{"query": "number " + name}); !strings.Contains(got, `"name":"`+name+`"`) {
					t.Errorf("what was written is found as %s", got)
				}
			}
		})
	}
	all.Wait()

	counts, err := service.Count(t.Context())
	want := memory.Counts{Entities: clients * entities, Observations: 2 * clients * entities, Relations: clients * (entities - 1), Waiting: counts.Waiting}
	if err != nil || counts != want {
		t.Errorf("the memory has %+v, %v; want %+v", counts, err, want)
	}
	s.end()
	service.Close()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	report, err := sqlite.Verify(t.Context(), path)
	if err != nil || !report.OK() {
		t.Errorf("afterwards the database is %+v, %v", report, err)
	}
}

// caller calls a tool, and returns its answer as JSON.
type caller func(name string, arguments map[string]any) string

// mcpGo is mcp-go's own client.
func mcpGo(t *testing.T, s *site) (call caller, end func()) {
	c, err := client.NewStreamableHttpClient(s.url + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.ProtocolVersion20251125, ClientInfo: mcp.Implementation{Name: "test", Version: "1"},
	}}); err != nil {
		t.Error(err)
	}
	return func(name string, arguments map[string]any) string {
		result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: arguments}})
		if err != nil || result.IsError {
			t.Errorf("%s: %+v, %v", name, result, err)
			return ""
		}
		return string(result.RawStructuredContent)
	}, func() { c.Close() }
}

func withSession(t *testing.T, s *site) (call caller, end func()) {
	header := s.session()
	return raw(t, s, nil, func(string) []string { return nil }, header), func() { s.do(http.MethodDelete, "/mcp", "", header...) }
}

func withoutSession(t *testing.T, s *site) (call caller, end func()) {
	return raw(t, s, map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}, func(name string) []string {
		return []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name}
	}, nil), func() {}
}

func raw(t *testing.T, s *site, meta map[string]any, headerOf func(name string) []string, header []string) caller {
	return func(name string, arguments map[string]any) string {
		params := map[string]any{"name": name, "arguments": arguments}
		if meta != nil {
			params["_meta"] = meta
		}
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
		if err != nil {
			t.Error(err)
		}
		w, answer := s.do(http.MethodPost, "/mcp", string(body), append(headerOf(name), header...)...)
		var reply struct {
			Result struct {
				StructuredContent json.RawMessage
				IsError           bool
			}
		}
		if err := json.Unmarshal([]byte(answer), &reply); err != nil || w.status != http.StatusOK || reply.Result.IsError {
			t.Errorf("%s was answered %d %s", name, w.status, answer)
		}
		return string(reply.Result.StructuredContent)
	}
}
