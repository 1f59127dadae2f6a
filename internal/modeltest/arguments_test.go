package modeltest_test

import (
	"bytes"
	"encoding/json"
	"strings"

	"pgregory.net/rapid"
)

// arguments encodes the arguments of a call, in one of the forms that clients
// send.
func arguments(t *rapid.T, fields map[string]any) json.RawMessage {
	form := rapid.IntRange(0, 9).Draw(t, "form")
	if form == 0 {
		fields["unknown"] = map[string]any{"name": 5}
	}
	encoded := []byte(encode(fields))
	encoded = bytes.ReplaceAll(encoded, []byte("\uFFFD"), []byte(`\ud83d`)) // a lone surrogate
	if form == 1 {
		encoded = []byte(encode(string(encoded)))
		encoded = bytes.ReplaceAll(encoded, []byte("\u2028"), []byte(`\u2028`))
	}
	return encoded
}

// listed gives a list argument as itself or in a string.
func listed(t *rapid.T, list any) any {
	if rapid.IntRange(0, 9).Draw(t, "list in a string") == 0 {
		return encode(list)
	}
	return list
}

// texts gives a list of texts, which may also be one text.
func texts(t *rapid.T, list []string) any {
	if len(list) == 1 && !strings.HasPrefix(strings.TrimSpace(list[0]), "[") && rapid.Bool().Draw(t, "text for a list") {
		return list[0]
	}
	return listed(t, list)
}

func (it item) argument(t *rapid.T) map[string]any {
	fields := map[string]any{"name": it.name}
	null := rapid.Bool().Draw(t, "null")
	switch {
	case it.kind != nil:
		fields["entityType"] = *it.kind
	case null:
		fields["entityType"] = nil
	}
	switch {
	case len(it.observations) > 0:
		fields["observations"] = texts(t, it.observations)
	case null:
		fields["observations"] = nil
	}
	return fields
}

func (l link) argument(t *rapid.T) map[string]any {
	fields := map[string]any{"from": l.From, "to": l.To, "relationType": l.Kind}
	switch rapid.IntRange(0, 3).Draw(t, "keys of the ends") {
	case 0:
		return map[string]any{"from_entity": l.From, "to_entity": l.To, "relationType": l.Kind}
	case 1:
		fields["from_entity"], fields["to_entity"] = "another", nil
	}
	return fields
}
