package modeltest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// place is where in the arguments of a tool a value stands, as a path of which
// [0] is an item of a list after some good ones.
type place struct {
	tool, path string
	values     []any // that must not stand there; missing leaves the key out
	others     map[string]any
}

type missing struct{}

// Values that must not stand for others.
var (
	noText  = []any{5, 2.5, true, map[string]any{"a": 1}, []any{"a"}, "a\x00b"}
	noItem  = append([]any{nil}, noText...) // of a list of texts
	noName  = append([]any{nil, missing{}, ""}, noText...)
	noList  = []any{nil, missing{}, 5, true, map[string]any{"a": 1}}
	noThing = []any{nil, 5, true, "text", []any{}}
	noLimit = []any{0, -1, 2.5, "five", "", true, []any{}, map[string]any{}}
)

func tooLong(n int) any { return strings.Repeat("é", n+1) }

// places are all arguments of all tools.
var places = []place{
	{"create_entities", "entities", append([]any{"text"}, noList...), nil},
	{"create_entities", "entities[0]", noThing, nil},
	{"create_entities", "entities[0].name", append([]any{" \t\u3000", "\u200b\ufeff\u00ad", tooLong(512)}, noName...), nil},
	{"create_entities", "entities[0].entity_name", append([]any{"\u2060", tooLong(512), ""}, noText...), nil},
	{"create_entities", "entities[0].type", append([]any{tooLong(256)}, noText...), map[string]any{"name": "Ana"}},
	{"create_entities", "entities[0].contents[0]", append([]any{""}, noItem...), map[string]any{"name": "Ana"}},
	{"create_entities", "entities[0].entityType", append([]any{tooLong(256)}, noText...), map[string]any{"name": "Ana"}},
	{"create_entities", "entities[0].observations", []any{5, true, map[string]any{"a": 1}}, map[string]any{"name": "Ana"}},
	{"create_entities", "entities[0].observations[0]", append([]any{""}, noItem...), map[string]any{"name": "Ana"}},
	{"create_relations", "relations", append([]any{"text"}, noList...), nil},
	{"create_relations", "relations[0]", noThing, nil},
	{"create_relations", "relations[0].from", noName, map[string]any{"to": "Ana", "relationType": "r"}},
	{"create_relations", "relations[0].target", append([]any{""}, noText...), map[string]any{"from": "Ana", "relationType": "r"}},
	{"create_relations", "relations[0].to", noName, map[string]any{"from": "Ana", "relationType": "r"}},
	{"create_relations", "relations[0].relationType", append([]any{tooLong(256)}, noName...), map[string]any{"from": "Ana", "to": "Bob"}},
	{"add_observations", "name", []any{5, true, "", []any{"a"}, "a\x00"}, map[string]any{"observations": []any{"x"}}},
	{"add_observations", "observations", noList, map[string]any{"name": "Ana"}},
	{"add_observations", "observations[0]", append([]any{""}, noItem...), map[string]any{"name": "Ana"}},
	{"add_observations", "observations[0].entityName", noName, map[string]any{"contents": []any{"x"}}},
	{"add_observations", "observations[0].contents", noList, map[string]any{"entityName": "Ana"}},
	{"add_observations", "observations[0].contents[0]", append([]any{""}, noItem...), map[string]any{"entityName": "Ana"}},
	{"delete_observations", "name", []any{5, true, "", []any{"a"}, "a\x00"}, map[string]any{"observations": []any{"x"}}},
	{"delete_observations", "observations", noList, map[string]any{"name": "Ana"}},
	{"delete_observations", "observations[0]", noItem, map[string]any{"name": "Ana"}},
	{"delete_observations", "deletions[0].entityName", noName, map[string]any{"observations": []any{"x"}}},
	{"delete_observations", "deletions[0].observations", noList, map[string]any{"entityName": "Ana"}},
	{"delete_observations", "deletions[0].observations[0]", noItem, map[string]any{"entityName": "Ana"}},
	{"delete_entities", "entityNames", noList, nil},
	{"delete_entities", "entityNames[0]", append([]any{""}, noItem...), nil},
	{"delete_relations", "relations", append([]any{"text"}, noList...), nil},
	{"delete_relations", "relations[0]", noThing, nil},
	{"delete_relations", "relations[0].from", noName, map[string]any{"to": "Ana", "relationType": "r"}},
	{"delete_relations", "relations[0].to", noName, map[string]any{"from": "Ana", "relationType": "r"}},
	{"delete_relations", "relations[0].relationType", append([]any{nil, missing{}}, noText...), map[string]any{"from": "Ana", "to": "Bob"}},
	{"open_nodes", "names", noList, nil},
	{"open_nodes", "names[0]", append([]any{""}, noItem...), nil},
	{"search_nodes", "query", append([]any{nil, missing{}}, noText...), nil},
	{"search_nodes", "limit", noLimit, map[string]any{"query": "a"}},
	{"search_nodes", "offset", noLimit[1:], map[string]any{"query": "a"}},
	{"search_semantic", "query", append([]any{nil, missing{}}, noText...), nil},
	{"search_semantic", "limit", noLimit, map[string]any{"query": "a"}},
	{"search_semantic", "top_k", noLimit, map[string]any{"query": "a"}},
	{"search_semantic", "since", []any{"yesterday", 5, "2026-02-30"}, map[string]any{"query": "a"}},
	{"search_semantic", "explain", []any{"maybe", 5, []any{}}, map[string]any{"query": "a"}},
	{"read_graph", "limit", noLimit, nil},
	{"read_graph", "offset", noLimit[1:], nil},
	{"read_graph", "maxCharacters", noLimit, nil},
	{"migrate", "source_path", append([]any{"", "no/such/file", "."}, noText...), nil},
}

// good are items that may stand before a bad one, by path of their list.
var good = map[string]any{
	"entities":                  map[string]any{"name": "Ana", "observations": []any{"never stored"}},
	"relations":                 map[string]any{"from": "Ana", "to": "Ana", "relationType": "never stored"},
	"observations[].entityName": map[string]any{"entityName": "Ana", "contents": []any{"never stored"}},
	"deletions":                 map[string]any{"entityName": "Ana", "observations": []any{"fact 1"}},
}

// invalid draws a call with something that must be refused, by its path, and
// nothing changed.
func (w *world) invalid(t *rapid.T) step {
	p := rapid.SampledFrom(places).Draw(t, "place")
	value := rapid.SampledFrom(p.values).Draw(t, "value")
	before := rapid.IntRange(0, 2).Draw(t, "good ones before")
	args, path := p.arguments(value, before)
	return step{call: call{p.tool, arguments(t, args)}, err: func(text string) error {
		want := fmt.Sprintf(`{"error":"%s`, path)
		if rest, ok := strings.CutPrefix(text, want); !ok || !strings.HasPrefix(rest, ": ") && !strings.HasPrefix(rest, " is required") {
			return fmt.Errorf("answered %s\nwant     %s: …", shorten(text), want)
		}
		return nil
	}}
}

// arguments puts a value into its place, the innermost list with so many good
// items before it, and returns its path.
func (p place) arguments(value any, before int) (args map[string]any, path string) {
	keys := strings.Split(p.path, ".")
	inner := value
	for i, key := range slices.Backward(keys) {
		key, isList := strings.CutSuffix(key, "[0]")
		if isList {
			list := []any{}
			for range before {
				list = append(list, p.goodItem(key, keys[i+1:]))
			}
			inner = append(list, inner)
			path = fmt.Sprintf("%s[%d]", key, before) + path
		} else {
			path = key + path
		}
		if i > 0 {
			path = "." + path
		}
		fields := map[string]any{key: inner}
		if i == len(keys)-1 {
			if _, leftOut := inner.(missing); leftOut {
				delete(fields, key)
			}
			maps.Copy(fields, p.others)
		}
		inner = fields
	}
	return inner.(map[string]any), path
}

// goodItem is an item of the list under key, of which others have these keys.
func (p place) goodItem(key string, inner []string) any {
	switch {
	case key == "observations" && len(inner) > 0:
		return good["observations[].entityName"]
	case good[key] != nil && (len(inner) > 0 || key != "observations"):
		return good[key]
	}
	return "fact 1"
}
