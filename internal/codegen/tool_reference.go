package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/invopop/jsonschema"

	"mcp-memory/internal/tool"
)

const toolReferenceTop = `# The tools

<!-- Made from the tools and internal/codegen/examples.json by make generate. -->

What the server offers to clients, from the same definitions as [gen/schemas](../gen/schemas), which is what ` + "`tools/list`" + ` answers.

## What holds for all

- A call is carried out as a whole or not at all. One that fails is marked ` + "`isError`" + ` and answers ` + "`{\"error\": TEXT}`" + `; of a wrong argument the text begins with its
  path, as in ` + "`entities[2].name: must not be empty`" + `. What is merely not there, or there already, is reported item by item, and the rest is done.
- The reply comes as ` + "`structuredContent`" + ` and, the same, as one text of JSON. Members that are not *always* there are left out when there is nothing to tell.
- Arguments are read leniently: lists and objects also as strings of JSON, whole numbers also as ` + "`\"5\"` or `5.0`" + `, one text where a list of texts is due, null for an argument that
  may be left out; unknown arguments are ignored. No arguments at all may be ` + "`{}`, `null`, `[]` or `\"\"`" + `.
- What other servers call the fields is taken, too, where the name given here is missing: ` + "`entityName`" + ` for a name, ` + "`type`" + ` for a type, ` + "`contents`, `content` or `facts`" + ` for
  observations, ` + "`from_entity` and `to_entity`, `source` and `target`" + ` for the ends of relations, ` + "`top_k`, `k`, `max_results` or `n_results`" + ` for the limit of
  search_semantic, and ` + "`entity_name`, `entity_type` and `relation_type`" + `. Errors name the field as it was given.
- Names are at most 512 characters, types 256, an observation 1,000,000; blanks around names are trimmed, and a new one must have a character that can be seen. Of a query of more than 2,000 characters the first and the last 1,000 are asked for.
- No tool asks anything outside this machine (` + "`openWorldHint`" + ` is false).

`

// writeToolReference writes docs/tools.md from the tools and the examples.
func writeToolReference(out string) error {
	e, err := readExamples()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(toolReferenceTop)
	b.WriteString("| tool | | |\n|---|---|---|\n")
	catalog := tool.Catalog(nil)
	for _, t := range catalog {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", t.Name, t.Name, t.Title, hints(t))
	}
	b.WriteString("\nThe examples are carried out by a test, each on a memory that these calls have made:\n")
	for _, c := range e.Setup {
		if err := writeCall(&b, c); err != nil {
			return fmt.Errorf("setup of the examples: %w", err)
		}
	}
	for _, t := range catalog {
		if err := describeTool(&b, t, e.of(t.Name)); err != nil {
			return fmt.Errorf("describe %s: %w", t.Name, err)
		}
	}
	path := filepath.Join(out, "docs", "tools.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// hints says what the annotations of a tool tell a client.
func hints(t tool.Tool) string {
	says := "changes the memory"
	switch {
	case t.ReadOnly:
		says = "only reads"
	case t.Destructive:
		says = "takes something away"
	}
	if t.Idempotent && !t.ReadOnly {
		says += "; the same call again changes nothing more"
	}
	return says
}

func describeTool(b *bytes.Buffer, t tool.Tool, calls []call) error {
	d := define(t)
	fmt.Fprintf(b, "\n## %s\n\n**%s.** %s\n", t.Name, t.Title, d.Description)
	fmt.Fprintf(b, "\nAnnotations: `readOnlyHint` %t, `destructiveHint` %t, `idempotentHint` %t.", t.ReadOnly, t.Destructive, t.Idempotent)
	if t.MaxResult > 0 {
		fmt.Fprintf(b, " Clients that know `%s` are asked to take replies of up to %d characters.", maxResultKey, t.MaxResult)
	}
	if t.Everyday {
		fmt.Fprintf(b, " Clients that know `%s` are asked to show it to their model from the start.", alwaysLoadKey)
	}
	b.WriteString("\n\n| argument | type | needed | default | |\n|---|---|---|---|---|\n")
	if err := eachField("", d.InputSchema, func(f field) error {
		standard := ""
		if f.schema.Default != nil {
			value, err := json.Marshal(f.schema.Default)
			if err != nil {
				return err
			}
			standard = "`" + string(value) + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.path, typeOf(f.schema), yes(f.required), standard, cell(f.schema.Description))
		return nil
	}); err != nil {
		return err
	}
	b.WriteString("\n| reply | type | always | |\n|---|---|---|---|\n")
	if err := eachField("", schemaOf(t.Output), func(f field) error {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.path, typeOf(f.schema), yes(f.required), cell(f.schema.Description))
		return nil
	}); err != nil {
		return err
	}
	for i, c := range calls {
		if i == 0 && c.Says == "" {
			c.Says = "For example:"
		}
		if err := writeCall(b, c); err != nil {
			return err
		}
	}
	return nil
}

// field is a property of a schema, with its path from the top.
type field struct {
	path     string
	schema   *jsonschema.Schema
	required bool // where what it belongs to is there
}

// eachField calls visit for all properties of an object, each before its own.
func eachField(prefix string, object *jsonschema.Schema, visit func(field) error) error {
	required := map[string]bool{}
	for _, name := range object.Required {
		required[name] = true
	}
	for p := object.Properties.Oldest(); p != nil; p = p.Next() {
		f := field{prefix + p.Key, p.Value, required[p.Key]}
		if err := visit(f); err != nil {
			return err
		}
		inner, path := p.Value, f.path+"."
		if inner.Type == "array" {
			inner, path = inner.Items, f.path+"[]."
		}
		if inner.Properties != nil {
			if err := eachField(path, inner, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeOf names the type of a property as a reader would.
func typeOf(s *jsonschema.Schema) string {
	names := map[string]string{"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "object"}
	if s.Type == "array" {
		return "list of " + map[string]string{"string": "texts", "object": "objects"}[s.Items.Type]
	}
	return names[s.Type]
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// writeCall shows a call, and its reply if it has one.
func writeCall(b *bytes.Buffer, c call) error {
	if c.Says != "" {
		fmt.Fprintf(b, "\n%s\n", c.Says)
	}
	if err := writeJSON(b, c.Tool, c.Arguments); err != nil || c.Reply == nil {
		return err
	}
	answers := "answers"
	if c.Fails {
		answers = "answers, marked `isError`,"
	}
	fmt.Fprintf(b, "\n%s\n", answers)
	return writeJSON(b, "", c.Reply)
}

// writeJSON shows a value, below a name if there is one.
func writeJSON(b *bytes.Buffer, name string, value json.RawMessage) error {
	b.WriteString("\n```json\n")
	if name != "" {
		fmt.Fprintf(b, "{\"name\": %q, \"arguments\": ", name)
	}
	text, err := spread(value)
	if err != nil {
		return err
	}
	b.WriteString(text)
	if name != "" {
		b.WriteByte('}')
	}
	b.WriteString("\n```\n")
	return nil
}

// lineLength is up to which a value is shown on one line.
const lineLength = 120

// spread writes JSON for reading: what fits on one line as one line, other
// objects and lists with a line for each member.
func spread(value json.RawMessage) (string, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, value, "", "  "); err != nil {
		return "", err
	}
	lines := strings.Split(b.String(), "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if end, joined := joinable(lines, i); end > i {
			out, i = append(out, joined), end
			continue
		}
		out = append(out, lines[i])
	}
	return strings.Join(out, "\n"), nil
}

// joinable joins the lines of the object or list that begins at line i, if one
// line has room for it, and tells its last line.
func joinable(lines []string, i int) (end int, joined string) {
	opening := lines[i]
	if !strings.HasSuffix(opening, "{") && !strings.HasSuffix(opening, "[") {
		return i, ""
	}
	indent := opening[:len(opening)-len(strings.TrimLeft(opening, " "))]
	joined = opening
	for end = i + 1; end < len(lines); end++ {
		part := strings.TrimLeft(lines[end], " ")
		if last := joined[len(joined)-1]; last == ',' {
			joined += " "
		}
		joined += part
		if len(joined) > lineLength {
			return i, ""
		}
		if strings.HasPrefix(lines[end], indent+"}") || strings.HasPrefix(lines[end], indent+"]") {
			return end, joined
		}
	}
	return i, ""
}
