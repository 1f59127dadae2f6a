package jsonl

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// documentStart is how something begins that is no line of records: an object
// with a list of entities or relations, a list of objects, or an object or
// list that goes on on the next line.
var documentStart = regexp.MustCompile(`^(?:\{\s*"(?:entities|relations)"\s*:|\[\s*\{|[{\[][ \t]*[\r\n])`)

// documentStartSize is how many bytes are enough to recognise a document.
const documentStartSize = 256

// document reads an object or list, record by record.
func (rd *reader) document() {
	line := rd.in.line
	first, _ := rd.in.next()
	rd.in.advance()
	if first == '[' {
		rd.list(line, "", "")
	} else {
		rd.object(line)
	}
}

// object reads an object that was opened on that line: a document with lists
// of records, or else a record over several lines.
func (rd *reader) object(line int) {
	hasLists := false
	raw := []byte{'{'}        // the fields that are no such lists
	lines := map[string]int{} // where those begin
	for !rd.stopped {
		b, ok := rd.skipSeparators()
		switch {
		case !ok:
			rd.report(line, "", cutOff)
			return
		case b == '}':
			rd.in.advance()
			if raw = append(raw, '}'); hasLists {
				rd.besideLists(line, raw, lines)
			} else {
				rd.record(line, "", "", raw)
			}
			return
		case b != '"':
			rd.report(rd.in.line, "", notJSON)
			return
		}
		key, name, ok := rd.key()
		if !ok {
			return
		}
		kind := kindOf[name]
		if b, _ := rd.in.next(); kind != "" && b == '[' {
			hasLists = true
			start := rd.in.line
			rd.in.advance()
			if !rd.list(start, name, kind) {
				return
			}
			continue
		}
		v := rd.in.readValue(rd.limits.RecordSize)
		if v.long = v.long || len(raw)+len(v.raw) > rd.limits.RecordSize; !rd.complete(v, "") {
			return
		}
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, key...), ':'), v.raw...)
		lines[name] = v.line
	}
}

// besideLists looks at the other fields of an object with lists of records, which
// begin on these lines: it may be a record itself.
func (rd *reader) besideLists(line int, raw []byte, lines map[string]int) {
	var f fields
	if json.Unmarshal(raw, &f) != nil {
		rd.report(line, "", notJSON)
		return
	}
	if f.isRecord() {
		rd.record(line, "", "", raw)
		delete(f, "observations")
	}
	rd.misplaced(f, func(name string) int { return lines[name] })
}

// key reads a field's name and colon, up to its value. It reports when there
// are none.
func (rd *reader) key() (raw []byte, name string, ok bool) {
	v := rd.in.readValue(rd.limits.RecordSize)
	if !rd.complete(v, "") {
		return nil, "", false
	}
	b, ok := rd.skipSeparators()
	switch {
	case !ok:
		rd.report(v.line, "", cutOff)
		return nil, "", false
	case b != ':' || json.Unmarshal(v.raw, &name) != nil:
		rd.report(v.line, "", notJSON)
		return nil, "", false
	}
	rd.in.advance()
	if _, ok := rd.skipSeparators(); !ok {
		rd.report(v.line, "", cutOff)
		return nil, "", false
	}
	return v.raw, name, true
}

// list reads the records of a list that was opened on that line, and reports
// whether it has an end. They are of the kind given, or else say so themselves.
func (rd *reader) list(line int, path, kind string) (closed bool) {
	for i := 0; !rd.stopped; i++ {
		b, ok := rd.skipSeparators()
		if !ok {
			rd.report(line, path, flaw{what: "is cut off: the file ends within the list that begins here"})
			return false
		}
		if b == ']' {
			rd.in.advance()
			return true
		}
		v := rd.in.readValue(rd.limits.RecordSize)
		at := fmt.Sprintf("%s[%d]", path, i)
		if rd.complete(v, at) {
			rd.record(v.line, at, kind, v.raw)
		} else if v.cutOff {
			return false
		}
	}
	return false
}

// skipSeparators consumes blanks and commas and returns what comes next.
func (rd *reader) skipSeparators() (byte, bool) {
	for {
		rd.in.skipBlank()
		b, ok := rd.in.next()
		if !ok || b != ',' {
			return b, ok
		}
		rd.in.advance()
	}
}

// complete reports whether v was read as a whole, and a problem if not.
func (rd *reader) complete(v value, path string) bool {
	switch {
	case v.cutOff:
		rd.report(v.line, path, cutOff)
	case v.long:
		rd.report(v.line, path, rd.tooLong())
	default:
		return true
	}
	return false
}
