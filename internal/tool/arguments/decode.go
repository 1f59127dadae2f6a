package arguments

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Decode fills the struct that target points to from the arguments of a call:
// a JSON object, a JSON string that holds one, or what IsNothing. It returns
// *Problems if they do not fit. Keys that the struct does not know are ignored.
func Decode(raw json.RawMessage, target any) error {
	d := decoder{problems: &Problems{}}
	raw = bytes.TrimSpace(raw)
	if IsNothing(raw) {
		raw = json.RawMessage("{}")
	}
	d.object(&path{key: "arguments"}, nil, raw, reflect.ValueOf(target).Elem())
	if len(d.problems.First) > 0 {
		return d.problems
	}
	return nil
}

// IsNothing reports whether JSON that stands for an object has nothing in it: there
// is none, it is null, an empty string, or an empty list, since programs in
// languages that do not tell lists from objects send one for an empty object.
func IsNothing(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	switch kindOf(raw) {
	case null:
		return true
	case text:
		var s string
		return json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) == ""
	case list:
		return string(bytes.TrimSpace(raw[1:])) == "]"
	}
	return false
}

// Has reports whether the arguments have one of these keys with a value other
// than null.
func Has(raw json.RawMessage, keys ...string) bool { return Value(raw, keys...) != nil }

// Value returns the value of the first of these keys that the arguments have
// and that is not null, or nil.
func Value(raw json.RawMessage, keys ...string) json.RawMessage {
	fields, ok := fieldsOf(bytes.TrimSpace(raw))
	if !ok {
		return nil
	}
	_, value := firstOf(fields, keys)
	return value
}

type decoder struct {
	problems *Problems
}

// object decodes the object at self into the struct v. Its fields have their
// paths below root, which is nil for the arguments themselves.
func (d decoder) object(self, root *path, raw json.RawMessage, v reflect.Value) {
	fields, ok := fieldsOf(raw)
	if !ok {
		d.problems.add(self, "must be an object, not %s", kindOf(raw))
		return
	}
	for _, f := range shapeOf(v.Type()) {
		key, value := firstOf(fields, f.keys)
		at := &path{parent: root, key: key}
		switch {
		case value != nil:
			d.value(at, value, v.Field(f.index), f.rules)
		case f.required:
			d.problems.add(at, "is required")
		default:
			setDefault(v.Field(f.index), f.rules)
		}
	}
}

// value decodes a value that is not null.
func (d decoder) value(at *path, raw json.RawMessage, v reflect.Value, r rules) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(at, raw, v.Elem(), r)
	case reflect.String:
		d.text(at, raw, v, r)
	case reflect.Int:
		d.integer(at, raw, v, r)
	case reflect.Bool:
		d.boolean(at, raw, v)
	case reflect.Slice:
		d.list(at, raw, v, r)
	case reflect.Struct:
		d.object(at, at, raw, v)
	default:
		panic("arguments: no decoding for " + v.Type().String())
	}
}

// list decodes a list, also from a string that holds one. A string that does
// not is a list of one where texts are due.
func (d decoder) list(at *path, raw json.RawMessage, v reflect.Value, r rules) {
	ofTexts := v.Type().Elem().Kind() == reflect.String
	if kindOf(raw) == text {
		inner := bytes.TrimSpace([]byte(unquote(raw)))
		switch {
		case ofTexts && !isListOfTexts(inner):
			raw = json.RawMessage("[" + string(raw) + "]")
		case json.Valid(inner) && kindOf(inner) == list:
			raw = inner
		}
	}
	if kindOf(raw) != list {
		d.problems.add(at, "must be a list, not %s", kindOf(raw))
		return
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		d.problems.add(at, "must be a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(&path{parent: at, index: i}, item, v.Index(i), r)
	}
}

// setDefault gives a field that was left out its announced default. A pointer
// stays nil: it is for callers who must know that nothing was given.
func setDefault(v reflect.Value, r rules) {
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case reflect.String:
		v.SetString(r.fallback)
	case reflect.Int:
		n, _ := wholeNumber(r.fallback)
		v.SetInt(n)
	}
}

// fieldsOf returns the members of an object, or of one in a string.
func fieldsOf(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if kindOf(raw) == text {
		raw = bytes.TrimSpace([]byte(unquote(raw)))
	}
	if kindOf(raw) != object {
		return nil, false
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, false
	}
	return fields, true
}

// firstOf returns the first of keys with a value that is not null, and the value,
// or else the first key and nil.
func firstOf(fields map[string]json.RawMessage, keys []string) (string, json.RawMessage) {
	for _, key := range keys {
		if raw, ok := fields[key]; ok && kindOf(raw) != null {
			return key, raw
		}
	}
	return keys[0], nil
}
