package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// flaw is why a record is not taken. what is said of the field, or of the
// whole record if there is none. noRecord says that nothing there is a record or
// a list of some.
type flaw struct {
	field, what string
	skipped     bool
	noRecord    bool
}

var (
	notJSON     = flaw{what: "is not valid JSON", noRecord: true}
	cutOff      = flaw{what: "is cut off: the file ends within the record", noRecord: true}
	cutOffLine  = flaw{what: "is cut off: the line ends within the record", noRecord: true}
	notUTF8     = flaw{what: "contains bytes that are not UTF-8", noRecord: true}
	withoutType = flaw{what: "has no type", skipped: true}
)

func (rd *reader) tooLong() flaw {
	return flaw{what: fmt.Sprintf("is longer than the %d bytes that a record may have", rd.limits.RecordSize)}
}

// report yields what is wrong with the record at path of a document.
func (rd *reader) report(line int, path string, f flaw) {
	reason, inDocument := f.what, path != ""
	if f.field != "" {
		path = joinPath(path, f.field)
	}
	if path != "" {
		reason = path + ": " + reason
	}
	rd.emit(Record{Line: line, Problem: &Problem{Reason: reason, Skipped: f.skipped, NoRecord: f.noRecord && !inDocument}})
}

func joinPath(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// The kinds of records, as their field type says.
const (
	entityKind   = "entity"
	relationKind = "relation"
)

// kindOf maps the lists of a document to the kind of their records.
var kindOf = map[string]string{"entities": entityKind, "relations": relationKind}

// record reads one JSON value. Without a kind, its field type says what it is.
func (rd *reader) record(line int, path, kind string, raw []byte) {
	if !utf8.Valid(raw) {
		rd.report(line, path, notUTF8)
		return
	}
	var f fields
	err := json.Unmarshal(raw, &f)
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) || err == nil && f == nil {
		rd.report(line, path, flaw{what: "is " + valueKind(raw) + ", not an object", noRecord: valueKind(raw) != "a list"})
		return
	}
	if err != nil {
		rd.report(line, path, notJSON)
		return
	}
	if kind == "" {
		rawType, typed := f["type"]
		if !typed && rd.lists(line, f) {
			return
		}
		if json.Unmarshal(rawType, &kind) != nil || kind == "" {
			rd.report(line, path, withoutType)
			return
		}
		kind = strings.ToLower(kind)
	}
	f.dropKind(kind)
	r := Record{Line: line}
	var wrong *flaw
	switch kind {
	case entityKind:
		r.Entity, wrong = rd.limits.entity(f)
	case relationKind:
		r.Relation, wrong = rd.limits.relation(f)
	default:
		wrong = &flaw{what: "is of a type that is neither entity nor relation", skipped: true}
	}
	if wrong != nil {
		rd.report(line, path, *wrong)
		return
	}
	r.clean(path, f)
	rd.emit(r)
}

// clean puts U+FFFD in place of NUL characters, which no tool could name, and notes it.
func (r *Record) clean(path string, f fields) {
	type text struct {
		names []string
		text  *string
	}
	var texts []text
	if e := r.Entity; e != nil {
		texts = []text{{nameFields, &e.Name}, {typeFields, &e.Type}}
		for i := range e.Observations {
			texts = append(texts, text{observationFields, &e.Observations[i]})
		}
	} else {
		texts = []text{{fromFields, &r.Relation.From}, {toFields, &r.Relation.To}, {relationTypeFields, &r.Relation.Type}}
	}
	for _, t := range texts {
		if cleaned := strings.ReplaceAll(*t.text, "\x00", "\uFFFD"); cleaned != *t.text {
			*t.text = cleaned
			r.Altered = append(r.Altered, joinPath(path, f.given(t.names))+": is taken with U+FFFD in place of NUL characters")
		}
	}
}

// sections are the lists of a document, in the order in which they are read.
var sections = []string{"entities", "relations"}

// lists reads the records of a document on one line that does not begin like
// one, and reports false if it is none.
func (rd *reader) lists(line int, f fields) bool {
	found := false
	for _, name := range sections {
		raw, ok := f[name]
		found = found || ok
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items) // what is no list is reported below
		for i, item := range items {
			rd.record(line, fmt.Sprintf("%s[%d]", name, i), kindOf[name], item)
		}
	}
	if found {
		rd.misplaced(f, func(string) int { return line })
	}
	return found
}

// misplaced reports the fields of a document that hold records, but not in a list
// where they are read. lineOf says where a field is.
func (rd *reader) misplaced(f fields, lineOf func(name string) int) {
	for _, name := range sections {
		if kind := valueKind(f[name]); kind != "" && kind != "null" && kind != "a list" {
			rd.report(lineOf(name), "", flaw{field: name, what: "must be a list, not " + kind})
		}
	}
	const name = "observations"
	var items []json.RawMessage
	if raw := f[name]; len(raw) > 0 && (json.Unmarshal(raw, &items) != nil || len(items) > 0) {
		rd.report(lineOf(name), "", flaw{field: name, what: "must stand in the entities that they are of, not beside them"})
	}
}
