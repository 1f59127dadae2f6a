package jsonl

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fields are those of a JSON object. Unknown ones do no harm.
type fields map[string]json.RawMessage

// entity reads an entity record. Empty observations, which say nothing, are
// left out.
func (l Limits) entity(f fields) (*Entity, *flaw) {
	name, wrong := f.name(l.Name, "name")
	if wrong != nil {
		return nil, wrong
	}
	if strings.TrimSpace(name) == "" {
		return nil, empty("name")
	}
	entityType, wrong := f.text(l.Type, "entityType")
	if wrong != nil {
		return nil, wrong
	}
	observations, wrong := l.observations(f["observations"])
	if wrong != nil {
		return nil, wrong
	}
	return &Entity{Name: name, Type: entityType, Observations: observations}, nil
}

// observations reads a list of texts, or one text as a list of one.
func (l Limits) observations(raw json.RawMessage) ([]string, *flaw) {
	const field = "observations"
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
	from, wrong := f.name(l.Name, "from", "from_entity")
	if wrong != nil {
		return nil, wrong
	}
	to, wrong := f.name(l.Name, "to", "to_entity")
	if wrong != nil {
		return nil, wrong
	}
	relationType, wrong := f.text(l.RelationType, "relationType")
	switch {
	case wrong != nil:
		return nil, wrong
	case strings.TrimSpace(from) == "":
		return nil, empty("from")
	case strings.TrimSpace(to) == "":
		return nil, empty("to")
	case relationType == "":
		return nil, empty("relationType")
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
func (f fields) name(limit int, fieldNames ...string) (string, *flaw) {
	name, at, wrong := f.first(fieldNames...)
	if wrong == nil {
		wrong = tooLong(norm.NFC.String(strings.TrimSpace(name)), at, limit)
	}
	return name, wrong
}

// text returns a text that may be missing. Blanks around it do not count for
// its length.
func (f fields) text(limit int, fieldName string) (string, *flaw) {
	s, at, wrong := f.first(fieldName)
	if wrong == nil {
		wrong = tooLong(strings.TrimSpace(s), at, limit)
	}
	return s, wrong
}

// first returns the text in the first of the fields that is there and not null,
// and that field, or nothing.
func (f fields) first(fieldNames ...string) (s, at string, wrong *flaw) {
	for _, at := range fieldNames {
		if raw := f[at]; valueKind(raw) != "" && valueKind(raw) != "null" {
			s, wrong := textOf(raw, at)
			return s, at, wrong
		}
	}
	return "", "", nil
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
