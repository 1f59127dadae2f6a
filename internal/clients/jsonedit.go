package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

func (d *jsonDocument) remove(e Entry) ([]byte, error) {
	at := d.find(d.place(e.Folder))
	i := memberIndex(at, e.Name)
	if i < 0 {
		return d.text, nil
	}
	text := removeMember(d.text, at, i)
	next, err := parseJSON("", text, d.withKeys())
	if err != nil {
		return nil, err
	}
	return next.remove(e) // it may have been there twice
}

// place is where the servers of a folder are; of "", those for all.
func (d *jsonDocument) place(folder string) []string {
	if folder == "" {
		return d.keys
	}
	return append([]string{d.layout.folders, folder}, d.keys...)
}

// putBack adds an entry of an earlier file, unless there is one, or no longer the place
// for it.
func (d *jsonDocument) putBack(from document, e Entry) ([]byte, bool) {
	was, ok := from.(*jsonDocument)
	if !ok {
		return nil, false
	}
	value := was.find(append(slices.Clip(was.place(e.Folder)), e.Name))
	at := d.find(d.place(e.Folder))
	if value == nil || at == nil || at.Value.Kind() != '{' || member(at, e.Name) != nil {
		return nil, false
	}
	return insertMember(d.text, styleOf(d.text, d.root), at, e.Name, *value), true
}

// closeUp takes the place of the servers out, as far as it is empty and was not
// there before.
func (d *jsonDocument) closeUp(before document) ([]byte, error) {
	was := before.(*jsonDocument)
	for n := len(d.keys); n > 0; n-- {
		at := d.find(d.keys[:n])
		if at == nil || was.find(d.keys[:n]) != nil {
			break
		}
		if o, ok := at.Value.(*hujson.Object); !ok || len(o.Members) > 0 || len(bytes.Trim(o.AfterExtra, blanks)) > 0 {
			break
		}
		parent := d.find(d.keys[:n-1])
		next, err := parseJSON("", removeMember(d.text, parent, memberIndex(parent, d.keys[n-1])), d.withKeys())
		if err != nil {
			return nil, err
		}
		d = next.(*jsonDocument)
	}
	return d.text, nil
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
	path := append(slices.Clip(d.keys), server.Name)
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
