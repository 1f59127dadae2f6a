package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/internal/tool"
)

// failure is the object that a call which failed answers with.
type failure struct {
	Error string `json:"error"`
}

// Call is a call of a tool that has ended.
type Call struct {
	Tool    string
	Outcome Outcome
	Took    time.Duration
}

// Outcome is how a call ended.
type Outcome string

// The outcomes of calls.
const (
	Done      Outcome = "done"
	Refused   Outcome = "refused" // for a reason that the caller is told
	Failed    Outcome = "failed"  // for a reason that only the log has
	Cancelled Outcome = "cancelled"
)

func outcomeOf(err error) Outcome {
	switch _, known := tool.ErrorText(err); {
	case err == nil:
		return Done
	case errors.Is(err, context.Canceled):
		return Cancelled
	case known:
		return Refused
	}
	return Failed
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
		began := time.Now()
		out, err := s.call(ctx, t, args)
		s.observe(Call{t.Name, outcomeOf(err), time.Since(began)})
		if err == nil {
			var content []byte
			if content, err = tool.JSON(out); err == nil {
				return resultOf(content, false), nil
			}
		}
		text, known := tool.ErrorText(err)
		if !known {
			s.log.ErrorContext(ctx, "tool failed", "tool", t.Name, "error", err)
		}
		content, err := tool.JSON(failure{Error: text})
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
