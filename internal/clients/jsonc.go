package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Edits of JSON texts as texts, guided by a parser: what is not edited stays
// byte for byte.

const blanks = " \t\r\n"

// member is the value of a key of an object, nil if there is none. Of a key
// that is there twice the last counts, as for the clients.
func member(v *hujson.Value, key string) *hujson.Value {
	if i := memberIndex(v, key); i >= 0 {
		return &v.Value.(*hujson.Object).Members[i].Value
	}
	return nil
}

func memberIndex(v *hujson.Value, key string) int {
	if v == nil {
		return -1
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return -1
	}
	for i, m := range slices.Backward(object.Members) {
		if m.Name.Value.(hujson.Literal).String() == key {
			return i
		}
	}
	return -1
}

// style is how a JSON text is written.
type style struct {
	newline string // none in a text of one line
	unit    string // one step of indentation
	colon   string
	comma   string // between what stands on one line
}

func styleOf(text []byte, root hujson.Value) style {
	s := style{newline: "\n", unit: "  ", colon: ": ", comma: ", "}
	object, _ := root.Value.(*hujson.Object)
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if object == nil || len(object.Members) == 0 {
		return s
	}
	first := object.Members[0]
	if len(first.Value.BeforeExtra) == 0 {
		s.colon, s.comma = ":", ","
	}
	if !bytes.Contains(text[root.StartOffset:root.EndOffset], []byte("\n")) {
		s.newline = ""
		return s
	}
	if indent, ok := lastIndent(first.Name.BeforeExtra); ok && indent != "" {
		s.unit = indent
	}
	return s
}

// lastIndent is the blank after the last line break.
func lastIndent(blank []byte) (string, bool) {
	i := bytes.LastIndexByte(blank, '\n')
	if i < 0 || len(bytes.Trim(blank[i:], blanks)) > 0 {
		return "", false
	}
	return string(blank[i+1:]), true
}

// indentOf is the indentation of the line at an offset.
func indentOf(text []byte, offset int) string {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// write writes a value whose closing brace goes to a line with an indentation.
func (s style) write(value any, indent string) string {
	switch v := value.(type) {
	case object:
		var b strings.Builder
		b.WriteString("{")
		for i, f := range v {
			switch {
			case s.newline != "":
				b.WriteString(s.newline + indent + s.unit)
			case i > 0:
				b.WriteString(s.comma[1:])
			}
			b.WriteString(quote(f.key) + s.colon + s.write(f.value, indent+s.unit))
			if i < len(v)-1 {
				b.WriteString(",")
			}
		}
		if s.newline != "" {
			b.WriteString(s.newline + indent)
		}
		return b.String() + "}"
	case hujson.Value:
		return s.copied(v, indent)
	case []string:
		quoted := make([]string, len(v))
		for i, word := range v {
			quoted[i] = quote(word)
		}
		return "[" + strings.Join(quoted, s.comma) + "]"
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return quote(value.(string))
}

// copied writes a value of another text in this style; its comments are left there.
func (s style) copied(v hujson.Value, indent string) string {
	switch v := v.Value.(type) {
	case *hujson.Object:
		members := object{}
		for _, m := range v.Members {
			members = append(members, field{m.Name.Value.(hujson.Literal).String(), m.Value})
		}
		if len(members) > 0 {
			return s.write(members, indent)
		}
		return "{}"
	case *hujson.Array:
		items := make([]string, len(v.Elements))
		for i, item := range v.Elements {
			items[i] = s.copied(item, indent)
		}
		return "[" + strings.Join(items, s.comma) + "]"
	}
	return string(v.Value.(hujson.Literal))
}

// quote writes a string as JSON does.
func quote(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can be written
	return strings.TrimSuffix(b.String(), "\n")
}

// splice replaces parts of a text, which don't overlap.
type splice struct {
	start, end int
	text       string
}

func apply(text []byte, splices ...splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.start - b.start })
	var b []byte
	done := 0
	for _, s := range splices {
		b = append(append(b, text[done:s.start]...), s.text...)
		done = s.end
	}
	return append(b, text[done:]...)
}

// insertMember adds a key to an object at its end.
func insertMember(text []byte, s style, at *hujson.Value, key string, value any) []byte {
	o := at.Value.(*hujson.Object)
	end := at.EndOffset - 1
	outer := indentOf(text, at.StartOffset)
	if len(o.Members) == 0 {
		return insertOnly(text, s, at, outer, key, value)
	}
	first, last := o.Members[0], o.Members[len(o.Members)-1]
	tail := text[end-len(o.AfterExtra) : end]
	kept := bytes.TrimRight(tail, blanks)
	insert := end - len(tail) + len(kept)
	before, indent := "", ""
	switch inner, ok := lastIndent(first.Name.BeforeExtra); {
	case ok && s.newline != "":
		before, indent = s.newline+inner, inner
	case bytes.Contains(tail, []byte("\n")):
		before, indent = s.newline+outer+s.unit, outer+s.unit
	default: // all on one line
		before, s.newline = s.comma[1:], ""
	}
	member := before + quote(key) + s.colon + s.write(value, indent)
	if last.Value.AfterExtra != nil { // so there is a comma behind the last one
		return apply(text, splice{insert, insert, member + ","})
	}
	return apply(text, splice{last.Value.EndOffset, last.Value.EndOffset, ","}, splice{insert, insert, member})
}

// insertOnly adds a key to an object that has none, but maybe comments.
func insertOnly(text []byte, s style, at *hujson.Value, outer, key string, value any) []byte {
	inner := text[at.StartOffset+1 : at.EndOffset-1]
	kept := bytes.TrimRight(inner, blanks)
	tail := string(inner[len(kept):])
	if !strings.Contains(tail, "\n") && s.newline != "" {
		tail = s.newline + outer
	}
	before := s.newline
	if before != "" {
		before += outer + s.unit
	}
	member := before + quote(key) + s.colon + s.write(value, outer+s.unit)
	return apply(text, splice{at.StartOffset + 1 + len(kept), at.EndOffset - 1, member + tail})
}

// removeMember takes a key out of an object. Comments around it stay.
func removeMember(text []byte, at *hujson.Value, i int) []byte {
	o := at.Value.(*hujson.Object)
	m := o.Members[i]
	before := m.Name.BeforeExtra
	kept := bytes.TrimRight(before, blanks)
	start, end := m.Name.StartOffset-len(before)+len(kept), m.Value.EndOffset
	if len(o.Members) == 1 && len(kept) == 0 && len(bytes.Trim(o.AfterExtra, blanks)) == 0 && len(bytes.Trim(m.Value.AfterExtra, blanks)) == 0 {
		return apply(text, splice{at.StartOffset + 1, at.EndOffset - 1, ""})
	}
	splices := []splice{{start, end, ""}}
	rest := end
	if i < len(o.Members)-1 || m.Value.AfterExtra != nil {
		comma := end + len(m.Value.AfterExtra)
		splices = append(splices, splice{comma, comma + 1, ""})
		rest = comma + 1
	} else if i > 0 {
		previous := o.Members[i-1].Value
		comma := previous.EndOffset + len(previous.AfterExtra)
		splices = append(splices, splice{comma, comma + 1, ""})
	}
	// A comment up to the end of its line must not swallow what follows.
	lastLine := kept[bytes.LastIndexByte(kept, '\n')+1:]
	follows, _, _ := bytes.Cut(text[rest:], []byte("\n"))
	if bytes.Contains(lastLine, []byte("//")) && len(bytes.Trim(follows, blanks)) > 0 {
		splices[0].text = string(before[len(kept):])
	}
	return apply(text, splices...)
}
