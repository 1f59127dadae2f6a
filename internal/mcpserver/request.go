package mcpserver

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// ask lets mcp-go answer, which may have something to say before.
func (c *connection) ask(ctx context.Context, m message, params json.RawMessage) json.RawMessage {
	reply := c.server.ask(ctx, m, params)
	if m.method != string(mcp.MethodToolsCall) {
		tell(c.session.notifications, c.out)
	}
	return reply
}

// ask lets mcp-go answer a request with these parameters, and returns the
// answer under the very id that was sent.
func (s *Server) ask(ctx context.Context, m message, params json.RawMessage) (reply json.RawMessage) {
	defer s.recovered(ctx, m, &reply)
	result := s.mcp.HandleMessage(ctx, m.with(withObjects(params)))
	if a := askedOf(ctx); a != nil && a.refused != nil {
		return detailedErrorReply(m.id, *a.refused)
	}
	switch answer := result.(type) {
	case mcp.JSONRPCResponse:
		return resultReply(m.id, answer.Result)
	case mcp.JSONRPCError:
		if speaksGo(answer.Error) {
			return errorReply(m.id, mcp.INVALID_PARAMS, "invalid params for "+m.method)
		}
		return detailedErrorReply(m.id, answer.Error)
	default:
		return errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
	}
}

// recovered, deferred, makes a panic an error like others.
func (s *Server) recovered(ctx context.Context, m message, reply *json.RawMessage) {
	if p := recover(); p != nil {
		s.log.ErrorContext(ctx, "request panicked", "method", m.method, "panic", p, "stack", string(debug.Stack()))
		*reply = errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
	}
}

// speaksGo reports whether an error tells of mcp-go's decoding rather than of
// the request.
func speaksGo(e mcp.JSONRPCErrorDetails) bool {
	return e.Code == mcp.INVALID_REQUEST || e.Code == mcp.PARSE_ERROR || strings.Contains(e.Message, "base64")
}
