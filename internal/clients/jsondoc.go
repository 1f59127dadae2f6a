package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
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

// others is all of the file but some servers, to compare before and after.
func (d *jsonDocument) others(but ...Entry) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(d.standard()))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("reading what was written: %w", err)
	}
	all = without(all, d.keys)
	for _, e := range but {
		all = without(all, d.place(e.Folder), e.Name)
	}
	return all, nil
}

// without takes servers out of a decoded file, and what is empty without them.
func without(all map[string]any, keys []string, names ...string) map[string]any {
	if len(keys) == 0 {
		for _, name := range names {
			delete(all, name)
		}
		return all
	}
	if inner, ok := all[keys[0]].(map[string]any); ok {
		all[keys[0]] = without(inner, keys[1:], names...)
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
