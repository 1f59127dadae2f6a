package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// decode reads a record of a section.
func (r *Record) decode(section string, raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New(r.Path + ": contains bytes that are not UTF-8")
	}
	switch section {
	case entitiesSection:
		return r.entity(raw)
	case relationsSection:
		var v Relation
		err := fields(r.Path, raw, &v, "from", "to", "relationType")
		r.Relation = &v
		v.From, v.To = withoutNUL(v.From), withoutNUL(v.To)
		r.clean(r.Path+".relationType", &v.Type)
		r.clean(r.Path+".createdAt", v.CreatedAt)
		return err
	case coOccurrencesSection:
		var v CoOccurrence
		err := fields(r.Path, raw, &v, "a", "b", "count")
		r.CoOccurrence = &v
		r.count("count", &v.Count)
		v.A, v.B = withoutNUL(v.A), withoutNUL(v.B)
		r.clean(r.Path+".lastTogether", v.Last)
		return err
	case passageVectorsSection:
		r.PassageVector = new(Vector)
		return r.PassageVector.decode(r.Path, raw)
	default:
		r.EntityVector = new(Vector)
		return r.EntityVector.decode(r.Path, raw)
	}
}

func (v *Vector) decode(path string, raw []byte) error {
	err := fields(path, raw, v, "entity", "model", "textHash", "vector")
	v.Entity = withoutNUL(v.Entity)
	return err
}

// entity reads an entity. An observation may be text alone, as people write it.
func (r *Record) entity(raw []byte) error {
	var e struct {
		Entity
		Observations []json.RawMessage `json:"observations"`
	}
	if err := fields(r.Path, raw, &e, "name", "entityType"); err != nil {
		return err
	}
	e.Entity.Observations = make([]Observation, len(e.Observations))
	for i, item := range e.Observations {
		o := &e.Entity.Observations[i]
		path := fmt.Sprintf("%s.observations[%d]", r.Path, i)
		if json.Unmarshal(item, &o.Content) != nil || string(item) == "null" {
			if err := fields(path, item, o, "content"); err != nil {
				return err
			}
		}
		r.clean(path+".content", &o.Content)
		r.clean(path+".createdAt", o.CreatedAt)
	}
	r.Entity = &e.Entity
	r.clean(r.Path+".name", &e.Name)
	r.clean(r.Path+".entityType", &e.Type)
	r.clean(r.Path+".createdAt", e.CreatedAt)
	r.clean(r.Path+".updatedAt", e.UpdatedAt)
	if e.Access != nil {
		r.count("access.count", &e.Access.Count)
		r.clean(r.Path+".access.lastAccess", e.Access.Last)
	}
	return nil
}

// count keeps a count within its bounds.
func (r *Record) count(field string, n *int64) {
	if bounded := min(max(*n, 0), MaxCount); bounded != *n {
		r.Altered = append(r.Altered, fmt.Sprintf("%s.%s: is taken as %d, not %d", r.Path, field, bounded, *n))
		*n = bounded
	}
}

// fields reads an object of which some fields must be there.
func fields(path string, raw []byte, into any, due ...string) error {
	var present map[string]json.RawMessage
	if json.Unmarshal(raw, &present) != nil || present == nil {
		return fmt.Errorf("%s: must be an object", path)
	}
	for _, name := range due {
		if value := present[name]; len(value) == 0 || bytes.Equal(value, []byte("null")) {
			return fmt.Errorf("%s.%s: is missing", path, name)
		}
	}
	err := json.Unmarshal(raw, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s.%s: must not be a %s", path, strings.TrimPrefix(wrong.Field, "Entity."), wrong.Value)
	}
	if err != nil { // only of base64
		return fmt.Errorf("%s: the vector is not base64", path)
	}
	return nil
}

// clean takes a text, if there is one, without NUL characters, which no tool could name, and notes it.
func (r *Record) clean(path string, text *string) {
	if text == nil {
		return
	}
	if cleaned := withoutNUL(*text); cleaned != *text {
		r.Altered = append(r.Altered, path+": is taken with U+FFFD in place of NUL characters")
		*text = cleaned
	}
}

func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }
