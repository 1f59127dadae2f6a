package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/invopop/jsonschema"

	"mcp-memory/internal/tool"
)

// definition is a tool as tools/list shows it.
type definition struct {
	Name         string             `json:"name"`
	Title        string             `json:"title"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema *jsonschema.Schema `json:"outputSchema"`
	Annotations  annotations        `json:"annotations"`
	Meta         map[string]any     `json:"_meta,omitempty"`
}

type annotations struct {
	ReadOnlyHint    bool `json:"readOnlyHint"`
	DestructiveHint bool `json:"destructiveHint"`
	IdempotentHint  bool `json:"idempotentHint"`
	OpenWorldHint   bool `json:"openWorldHint"`
}

// maxResultKey tells clients that know it how long a reply may be, in
// characters, before they file it away.
const maxResultKey = "anthropic/maxResultSizeChars"

// alwaysLoadKey asks clients that know it to show a tool's definition to their model
// at once, where they would show its name until it is asked for.
const alwaysLoadKey = "anthropic/alwaysLoad"

// writeTools writes the definition of each tool below the folder out.
func writeTools(out string) error {
	folder := filepath.Join(out, "gen", "schemas")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	current := map[string]bool{}
	for _, t := range tool.Catalog(nil) {
		content, err := encode(define(t))
		if err != nil {
			return fmt.Errorf("encoding the definition of %s: %w", t.Name, err)
		}
		file := filepath.Join(folder, t.Name+".json")
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
		current[file] = true
	}
	return removeOthers(folder, current)
}

// removeOthers removes definitions of tools that are no more.
func removeOthers(folder string, current map[string]bool) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if !current[file] {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

func define(t tool.Tool) definition {
	d := definition{
		Name:         t.Name,
		Title:        t.Title,
		Description:  t.Description,
		InputSchema:  schemaOf(t.Input),
		OutputSchema: schemaOf(t.Output),
		Annotations: annotations{
			ReadOnlyHint:    t.ReadOnly,
			DestructiveHint: t.Destructive,
			IdempotentHint:  t.Idempotent,
		},
	}
	giveListDefaults(d.InputSchema)
	admitErrors(d.OutputSchema)
	d.Meta = meta(t)
	return d
}

// meta is what clients of some kinds want to know beside; nil if there is nothing.
func meta(t tool.Tool) map[string]any {
	if t.MaxResult == 0 && !t.Everyday {
		return nil
	}
	m := map[string]any{}
	if t.MaxResult > 0 {
		m[maxResultKey] = t.MaxResult
	}
	if t.Everyday {
		m[alwaysLoadKey] = true
	}
	return m
}

// schemaOf reflects a struct into a schema that all clients accept: in one
// piece, without references.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, AllowAdditionalProperties: true}
	s := r.ReflectFromType(t)
	s.Version = ""
	return s
}

// giveListDefaults announces the empty list as the default of lists that may
// be left out, for which the reflector has no tag.
func giveListDefaults(s *jsonschema.Schema) {
	if s == nil || s.Properties == nil {
		return
	}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Type == "array" && !required[p.Key] {
			p.Value.Default = []any{}
		}
		giveListDefaults(p.Value.Items)
		giveListDefaults(p.Value)
	}
}

// admitErrors makes room for the result of a call that failed, which some
// clients check too: then there is an error and nothing else.
func admitErrors(s *jsonschema.Schema) {
	s.Required = nil
	s.Properties.Set("error", &jsonschema.Schema{Type: "string", Description: "Why the call failed"})
}

func encode(d definition) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}
