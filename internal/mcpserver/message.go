package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/tool/arguments"
)

// message is a JSON-RPC message as far as its way depends on it.
type message struct {
	id      json.RawMessage // as it came; nil for a notification
	method  string
	params  json.RawMessage // nil, null or an object
	isReply bool            // the client answers a request of the server's
	silent  bool            // it has a method and no id: it is never answered, not even if it is refused
}

// protocolError is a request that cannot be carried out by the rules of
// JSON-RPC or of the protocol.
type protocolError struct {
	code int
	text string
}

// Error implements error.
func (e *protocolError) Error() string { return e.text }

func refuse(code int, format string, args ...any) *protocolError {
	return &protocolError{code: code, text: fmt.Sprintf(format, args...)}
}

// parse reads a message. One that is refused has the id to answer under, if it
// has any.
func parse(raw json.RawMessage) (message, *protocolError) {
	var m message
	if !json.Valid(raw) {
		return m, refuse(mcp.PARSE_ERROR, "not valid JSON")
	}
	fields := members(raw)
	if fields == nil {
		return m, refuse(mcp.INVALID_REQUEST, "a message must be a JSON object")
	}
	id, hasID := fields["id"]
	if !utf8.Valid(id) { // it could not be sent back in JSON, nor its request be told apart
		return m, refuse(mcp.PARSE_ERROR, "not valid JSON, as id is not UTF-8")
	}
	if hasID && isID(id) {
		m.id = id
	}
	m.method = text(fields["method"])
	m.silent = !hasID && m.method != ""
	if m.id != nil && !isFinite(m.id) {
		return m, refuse(mcp.INVALID_REQUEST, "id must be a number of at most 1.8e308, or a string")
	}
	if text(fields["jsonrpc"]) != mcp.JSONRPC_VERSION {
		return m, refuse(mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`)
	}
	if m.method == "" {
		m.isReply = fields["result"] != nil || fields["error"] != nil
		if m.isReply {
			return m, nil
		}
		return m, refuse(mcp.INVALID_REQUEST, "method must be a string")
	}
	if hasID && m.id == nil {
		return m, refuse(mcp.INVALID_REQUEST, "id must be a string or a number")
	}
	m.params = fields["params"]
	switch {
	case len(m.params) == 0 || m.params[0] == '{' || isNull(m.params):
	case arguments.IsNothing(m.params):
		m.params = json.RawMessage("{}")
	default:
		return m, refuse(mcp.INVALID_PARAMS, "params must be an object")
	}
	return m, nil
}

// with encodes the message with these parameters and nothing that mcp-go could
// take for another field: it does not tell upper from lower case.
func (m message) with(params json.RawMessage) json.RawMessage {
	fields := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": m.id, "method": m.method}
	if len(params) > 0 {
		fields["params"] = params
	}
	return encode(fields)
}

func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// isFinite reports whether an id is no number beyond those that programs know.
func isFinite(id json.RawMessage) bool {
	_, err := strconv.ParseFloat(string(id), 64)
	return id[0] == '"' || err == nil
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(raw, []byte("null")) }

// text returns what a JSON string says, or "" for anything else.
func text(raw json.RawMessage) (s string) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// key makes ids comparable: two spellings of a string are one id.
func key(id json.RawMessage) string {
	if len(id) > 0 && id[0] == '"' {
		return `"` + text(id)
	}
	return string(id)
}
