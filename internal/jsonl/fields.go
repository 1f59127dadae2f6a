package jsonl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/fold"
)

// fields are those of a JSON object. Unknown ones do no harm.
type fields map[string]json.RawMessage

// The names of fields, the official server's first, and what others call them. Of
// several the first that is there counts. A type that says what the record is is none
// of these.
var (
	nameFields         = []string{"name", "entityName", "entity_name"}
	typeFields         = []string{"entityType", "entity_type", "type"}
	observationFields  = []string{"observations", "contents", "content", "facts"}
	fromFields         = []string{"from", "from_entity", "source"}
	toFields           = []string{"to", "to_entity", "target"}
	relationTypeFields = []string{"relationType", "relation_type", "type"}
)

// given is the first of these fields that is there and not null, or else the first.
func (f fields) given(names []string) string {
	for _, name := range names {
		if kind := valueKind(f[name]); kind != "" && kind != "null" {
			return name
		}
	}
	return names[0]
}

// dropKind drops a type that only says what the record is.
func (f fields) dropKind(kind string) {
	var said string
	if json.Unmarshal(f["type"], &said) == nil && strings.EqualFold(said, kind) {
		delete(f, "type")
	}
}

// isRecord reports whether these are a record, as their type says.
func (f fields) isRecord() bool {
	var said string
	return json.Unmarshal(f["type"], &said) == nil && (strings.EqualFold(said, entityKind) || strings.EqualFold(said, relationKind))
}

// entity reads an entity record. Empty observations, which say nothing, are
// left out.
func (l Limits) entity(f fields) (*Entity, *flaw) {
	name, wrong := f.name(l.Name, nameFields)
	if wrong != nil {
		return nil, wrong
	}
	if wrong := f.blank(name, nameFields); wrong != nil {
		return nil, wrong
	}
	entityType, wrong := f.text(l.Type, typeFields)
	if wrong != nil {
		return nil, wrong
	}
	observations, wrong := l.observations(f)
	if wrong != nil {
		return nil, wrong
	}
	return &Entity{Name: name, Type: entityType, Observations: observations}, nil
}

// observations reads a list of texts, or one text as a list of one.
func (l Limits) observations(f fields) ([]string, *flaw) {
	field := f.given(observationFields)
	raw := f[field]
	var items []json.RawMessage
	switch valueKind(raw) {
	case "", "null":
		return []string{}, nil
	case "text":
		items = []json.RawMessage{raw}
	case "a list":
		if json.Unmarshal(raw, &items) != nil {
			return nil, &notJSON
		}
	default:
		return nil, &flaw{field: field, what: "must be a list of texts, not " + valueKind(raw)}
	}
	texts := make([]string, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", field, i)
		text, wrong := textOf(item, at)
		if wrong == nil {
			wrong = tooLong(text, at, l.Observation)
		}
		if wrong != nil {
			return nil, wrong
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// relation reads a relation record.
func (l Limits) relation(f fields) (*Relation, *flaw) {
	from, wrong := f.name(l.Name, fromFields)
	if wrong != nil {
		return nil, wrong
	}
	to, wrong := f.name(l.Name, toFields)
	if wrong != nil {
		return nil, wrong
	}
	relationType, wrong := f.text(l.RelationType, relationTypeFields)
	if wrong != nil {
		return nil, wrong
	}
	if wrong := cmp.Or(f.blank(from, fromFields), f.blank(to, toFields)); wrong != nil {
		return nil, wrong
	}
	if relationType == "" {
		return nil, empty(f.given(relationTypeFields))
	}
	return &Relation{From: from, To: to, Type: relationType}, nil
}

// empty is the flaw of records that programs write by the way; they are
// skipped.
func empty(field string) *flaw {
	return &flaw{field: field, what: "must not be empty", skipped: true}
}

// name returns the name in the first of the fields that is there. Its length is
// that of the form in which names are stored: NFC, without blanks around it.
func (f fields) name(limit int, names []string) (string, *flaw) {
	name, at, wrong := f.first(names)
	if wrong == nil {
		wrong = tooLong(norm.NFC.String(strings.TrimSpace(name)), at, limit)
	}
	return name, wrong
}

// blank is the flaw of a name of which nothing can be seen, in one of the fields.
func (f fields) blank(name string, names []string) *flaw {
	switch {
	case strings.TrimSpace(name) == "":
		return empty(f.given(names))
	case fold.IsBlank(name):
		return &flaw{field: f.given(names), what: "must not be blank: it has no visible character", skipped: true}
	}
	return nil
}

// text returns a text that may be missing. Blanks around it do not count for
// its length.
func (f fields) text(limit int, names []string) (string, *flaw) {
	s, at, wrong := f.first(names)
	if wrong == nil {
		wrong = tooLong(strings.TrimSpace(s), at, limit)
	}
	return s, wrong
}

// first returns the text in the first of the fields that is there and not null,
// or nothing, and that field.
func (f fields) first(names []string) (s, at string, wrong *flaw) {
	at = f.given(names)
	if kind := valueKind(f[at]); kind == "" || kind == "null" {
		return "", at, nil
	}
	s, wrong = textOf(f[at], at)
	return s, at, wrong
}

// textOf reads a text.
func textOf(raw json.RawMessage, field string) (string, *flaw) {
	if valueKind(raw) != "text" {
		return "", &flaw{field: field, what: "must be text, not " + valueKind(raw)}
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", &notJSON
	}
	return s, nil
}

// tooLong returns the flaw of a text that has more code points than limit.
func tooLong(s, field string, limit int) *flaw {
	n := utf8.RuneCountInString(s)
	if limit <= 0 || n <= limit {
		return nil
	}
	return &flaw{field: field, what: fmt.Sprintf("has %d characters, more than the %d that are taken", n, limit)}
}

// valueKind names the kind of a JSON value; it is empty if there is none.
func valueKind(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}
