package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-memory/internal/tool"
	"mcp-memory/internal/tool/arguments"
)

func TestToolsAreCurrent(t *testing.T) {
	out := t.TempDir()
	stale := filepath.Join(out, "gen", "schemas", "forgotten.json")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeTools(out); err != nil {
		t.Fatal(err)
	}
	want := readSchemas(t, out)
	if len(want) != len(tool.Catalog(nil)) {
		t.Errorf("%d files for %d tools", len(want), len(tool.Catalog(nil)))
	}
	if diff := cmp.Diff(want, readSchemas(t, filepath.Join("..", ".."))); diff != "" {
		t.Errorf("gen/schemas is out of date, run make generate (-want +got):\n%s", diff)
	}
}

func readSchemas(t *testing.T, root string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "gen", "schemas", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contents[filepath.Base(file)] = string(content)
	}
	return contents
}

// TestDefinitionsSuitClients holds the definitions to what all known clients
// and model providers take.
func TestDefinitionsSuitClients(t *testing.T) {
	for _, tl := range tool.Catalog(nil) {
		d := define(tl)
		if !regexp.MustCompile(`^[a-z_]{1,40}$`).MatchString(d.Name) {
			t.Errorf("name %q", d.Name)
		}
		if d.Title == "" || d.Description == "" {
			t.Errorf("%s has no title or no description", d.Name)
		}
		for kind, schema := range map[string]any{"input": plain(t, d.InputSchema), "output": plain(t, d.OutputSchema)} {
			at := d.Name + " " + kind
			checkNode(t, at, schema)
			top := schema.(map[string]any)
			if top["type"] != "object" {
				t.Errorf("%s has the type %v", at, top["type"])
			}
			if kind == "output" && top["required"] != nil {
				t.Errorf("%s requires %v, which an error does not have", at, top["required"])
			}
		}
		reads := map[string]bool{"read_graph": true, "search_nodes": true, "open_nodes": true, "search_semantic": true}
		want := annotations{
			ReadOnlyHint:    reads[d.Name],
			DestructiveHint: strings.HasPrefix(d.Name, "delete_"),
			IdempotentHint:  true,
		}
		if d.Annotations != want {
			t.Errorf("%s has the annotations %+v, want %+v", d.Name, d.Annotations, want)
		}
	}
}

// checkNode checks a schema and all schemas in it.
func checkNode(t *testing.T, at string, node any) {
	t.Helper()
	schema := node.(map[string]any)
	for keyword := range schema {
		switch keyword {
		case "type", "properties", "items", "required", "description", "default", "minLength":
		default:
			t.Errorf("%s uses %s", at, keyword)
		}
	}
	if kind, ok := schema["type"].(string); !ok || kind == "" {
		t.Errorf("%s has the type %v", at, schema["type"])
	}
	if schema["type"] == "array" {
		checkNode(t, at+"[]", schema["items"])
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		checkNode(t, at+"."+name, property)
		if property.(map[string]any)["description"] == nil {
			t.Errorf("%s.%s has no description", at, name)
		}
	}
}

// TestSchemasAgreeWithDecoder breaks a valid call in every place and way. What
// the schema takes must be decoded; what it does not take must be refused, save
// for what is taken leniently.
func TestSchemasAgreeWithDecoder(t *testing.T) {
	for _, tl := range tool.Catalog(nil) {
		t.Run(tl.Name, func(t *testing.T) {
			schema := plain(t, define(tl).InputSchema)
			compiled := compile(t, schema)
			try := func(args any, lenient bool) {
				raw, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				allowed := compiled.Validate(args) == nil
				err = arguments.Decode(raw, reflect.New(tl.Input).Interface())
				if allowed && err != nil {
					t.Errorf("%s: the schema allows it, but: %v", raw, err)
				}
				if !allowed && !lenient && err == nil {
					t.Errorf("%s: the schema forbids it, but it was taken", raw)
				}
			}
			try(example(schema), false)
			tried := 0
			// Arguments may be null, or an empty list or string, where none is required.
			required := schema.(map[string]any)["required"] != nil
			breakAll(schema, example(schema), required, func(broken any, lenient bool) {
				tried++
				try(broken, lenient)
			})
			if tried == 0 {
				t.Error("nothing to break")
			}
		})
	}
}

// example is a value that a schema allows, with all properties.
func example(node any) any {
	schema := node.(map[string]any)
	switch schema["type"] {
	case "object":
		object := map[string]any{}
		for name, property := range schema["properties"].(map[string]any) {
			object[name] = example(property)
		}
		return object
	case "array":
		return []any{example(schema["items"]), example(schema["items"])}
	case "integer":
		return 5
	default:
		return "text"
	}
}

// breakAll calls try with value once for every place and everything that could
// stand there instead. It tells whether that is wrong but taken leniently.
func breakAll(node, value any, required bool, try func(broken any, lenient bool)) {
	schema := node.(map[string]any)
	for _, other := range []any{nil, true, 5, 2.5, "other", "", []any{}, []any{1}, map[string]any{}} {
		_, isText := other.(string)
		items, _ := schema["items"].(map[string]any)
		list, isList := other.([]any)
		isNothing := other == nil || schema["type"] == "object" && (other == "" || isList && len(list) == 0)
		try(other, isNothing && !required || isText && items != nil && items["type"] == "string")
	}
	switch value := value.(type) {
	case []any:
		for i := range value {
			breakAll(schema["items"], value[i], true, func(broken any, lenient bool) {
				changed := append([]any{}, value...)
				changed[i] = broken
				try(changed, lenient)
			})
		}
	case map[string]any:
		needed := map[string]bool{}
		names, _ := schema["required"].([]any)
		for _, name := range names {
			needed[name.(string)] = true
		}
		for name, property := range schema["properties"].(map[string]any) {
			changed := func(v any, present bool) map[string]any {
				object := map[string]any{"unknown": 1}
				for key := range value {
					object[key] = value[key]
				}
				delete(object, name)
				if present {
					object[name] = v
				}
				return object
			}
			try(changed(nil, false), false)
			breakAll(property, value[name], needed[name], func(broken any, lenient bool) {
				try(changed(broken, true), lenient)
			})
		}
	}
}

// TestDefaultsAreAsAnnounced decodes what has only the required properties.
func TestDefaultsAreAsAnnounced(t *testing.T) {
	for _, tl := range tool.Catalog(nil) {
		schema := plain(t, define(tl).InputSchema)
		raw, err := json.Marshal(minimal(schema))
		if err != nil {
			t.Fatal(err)
		}
		in := reflect.New(tl.Input)
		if err := arguments.Decode(raw, in.Interface()); err != nil {
			t.Errorf("%s: %s is refused: %v", tl.Name, raw, err)
			continue
		}
		checkDefaults(t, tl.Name, schema, in.Elem())
	}
}

// minimal is an object, or list of one, with the required properties only.
func minimal(node any) any {
	schema := node.(map[string]any)
	switch schema["type"] {
	case "object":
		object := map[string]any{}
		names, _ := schema["required"].([]any)
		for _, name := range names {
			object[name.(string)] = minimal(schema["properties"].(map[string]any)[name.(string)])
		}
		return object
	case "array":
		return []any{minimal(schema["items"])}
	default:
		return example(node)
	}
}

// checkDefaults compares the fields of a decoded struct with the defaults that
// its schema announces.
func checkDefaults(t *testing.T, at string, node any, v reflect.Value) {
	t.Helper()
	properties := node.(map[string]any)["properties"].(map[string]any)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		property := properties[name].(map[string]any)
		field := v.Field(i)
		want, announced := property["default"]
		switch {
		case !announced && field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			checkDefaults(t, at+"."+name, property["items"], field.Index(0))
		case announced && field.Kind() == reflect.Pointer:
			// A default that is for new entities only: the domain gives it.
			if !field.IsNil() {
				t.Errorf("%s.%s is %v, want it to be left open", at, name, field.Elem())
			}
		case announced:
			if diff := cmp.Diff(want, plain(t, field.Interface())); diff != "" {
				t.Errorf("%s.%s is not the default (-announced +decoded):\n%s", at, name, diff)
			}
		}
	}
}

// TestErrorsFitOutputSchemas is for clients that check failures as well.
func TestErrorsFitOutputSchemas(t *testing.T) {
	for _, tl := range tool.Catalog(nil) {
		schema := compile(t, plain(t, define(tl).OutputSchema))
		if err := schema.Validate(map[string]any{"error": "Entity not found: A"}); err != nil {
			t.Errorf("%s: %v", tl.Name, err)
		}
		if schema.Validate(map[string]any{"error": 5.0}) == nil {
			t.Errorf("%s allows an error that is a number", tl.Name)
		}
	}
}

// TestRepliesFitOutputSchemas checks what the output structs marshal to, full
// and with nothing that may be left out.
func TestRepliesFitOutputSchemas(t *testing.T) {
	for _, tl := range tool.Catalog(nil) {
		schema := compile(t, plain(t, define(tl).OutputSchema))
		for _, items := range []int{0, 2} {
			out := reflect.New(tl.Output)
			fill(out.Elem(), items)
			reply := plain(t, out.Interface())
			if err := schema.Validate(reply); err != nil {
				t.Errorf("%s answers %v: %v", tl.Name, reply, err)
			}
			if members := schema.Properties; items > 0 && len(reply.(map[string]any)) != len(members)-1 {
				t.Errorf("%s answers %v, and announces %d members and an error", tl.Name, reply, len(members)-1)
			}
		}
	}
}

// fill gives each list that many items, and if there are any every other field
// a value too.
func fill(v reflect.Value, items int) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, items)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), items, items))
		for i := range items {
			fill(v.Index(i), items)
		}
	case reflect.Pointer:
		if items > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), items)
		}
	case reflect.String:
		v.SetString("text"[:min(items*2, 4)])
	case reflect.Int:
		v.SetInt(int64(items))
	case reflect.Bool:
		v.SetBool(items > 0)
	case reflect.Float64:
		v.SetFloat(float64(items) / 2)
	default:
		panic("no value for " + v.Type().String())
	}
}

func compile(t *testing.T, schema any) *validator.Schema {
	t.Helper()
	c := validator.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// plain turns a value into what its JSON decodes to.
func plain(t *testing.T, v any) (decoded any) {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(encoded)).Decode(&decoded); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", encoded, err))
	}
	return decoded
}
