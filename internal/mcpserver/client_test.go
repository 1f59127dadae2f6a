package mcpserver_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/mcpserver"
)

// TestRealClient has mcp-go's own client talk to the server.
func TestRealClient(t *testing.T) {
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcpserver.New("1.2.3", fakes(), slog.New(slog.DiscardHandler)).ServeStdio(t.Context(), serverIn, serverOut)
		serverOut.Close()
	}()
	c := mcpclient.NewClient(transport.NewIO(clientIn, clientOut, io.NopCloser(strings.NewReader(""))))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	hello, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.ProtocolVersion20251125,
		ClientInfo:      mcp.Implementation{Name: "test", Version: "1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if hello.ServerInfo.Name != "memory" || hello.ServerInfo.Version != "1.2.3" || !strings.Contains(hello.Instructions, "search_semantic") {
		t.Errorf("the server says of itself %+v", hello)
	}
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(fakes()) || list.Tools[0].InputSchema.Type != "object" {
		t.Errorf("tools are %+v", list.Tools)
	}
	result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: "create_entities", Arguments: map[string]any{"entities": []any{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(result.RawStructuredContent); result.IsError || got != `{"args":{"entities":[]}}` {
		t.Errorf("the call was answered %s", got)
	}
	failed, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "delete_entities"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := failed.Content[0].(mcp.TextContent); !ok || !failed.IsError || got.Text != `{"error":"entityNames[2]: must not be empty"}` {
		t.Errorf("the call was answered %+v", failed)
	}
	if _, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "no_such_tool"}}); err == nil {
		t.Error("a tool that does not exist was called")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	clientOut.Close()
	if err := <-ended; err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
}
