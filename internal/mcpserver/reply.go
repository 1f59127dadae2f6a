package mcpserver

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/tool"
)

// response answers a request, under its id as it came.
type response struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id"`
	Result  any                      `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

// toolResult is mcp.CallToolResult with its members in the order in which
// people read them, and without the escapes that are for HTML only.
type toolResult struct {
	Meta              *mcp.Meta       `json:"_meta,omitempty"`
	ResultType        mcp.ResultType  `json:"resultType,omitempty"`
	Content           []mcp.Content   `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
}

func resultReply(id json.RawMessage, result any) json.RawMessage {
	if r, ok := result.(*mcp.CallToolResult); ok {
		result = toolResult{r.Meta, r.ResultType, r.Content, r.RawStructuredContent, r.IsError}
	}
	return encode(response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: result})
}

// errorReply answers with an error. Without an id it is null, as JSON-RPC has it.
func errorReply(id json.RawMessage, code int, text string) json.RawMessage {
	return detailedErrorReply(id, mcp.NewJSONRPCErrorDetails(code, text, nil))
}

func detailedErrorReply(id json.RawMessage, details mcp.JSONRPCErrorDetails) json.RawMessage {
	if id == nil {
		id = json.RawMessage("null")
	}
	return encode(response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: &details})
}

// encode encodes a message, which always can be.
func encode(message any) json.RawMessage {
	encoded, err := tool.JSON(message)
	if err != nil {
		return json.RawMessage(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return encoded
}
