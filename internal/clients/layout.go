package clients

import (
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// layout is how a client's file is written.
type layout struct {
	toml  bool                                          // TOML instead of JSON
	plain bool                                          // JSON without comments and trailing commas
	noBOM bool                                          // a byte-order mark makes the client lose its servers
	keys  func(path string, root hujson.Value) []string // where the servers are
	// folders is a key under which folders have servers of their own, which count more there.
	folders string
	entry   func(s Server, keys []string) object // a server as a JSON value
}

func fixed(keys ...string) func(string, hujson.Value) []string {
	return func(string, hujson.Value) []string { return keys }
}

// vscodeKeys: in settings.json, servers are one key further down.
func vscodeKeys(path string, _ hujson.Value) []string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	switch filepath.Ext(name) {
	case ".code-workspace":
		return []string{"settings", "mcp", "servers"}
	}
	if name == "settings.json" {
		return []string{"mcp", "servers"}
	}
	return []string{"servers"}
}

// opencodeKeys: OpenCode 2 has a folder of servers and still reads the servers
// of OpenCode 1 beside it, so a file stays in the form that it has.
func opencodeKeys(_ string, root hujson.Value) []string {
	servers := member(member(&root, "mcp"), "servers")
	if servers == nil || servers.Value.Kind() != '{' || member(servers, "type") != nil || member(servers, "enabled") != nil {
		return []string{"mcp"}
	}
	return []string{"mcp", "servers"}
}

// plainEntry is what most clients read.
func plainEntry(s Server, _ []string) object {
	return object{{"command", s.Command}, {"args", s.Args}}
}

// typedEntry also says how to speak to the server.
func typedEntry(s Server, keys []string) object {
	return append(object{{"type", "stdio"}}, plainEntry(s, keys)...)
}

// opencodeEntry has the command line in one list.
func opencodeEntry(s Server, keys []string) object {
	entry := object{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}}
	if len(keys) == 1 {
		entry = append(entry, field{"enabled", true})
	}
	return entry
}

// object is a JSON object in order. Values are strings, lists of strings,
// booleans and objects.
type object []field

type field struct {
	key   string
	value any
}
