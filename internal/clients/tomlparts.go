package clients

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlPart is a header or a value of the file.
type tomlPart struct {
	path       []string
	start, end int
	value      int  // where the value starts, 0 for a header
	inline     bool // within the braces of another value
}

// tomlParts lists the headers and values of a text that is valid.
func tomlParts(text []byte) []tomlPart {
	var parts []tomlPart
	var table []string
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		expression := p.Expression()
		keys, first, last := tomlKey(expression)
		if expression.Kind != unstable.KeyValue {
			table = keys
			start := bytes.LastIndexByte(text[:first], '[')
			end := last + bytes.IndexByte(text[last:], ']') + 1
			if expression.Kind == unstable.ArrayTable {
				start, end = start-1, end+1
			}
			parts = append(parts, tomlPart{path: keys, start: start, end: end})
			continue
		}
		parts = appendValue(parts, text, table, expression, false)
	}
	return parts
}

// appendValue appends a value, and what it has in braces.
func appendValue(parts []tomlPart, text []byte, table []string, expression *unstable.Node, inline bool) []tomlPart {
	keys, first, last := tomlKey(expression)
	end := int(expression.Raw.Offset + expression.Raw.Length)
	end = first + len(bytes.TrimRight(text[first:end], blanks))
	equals := last + bytes.IndexByte(text[last:], '=') + 1
	value := end - len(bytes.TrimLeft(text[equals:end], blanks))
	path := append(slices.Clone(table), keys...)
	parts = append(parts, tomlPart{path: path, start: first, end: end, value: value, inline: inline})
	if expression.Value().Kind != unstable.InlineTable {
		return parts
	}
	for children := expression.Value().Children(); children.Next(); {
		if child := children.Node(); child.Kind == unstable.KeyValue {
			parts = appendValue(parts, text, path, child, true)
		}
	}
	return parts
}

// tomlKey is the key of an expression, and where it starts and ends.
func tomlKey(expression *unstable.Node) (keys []string, start, end int) {
	for key := expression.Key(); key.Next(); {
		node := key.Node()
		if len(keys) == 0 {
			start = int(node.Raw.Offset)
		}
		end = int(node.Raw.Offset + node.Raw.Length)
		keys = append(keys, string(node.Data))
	}
	return keys, start, end
}
