package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/internal/tool"
)

// failure is the object that a call which failed answers with.
type failure struct {
	Error string `json:"error"`
}

type argumentsKey struct{}

// withArguments carries a call's arguments past mcp-go, which would decode
// them several times over.
func withArguments(ctx context.Context, raw json.RawMessage) context.Context {
	return context.WithValue(ctx, argumentsKey{}, raw)
}

// handler runs a tool and makes its answer a result: the same object as
// structured content and as text.
func (s *Server) handler(t tool.Tool) server.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, _ := ctx.Value(argumentsKey{}).(json.RawMessage)
		out, err := s.call(ctx, t, args)
		if err == nil {
			var content []byte
			if content, err = marshal(out); err == nil {
				return resultOf(content, false), nil
			}
		}
		text, known := tool.ErrorText(err)
		if !known {
			s.log.ErrorContext(ctx, "tool failed", "tool", t.Name, "error", err)
		}
		content, err := marshal(failure{Error: text})
		return resultOf(content, true), err
	}
}

// call runs a tool, unless its context has ended while it waited. A panic in it
// is an error like others.
func (s *Server) call(ctx context.Context, t tool.Tool, args json.RawMessage) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.ErrorContext(ctx, "tool panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return t.Call(ctx, args)
}

func resultOf(content []byte, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content:              []mcp.Content{mcp.NewTextContent(string(content))},
		RawStructuredContent: content,
		IsError:              isError,
	}
}
