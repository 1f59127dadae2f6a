package clients

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlDocument is a configuration file in TOML. It is edited as a text, guided
// by a parser.
type tomlDocument struct {
	text   []byte
	values map[string]any
	parts  []tomlPart
	layout layout
	keys   []string
}

// tomlPart is a header or a value of the file.
type tomlPart struct {
	path       []string
	start, end int
	value      int  // where the value starts, 0 for a header
	inline     bool // within the braces of another value
}

func parseTOML(_ string, text []byte, l layout) (document, error) {
	d := &tomlDocument{text: text, layout: l, keys: l.keys("", noJSON)}
	if err := toml.Unmarshal(text, &d.values); err != nil {
		if broken, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, column := broken.Position()
			return nil, fmt.Errorf("it is not valid TOML: line %d, column %d: %s", row, column, strings.TrimPrefix(broken.Error(), "toml: "))
		}
		return nil, fmt.Errorf("it is not valid TOML: %w", err)
	}
	if d.values == nil {
		d.values = map[string]any{}
	}
	if servers, exists := d.values[d.keys[0]]; exists {
		if _, isTable := servers.(map[string]any); !isTable {
			return nil, fmt.Errorf("it is not valid for this client: %s is not a table", d.keys[0])
		}
	}
	d.parts = tomlParts(text)
	return d, nil
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

func (d *tomlDocument) table() map[string]any {
	servers, _ := d.values[d.keys[0]].(map[string]any)
	return servers
}

func (d *tomlDocument) servers() []Server {
	var servers []Server
	seen := map[string]bool{}
	for _, part := range d.parts {
		if len(part.path) < 2 || part.path[0] != d.keys[0] || seen[part.path[1]] {
			continue
		}
		name := part.path[1]
		seen[name] = true
		entry, _ := d.table()[name].(map[string]any)
		s := Server{Name: name, Env: map[string]string{}}
		s.Command, _ = entry["command"].(string)
		args, _ := entry["args"].([]any)
		for _, arg := range args {
			s.Args = append(s.Args, fmt.Sprint(arg))
		}
		env, _ := entry["env"].(map[string]any)
		for key, value := range env {
			s.Env[key] = fmt.Sprint(value)
		}
		s.Off = entry["enabled"] == false
		servers = append(servers, s)
	}
	return servers
}

// within says whether a part belongs to a server.
func (d *tomlDocument) within(part tomlPart, name string) bool {
	return len(part.path) >= 2 && part.path[0] == d.keys[0] && part.path[1] == name
}

func (d *tomlDocument) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (d *tomlDocument) put(server Server, anew bool) ([]byte, error) {
	if _, exists := d.table()[server.Name]; exists {
		if !anew {
			return d.update(server), nil
		}
		text, err := d.remove(server.Name)
		if err != nil {
			return nil, err
		}
		next, err := parseTOML("", text, d.layout)
		if err != nil {
			return nil, err
		}
		return next.put(server, false)
	}
	for _, part := range d.parts {
		if len(part.path) == 1 && part.path[0] == d.keys[0] && part.value > 0 { // mcp_servers = { … }
			return d.putInline(part, server), nil
		}
	}
	nl := d.newline()
	block := strings.Join([]string{
		"[" + d.keys[0] + "." + tomlName(server.Name) + "]",
		"command = " + tomlQuote(server.Command),
		"args = " + tomlList(server.Args),
	}, nl)
	switch {
	case len(d.text) == 0:
		return []byte(block + nl), nil
	case bytes.HasSuffix(d.text, []byte("\n")):
		return append(bytes.Clone(d.text), nl+block+nl...), nil
	}
	// So that taking it out again leaves the last line as it was.
	return append(bytes.Clone(d.text), nl+nl+block...), nil
}

// putInline adds a server within the braces of all servers.
func (d *tomlDocument) putInline(servers tomlPart, server Server) []byte {
	end := servers.end - 1
	inner := d.text[servers.value+1 : end]
	kept := bytes.TrimRight(inner, blanks)
	at := servers.value + 1 + len(kept)
	before := " "
	if len(d.table()) > 0 && !bytes.HasSuffix(kept, []byte(",")) {
		before = ", "
	}
	entry := fmt.Sprintf("%s%s = { command = %s, args = %s }", before, tomlName(server.Name), tomlQuote(server.Command), tomlList(server.Args))
	if len(d.table()) == 0 && at == end {
		entry += " "
	}
	return apply(d.text, splice{at, at, entry})
}

// update brings command and arguments up to date and leaves the rest.
func (d *tomlDocument) update(server Server) []byte {
	var command, args *tomlPart
	for i, part := range d.parts {
		if d.within(part, server.Name) && len(part.path) == 3 && part.value > 0 {
			switch part.path[2] {
			case "command":
				command = &d.parts[i]
			case "args":
				args = &d.parts[i]
			}
		}
	}
	if command == nil { // what has no command is no server of ours
		return d.text
	}
	var splices []splice
	entry := d.table()[server.Name].(map[string]any)
	if entry["command"] != server.Command {
		splices = append(splices, splice{command.value, command.end, tomlQuote(server.Command)})
	}
	switch {
	case args != nil:
		splices = append(splices, splice{args.value, args.end, tomlList(server.Args)})
	case len(server.Args) > 0:
		before, at := ", ", command.end
		if !command.inline { // a line of its own, behind a comment
			before = d.newline() + indentOf(d.text, command.start)
			line, _, _ := bytes.Cut(d.text[at:], []byte("\n"))
			at += len(bytes.TrimRight(line, blanks))
		}
		key := strings.TrimSpace(string(d.text[command.start:command.value]))
		key = regexp.MustCompile(`["']?command["']?(\s*=)$`).ReplaceAllString(key, "args$1")
		splices = append(splices, splice{at, at, before + key + " " + tomlList(server.Args)})
	}
	return apply(d.text, splices...)
}

// remove takes out all that belongs to a server. Comments before and behind it
// stay.
func (d *tomlDocument) remove(name string) ([]byte, error) {
	var splices []splice
	for i := 0; i < len(d.parts); i++ {
		if !d.within(d.parts[i], name) {
			continue
		}
		first := d.parts[i]
		last := first
		for i+1 < len(d.parts) && d.within(d.parts[i+1], name) {
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

func (d *tomlDocument) others(names ...string) (any, error) {
	var all map[string]any
	if err := toml.Unmarshal(d.text, &all); err != nil {
		return nil, fmt.Errorf("reading what was written: %w", err)
	}
	if all == nil {
		all = map[string]any{}
	}
	return without(all, d.keys, names), nil
}

func (d *tomlDocument) bare() bool { return len(bytes.Trim(d.text, blanks)) == 0 }

func (d *tomlDocument) oddity() int { return 0 }

func (d *tomlDocument) elsewhere() []string { return nil }

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlName(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return tomlQuote(name)
}

// tomlQuote writes a text as TOML does: as JSON, but for one character.
func tomlQuote(text string) string { return strings.ReplaceAll(quote(text), "\x7f", `\u007F`) }

func tomlList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = tomlQuote(word)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
