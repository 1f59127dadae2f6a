package tool

import (
	"bytes"
	"encoding/json"
	"fmt"

	"mcp-memory/internal/memory"
)

// wholeEntity is an entity that is shown by itself.
type wholeEntity struct {
	entityOutput
	Relations []relationOutput `json:"relations"`
}

// WholeEntity shows an entity as open_nodes does, as one JSON object with its
// relations.
func WholeEntity(e memory.Entity, relations []memory.Relation) any {
	return wholeEntity{entityOf(e), relationsOf(relations)}
}

// JSON encodes what a tool answers, without the escapes that are for HTML only.
func JSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
