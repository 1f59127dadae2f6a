package mcpserver

import (
	"bytes"
	"encoding/json"

	"mcp-memory/internal/tool/arguments"
)

// byteOrderMark is what some programs begin their output with.
var byteOrderMark = []byte("\uFEFF")

// trimmed is a message without blanks around it and without a byte order mark.
func trimmed(raw []byte) json.RawMessage {
	return bytes.TrimSpace(bytes.TrimPrefix(raw, byteOrderMark))
}

// objectFields are the parameters in which mcp-go wants objects, with how deep there
// are others in them. Clients in languages that do not tell empty lists from empty
// objects send lists.
var objectFields = map[string]int{"_meta": 0, "capabilities": 2}

// withObjects puts {} for [] where an object is due.
func withObjects(params json.RawMessage) json.RawMessage {
	fields := members(params)
	changed := false
	for name, depth := range objectFields {
		if mended := asObject(fields[name], depth); !bytes.Equal(mended, fields[name]) {
			fields[name], changed = mended, true
		}
	}
	if !changed {
		return params
	}
	return encode(fields)
}

// asObject puts {} for an empty list, and, as deep as is said, for those in an object.
func asObject(raw json.RawMessage, depth int) json.RawMessage {
	switch {
	case len(raw) > 0 && raw[0] == '[' && arguments.IsNothing(raw):
		return json.RawMessage("{}")
	case depth == 0 || len(raw) == 0 || raw[0] != '{':
		return raw
	}
	fields := members(raw)
	for name, value := range fields {
		fields[name] = asObject(value, depth-1)
	}
	return encode(fields)
}
