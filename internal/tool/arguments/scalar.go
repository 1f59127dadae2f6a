package arguments

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/memory"
)

// kind is the kind of a JSON value, in words for a message.
type kind string

const (
	null    kind = "null"
	boolean kind = "a boolean"
	number  kind = "a number"
	text    kind = "a string"
	list    kind = "a list"
	object  kind = "an object"
)

// kindOf tells the kind of a JSON value without white space before it.
func kindOf(raw []byte) kind {
	if len(raw) == 0 {
		return null
	}
	switch raw[0] {
	case '{':
		return object
	case '[':
		return list
	case '"':
		return text
	case 't', 'f':
		return boolean
	case 'n':
		return null
	default:
		return number
	}
}

// text decodes a string. What is no Unicode in it becomes U+FFFD.
func (d decoder) text(at *path, raw json.RawMessage, v reflect.Value, r rules) {
	if kindOf(raw) != text {
		d.problems.add(at, "must be a string, not %s", kindOf(raw))
		return
	}
	s := unquote(raw)
	judged := s
	if r.name {
		judged = memory.CanonicalName(s)
	}
	switch {
	case strings.ContainsRune(s, 0):
		d.problems.add(at, "must not contain NUL (U+0000)")
	case r.nonEmpty && judged == "":
		d.problems.add(at, "must not be empty")
	case r.name && memory.IsBlankName(s):
		d.problems.add(at, "must not be blank: it has no visible character")
	case r.max != nil && int64(utf8.RuneCountInString(judged)) > *r.max:
		d.problems.add(at, "must have at most %d characters, not %d", *r.max, utf8.RuneCountInString(judged))
	default:
		v.SetString(s)
	}
}

// integer decodes a whole number, also from a string that holds one.
func (d decoder) integer(at *path, raw json.RawMessage, v reflect.Value, r rules) {
	digits := string(raw)
	if kindOf(raw) == text {
		digits = strings.TrimSpace(unquote(raw))
	}
	n, ok := wholeNumber(digits)
	switch {
	case !ok && kindOf(raw) == number:
		d.problems.add(at, "must be a whole number")
	case !ok:
		d.problems.add(at, "must be a whole number, not %s", kindOf(raw))
	case r.min != nil && n < *r.min:
		d.problems.add(at, "must be at least %d", *r.min)
	case r.max != nil:
		v.SetInt(min(n, *r.max))
	default:
		v.SetInt(n)
	}
}

// boolean decodes true or false, also from a string that says so. The default
// is false.
func (d decoder) boolean(at *path, raw json.RawMessage, v reflect.Value) {
	said := string(raw)
	if kindOf(raw) == text {
		said = strings.ToLower(strings.TrimSpace(unquote(raw)))
	}
	switch said {
	case "true", "false":
		v.SetBool(said == "true")
	default:
		d.problems.add(at, "must be true or false, not %s", kindOf(raw))
	}
}

// wholeNumber reads a JSON number without a fraction, such as 5, 5.0 or 5e0.
// One beyond the range of int64 counts as its end.
func wholeNumber(s string) (int64, bool) {
	if s == "" || kindOf([]byte(s)) != number || !json.Valid([]byte(s)) {
		return 0, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, _ := strconv.ParseFloat(s, 64) // beyond its range it is an infinity
	switch {
	case f != math.Trunc(f):
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	default:
		return int64(f), true
	}
}

// unquote returns what a JSON string says.
func unquote(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// isListOfTexts reports whether raw is a JSON list of nothing but strings.
func isListOfTexts(raw []byte) bool {
	if kindOf(raw) != list {
		return false
	}
	var items []*string
	if json.Unmarshal(raw, &items) != nil {
		return false
	}
	for _, item := range items {
		if item == nil {
			return false
		}
	}
	return true
}
