package clients

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
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
		text, err := d.remove(server.Entry())
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

func (d *tomlDocument) others(but ...Entry) (any, error) {
	var all map[string]any
	if err := toml.Unmarshal(d.text, &all); err != nil {
		return nil, fmt.Errorf("reading what was written: %w", err)
	}
	if all == nil {
		all = map[string]any{}
	}
	all = without(all, d.keys)
	for _, e := range but {
		all = without(all, d.keys, e.Name)
	}
	return all, nil
}

// closeUp has nothing to do: a server has a table of its own.
func (d *tomlDocument) closeUp(document) ([]byte, error) { return d.text, nil }

func (d *tomlDocument) bare() bool { return len(bytes.Trim(d.text, blanks)) == 0 }

func (d *tomlDocument) oddity() int { return 0 }

// local lists none: no client with a file of this form has servers for a folder in it.
func (d *tomlDocument) local() []Server { return nil }

// putBack is not possible: what belongs to an entry may lie in several places.
func (d *tomlDocument) putBack(document, Entry) ([]byte, bool) { return nil, false }

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
