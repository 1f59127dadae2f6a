package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonDocument is a configuration file in JSON, with or without comments.
type jsonDocument struct {
	text   []byte
	root   hujson.Value
	layout layout
	keys   []string // where the servers are
}

func parseJSON(path string, text []byte, l layout) (document, error) {
	root, err := parseText(text)
	if err != nil {
		// Nothing, or nothing but comments, is an object that is still to come.
		filled := append(bytes.Clone(text), "{}\n"...)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			filled = append(bytes.Clone(text), "\n{}\n"...)
		}
		whole, fillErr := parseText(filled)
		if fillErr != nil || whole.StartOffset < len(text) {
			return nil, fmt.Errorf("it is not valid JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
		}
		text, root = filled, whole
	}
	if root.Value.Kind() != '{' {
		return nil, fmt.Errorf("it is not valid for this client: line %d holds %s instead of an object", line(text, root.StartOffset), kindName(root))
	}
	d := &jsonDocument{text: text, root: root, layout: l, keys: l.keys(path, root)}
	for i, key := range d.keys {
		at := d.find(d.keys[:i+1])
		if at == nil {
			break
		}
		if kind := at.Value.Kind(); kind != '{' && kind != 'n' {
			return nil, fmt.Errorf("it is not valid for this client: %q in line %d is %s instead of an object", key, line(text, at.StartOffset), kindName(*at))
		}
	}
	return d, nil
}

// parseText parses a text, whose last line may be a comment without a line break.
func parseText(text []byte) (hujson.Value, error) {
	root, err := hujson.Parse(bytes.Clone(text))
	if err == nil {
		return root, nil
	}
	if root, ended := hujson.Parse(append(bytes.Clone(text), '\n')); ended == nil {
		return root, nil
	}
	return hujson.Value{}, err
}

// standard is the file as plain JSON of the same length, with blanks for
// comments and surplus commas.
func (d *jsonDocument) standard() []byte {
	root := d.root.Clone()
	root.Standardize()
	return root.Pack()
}

func line(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

func kindName(v hujson.Value) string {
	switch v.Value.Kind() {
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// find is the value behind some keys, nil if there is none.
func (d *jsonDocument) find(keys []string) *hujson.Value {
	at := &d.root
	for _, key := range keys {
		if at = member(at, key); at == nil {
			return nil
		}
	}
	return at
}

func (d *jsonDocument) servers() []Server {
	at := d.find(d.keys)
	if at == nil || at.Value.Kind() != '{' {
		return nil
	}
	var servers []Server
	for i, m := range at.Value.(*hujson.Object).Members {
		name := m.Name.Value.(hujson.Literal).String()
		if memberIndex(at, name) != i {
			continue // another of this name comes later
		}
		server := readServer(m.Value)
		server.Name = name
		servers = append(servers, server)
	}
	return servers
}

// readServer reads a server in any of the clients' forms.
func readServer(v hujson.Value) Server {
	v = v.Clone()
	v.Standardize()
	var raw struct {
		Command     json.RawMessage `json:"command"`
		Args        json.RawMessage `json:"args"`
		Env         json.RawMessage `json:"env"`
		Environment json.RawMessage `json:"environment"`
		Disabled    json.RawMessage `json:"disabled"`
		Enabled     json.RawMessage `json:"enabled"`
	}
	_ = json.Unmarshal(v.Pack(), &raw) // what is of another kind is no server that we know
	var s Server
	var words []string
	var nested struct {
		Path string
		Args []string
		Env  map[string]string
	}
	switch {
	case json.Unmarshal(raw.Command, &s.Command) == nil:
	case json.Unmarshal(raw.Command, &words) == nil && len(words) > 0: // OpenCode
		s.Command, s.Args = words[0], words[1:]
	case json.Unmarshal(raw.Command, &nested) == nil: // older versions of Zed
		s.Command, s.Args, s.Env = nested.Path, nested.Args, nested.Env
	}
	if s.Args == nil {
		_ = json.Unmarshal(raw.Args, &s.Args)
	}
	for _, env := range []json.RawMessage{raw.Env, raw.Environment} {
		if len(env) > 0 {
			_ = json.Unmarshal(env, &s.Env)
		}
	}
	s.Off = string(raw.Disabled) == "true" || string(raw.Enabled) == "false"
	return s
}

func (d *jsonDocument) remove(name string) ([]byte, error) {
	at := d.find(d.keys)
	i := memberIndex(at, name)
	if i < 0 {
		return d.text, nil
	}
	text := removeMember(d.text, at, i)
	next, err := parseJSON("", text, d.withKeys())
	if err != nil {
		return nil, err
	}
	return next.remove(name) // it may have been there twice
}

// withKeys is the layout with the place of the servers settled.
func (d *jsonDocument) withKeys() layout {
	l := d.layout
	l.keys = fixed(d.keys...)
	return l
}

func (d *jsonDocument) put(server Server, anew bool) ([]byte, error) {
	entry := d.layout.entry(server, d.keys)
	s := styleOf(d.text, d.root)
	path := append(d.keys[:len(d.keys):len(d.keys)], server.Name)
	at := &d.root
	for i, key := range path {
		next := member(at, key)
		if next == nil || next.Value.Kind() == 'n' {
			var value any = entry
			for j := len(path) - 1; j > i; j-- {
				value = object{{path[j], value}}
			}
			if next == nil {
				return insertMember(d.text, s, at, key, value), nil
			}
			return replaceValue(d.text, s, next, value), nil
		}
		at = next
	}
	if anew || at.Value.Kind() != '{' {
		return replaceValue(d.text, s, at, entry), nil
	}
	return d.update(path, entry)
}

// update brings some fields of an entry up to date and leaves the others.
func (d *jsonDocument) update(path []string, entry object) ([]byte, error) {
	text := d.text
	for _, f := range entry {
		root, err := parseText(text)
		if err != nil {
			return nil, fmt.Errorf("reading what was written: %w", err)
		}
		at := (&jsonDocument{root: root}).find(path)
		if command := member(at, "command"); command != nil && command.Value.Kind() == '{' && (f.key == "command" || f.key == "args") {
			at = command // older versions of Zed
			if f.key == "command" {
				f.key = "path"
			}
		}
		value := member(at, f.key)
		words, isList := f.value.([]string)
		switch s := styleOf(text, root); {
		case value == nil && isList && len(words) == 0, value != nil && f.key == "enabled":
			// None are none, and what the user switched off stays so.
		case value == nil:
			text = insertMember(text, s, at, f.key, f.value)
		case !sameValue(*value, f.value):
			text = replaceValue(text, s, value, f.value)
		}
	}
	return text, nil
}

func sameValue(v hujson.Value, want any) bool {
	v = v.Clone()
	v.Standardize()
	switch want := want.(type) {
	case string:
		var s string
		return json.Unmarshal(v.Pack(), &s) == nil && s == want
	case []string:
		var words []string
		return v.Value.Kind() == '[' && json.Unmarshal(v.Pack(), &words) == nil && slices.Equal(words, want)
	}
	return false
}

func replaceValue(text []byte, s style, at *hujson.Value, value any) []byte {
	return apply(text, splice{at.StartOffset, at.EndOffset, s.write(value, indentOf(text, at.StartOffset))})
}

// others is all of the file but some servers, to compare before and after.
func (d *jsonDocument) others(names ...string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(d.standard()))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("reading what was written: %w", err)
	}
	return without(all, d.keys, names), nil
}

// without takes servers out of a decoded file, and what is empty without them.
func without(all map[string]any, keys, names []string) map[string]any {
	if len(keys) == 0 {
		for _, name := range names {
			delete(all, name)
		}
		return all
	}
	if inner, ok := all[keys[0]].(map[string]any); ok {
		all[keys[0]] = without(inner, keys[1:], names)
	}
	if inner := all[keys[0]]; inner == nil || reflect.DeepEqual(inner, map[string]any{}) {
		delete(all, keys[0])
	}
	return all
}

// bare says whether nothing but an empty place for servers is left.
func (d *jsonDocument) bare() bool {
	all, err := d.others()
	return err == nil && len(all.(map[string]any)) == 0 && d.oddity() == 0
}

// oddity is the first line with what is not plain JSON, 0 if there is none.
func (d *jsonDocument) oddity() int {
	standard := d.standard()
	for i := range d.text {
		if standard[i] != d.text[i] {
			return line(d.text, i)
		}
	}
	return 0
}

// elsewhere tells of memory servers that Claude Code starts in some projects
// only, which count more there.
func (d *jsonDocument) elsewhere() []string {
	projects := member(&d.root, "projects")
	if projects == nil || projects.Value.Kind() != '{' {
		return nil
	}
	var notes []string
	for _, m := range projects.Value.(*hujson.Object).Members {
		folder := m.Name.Value.(hujson.Literal).String()
		one := &jsonDocument{root: m.Value, keys: []string{"mcpServers"}}
		for _, server := range one.servers() {
			if kind := server.Kind(""); kind == Official || kind == Python {
				notes = append(notes, fmt.Sprintf("in %s another memory server, %q, is configured for that folder alone, and left there", folder, server.Name))
			}
		}
	}
	return notes
}
