package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool/arguments"
)

// changeObservations adds or deletes observations of entities.
type changeObservations func(context.Context, []memory.ObservationSet) ([]memory.ObservationResult, error)

// isOfficialForm reports whether arguments are in the form of the official
// memory server: a list of objects under one of keys, and no name beside it.
func isOfficialForm(args json.RawMessage, keys ...string) bool {
	if arguments.Has(args, "name", "entityName", "entity_name") {
		return false
	}
	value := arguments.Value(args, keys...)
	var inString string
	if json.Unmarshal(value, &inString) == nil {
		value = json.RawMessage(inString)
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || items == nil {
		return false
	}
	for _, item := range items {
		var fields map[string]json.RawMessage
		if json.Unmarshal(item, &fields) == nil && fields != nil {
			return true
		}
	}
	return len(items) == 0
}

// decodeFlat decodes the announced form. Its error also spells out the official
// one, with contents under inner in the items of outer, to those who meant it.
func decodeFlat(args json.RawMessage, in any, inner, outer string) error {
	err := arguments.Decode(args, in)
	if problems, ok := errors.AsType[*arguments.Problems](err); ok && !arguments.Has(args, "name") {
		problems.Hint = fmt.Sprintf(
			"expected {name, observations: [text, …]} or {%s: [{entityName, %s: [text, …]}, …]}", outer, inner)
	}
	return err
}
