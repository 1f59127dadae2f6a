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

// key gives the name of a field, or one that other servers have for it.
func key(t *rapid.T, name string, others ...string) string {
	if rapid.IntRange(0, 4).Draw(t, "another name") > 0 {
		return name
	}
	return rapid.SampledFrom(others).Draw(t, "name of the field")
}

// put puts a value under the name of a field or under another, and sometimes another
// value, which does not count, under the other.
func put(t *rapid.T, fields map[string]any, value any, name string, others ...string) {
	k := key(t, name, others...)
	fields[k] = value
	if k == name && rapid.IntRange(0, 9).Draw(t, "beside it") == 0 {
		fields[others[0]] = "another"
	}
}

func (it item) argument(t *rapid.T) map[string]any {
	fields := map[string]any{}
	put(t, fields, it.name, "name", "entityName", "entity_name")
	null := rapid.Bool().Draw(t, "null")
	switch {
	case it.kind != nil:
		put(t, fields, *it.kind, "entityType", "entity_type", "type")
	case null:
		fields["entityType"] = nil
	}
	switch {
	case len(it.observations) > 0:
		put(t, fields, texts(t, it.observations), "observations", "contents", "content", "facts")
	case null:
		fields["observations"] = nil
	}
	return fields
}

func (l link) argument(t *rapid.T) map[string]any {
	fields := map[string]any{}
	put(t, fields, l.From, "from", "from_entity", "source")
	put(t, fields, l.To, "to", "to_entity", "target")
	put(t, fields, l.Kind, "relationType", "relation_type", "type")
	return fields
}
