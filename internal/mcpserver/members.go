package mcpserver

import (
	"bytes"
	"encoding/json"
)

// members splits valid JSON into the members of the object that it is; of a name
// that comes twice, the last. It returns nil for anything else. The values share
// raw's memory: a call may have 64 MB, and going through it again takes a while.
func members(raw json.RawMessage) map[string]json.RawMessage {
	raw = bytes.TrimLeft(raw, blanks)
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	found := map[string]json.RawMessage{}
	rest := bytes.TrimLeft(raw[1:], blanks)
	for len(rest) > 0 && rest[0] == '"' {
		end := stringEnd(rest)
		name := text(rest[:end])
		rest = bytes.TrimLeft(rest[end:], blanks+":")
		end = valueEnd(rest)
		found[name] = bytes.TrimRight(rest[:end:end], blanks)
		rest = bytes.TrimLeft(rest[end:], blanks+",")
	}
	return found
}

const blanks = " \t\r\n"

// stringEnd returns the length of the string that valid JSON begins with.
func stringEnd(raw []byte) int {
	end := 1
	for {
		quote := bytes.IndexByte(raw[end:], '"')
		if quote < 0 {
			return len(raw)
		}
		escapes := 0
		for raw[end+quote-1-escapes] == '\\' {
			escapes++
		}
		if end += quote + 1; escapes%2 == 0 {
			return end
		}
	}
}

// valueEnd returns the length of the member's value that valid JSON begins with.
func valueEnd(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i += stringEnd(raw[i:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(raw)
}
