package clients

import (
	"bytes"
)

// remove takes out all that belongs to a server. Comments before and behind it
// stay.
func (d *tomlDocument) remove(e Entry) ([]byte, error) {
	var splices []splice
	for i := 0; i < len(d.parts); i++ {
		if !d.within(d.parts[i], e.Name) {
			continue
		}
		first := d.parts[i]
		last := first
		for i+1 < len(d.parts) && d.within(d.parts[i+1], e.Name) {
			i++
			if d.parts[i].end > last.end {
				last = d.parts[i]
			}
		}
		if first.inline {
			splices = append(splices, d.cutInline(first))
		} else {
			splices = append(splices, d.cutLines(first, last))
		}
	}
	return apply(d.text, splices...), nil
}

// cutLines takes out whole lines, and the blank line before a header.
func (d *tomlDocument) cutLines(first, last tomlPart) splice {
	start := bytes.LastIndexByte(d.text[:first.start], '\n') + 1
	end := len(d.text)
	toTheEnd := true
	if i := bytes.IndexByte(d.text[last.end:], '\n'); i >= 0 {
		end, toTheEnd = last.end+i+1, false
	}
	if first.value == 0 {
		start = d.withoutBlankLine(start)
	}
	if toTheEnd && start > 0 { // the line break before is not needed any longer
		start--
		if start > 0 && d.text[start-1] == '\r' {
			start--
		}
	}
	return splice{start: start, end: end}
}

func (d *tomlDocument) withoutBlankLine(start int) int {
	for _, blank := range []string{"\r\n", "\n"} {
		before, ok := bytes.CutSuffix(d.text[:start], []byte(blank))
		if ok && (len(before) == 0 || before[len(before)-1] == '\n') {
			return len(before)
		}
	}
	return start
}

// cutInline takes a value out of braces, with one comma.
func (d *tomlDocument) cutInline(part tomlPart) splice {
	before := bytes.TrimRight(d.text[:part.start], blanks)
	after := bytes.TrimLeft(d.text[part.end:], blanks)
	switch {
	case bytes.HasSuffix(before, []byte(",")):
		return splice{start: len(before) - 1, end: part.end}
	case bytes.HasPrefix(after, []byte(",")):
		after = bytes.TrimLeft(after[1:], blanks)
		return splice{start: part.start, end: len(d.text) - len(after)}
	}
	return splice{start: len(before), end: part.end} // the only one
}
