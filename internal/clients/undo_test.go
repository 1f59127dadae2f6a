package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/clients"
)

const official = `"memory": {"command": "npx", "args": ["@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "/x"}}`

// What came since the installation stays, and what the installation made goes.
func TestUninstallAfterOtherChanges(t *testing.T) {
	const since = `"since": true, `
	for name, c := range map[string]struct{ file, client, before, left string }{
		"a place that was made":     {"mcp.json", "cursor", `{"a":1}`, `{"since": true, "a":1}`},
		"a place of two keys":       {"settings.json", "vscode", `{"a":1, "mcp": {}}`, `{"since": true, "a":1, "mcp": {}}`},
		"two keys, neither there":   {"settings.json", "vscode", `{"a":1}`, `{"since": true, "a":1}`},
		"a place that was there":    {"mcp.json", "cursor", `{"mcpServers": {}}`, `{"since": true, "mcpServers": {}}`},
		"a server that was there":   {"mcp.json", "cursor", `{"mcpServers": {"files": {}}}`, `{"since": true, "mcpServers": {"files": {}}}`},
		"the place of another":      {"mcp.json", "cursor", `{"mcpServers": {` + official + `}}`, `{"since": true, "mcpServers": {` + official + `}}`},
		"a comment within the file": {"mcp.json", "cursor", "{\"a\":1 // it\n}", "{\"since\": true, \"a\":1 // it\n}"},
	} {
		t.Run(name, func(t *testing.T) {
			client, path := clientOf(t, c.client), filepath.Join(t.TempDir(), c.file)
			writeFile(t, path, c.before)
			change, err := open(t, client, path).Install(ours, false, named(replacedIn(c.before)...)...)
			if err != nil {
				t.Fatal(err)
			}
			backup := apply(t, change)
			writeFile(t, path, strings.Replace(readFile(t, path), "{", "{"+since, 1))
			removal, err := open(t, client, path).Uninstall("memory")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.left, string(removal.After)); diff != "" {
				t.Errorf("uninstalled (-want +got):\n%s", diff)
			}
			var former clients.Former
			if names := replacedIn(c.before); names != nil {
				former = clients.Former{Entries: named(names...), Copy: backup, Back: true}
			}
			if diff := cmp.Diff(former, removal.Former); diff != "" {
				t.Errorf("what was there before (-want +got):\n%s", diff)
			}
		})
	}
}

// named are entries for all folders.
func named(names ...string) (entries []clients.Entry) {
	for _, name := range names {
		entries = append(entries, clients.Entry{Name: name})
	}
	return entries
}

func replacedIn(text string) []string {
	if strings.Contains(text, "server-memory") {
		return []string{"memory"}
	}
	return nil
}

// Servers that were replaced come back, whatever their names were, and also
// where ours was brought up to date since.
func TestUninstallPutsBack(t *testing.T) {
	for client, before := range map[string]string{
		"cursor": "{\n  // mine\n  \"mcpServers\": {\n    " + official + `,` + strings.Replace(official, "memory", "old", 1) + "\n  }\n}\n",
		"codex":  "[mcp_servers.memory]\ncommand = \"uvx\"\nargs = [\"mcp-memory\"]\n\n[mcp_servers.old]\ncommand = \"uvx\"\nargs = [\"mcp-memory\"]\n[tui]\n",
	} {
		client, path := clientOf(t, client), filepath.Join(t.TempDir(), "config")
		writeFile(t, path, before)
		change, err := open(t, client, path).Install(ours, false, named("memory", "old")...)
		if err != nil {
			t.Fatal(err)
		}
		first := apply(t, change)
		other := ours
		other.Args = nil
		if change, err = open(t, client, path).Install(other, false); err != nil {
			t.Fatal(err)
		}
		apply(t, change)
		removal, err := open(t, client, path).Uninstall("memory")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(clients.Former{Entries: named("memory", "old"), Copy: first, Back: true}, removal.Former); diff != "" {
			t.Errorf("%s (-want +got):\n%s", client.ID, diff)
		}
		apply(t, removal)
		if diff := cmp.Diff(before, readFile(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", client.ID, diff)
		}
	}
}

// Of several copies the one from before the last installation counts.
func TestUninstallGoesByTheLastCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	cursor := clientOf(t, "cursor")
	writeFile(t, path, `{"mcpServers": {`+official+`}}`)
	change, err := open(t, cursor, path).Install(ours, false, named("memory")...)
	if err != nil {
		t.Fatal(err)
	}
	past := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(apply(t, change), past, past); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, `{"a": 1}`) // by the user
	apply(t, install(t, cursor, path))
	removal, err := open(t, cursor, path).Uninstall("memory")
	if err != nil || string(removal.After) != `{"a": 1}` || removal.Former.Entries != nil {
		t.Errorf("%+v, %v", removal, err)
	}
}

// A file that was made goes again, also where what was installed into it has changed since.
func TestUninstallRemovesWhatWasMade(t *testing.T) {
	other := ours
	other.Args = []string{"--model-idle", "1h"}
	second := ours
	second.Name = "second"
	for name, c := range map[string]struct {
		client   string
		before   string // "-" is no file
		installs []clients.Server
		left     string // likewise
	}{
		"brought up to date":            {"gemini", "-", []clients.Server{ours, other}, "-"},
		"and again":                     {"gemini", "-", []clients.Server{ours, other, ours}, "-"},
		"two entries":                   {"gemini", "-", []clients.Server{ours, second}, "-"},
		"an empty file was there":       {"gemini", "", []clients.Server{ours, other}, ""},
		"an empty object was there":     {"gemini", "{}", []clients.Server{ours, other}, "{}"},
		"an empty place was there":      {"gemini", `{"mcpServers": {}}`, []clients.Server{ours, other}, `{"mcpServers": {}}`},
		"something else was there":      {"gemini", `{"a": 1}`, []clients.Server{ours, other}, `{"a": 1}`},
		"another server was there":      {"gemini", `{"mcpServers": {"files": {}}}`, []clients.Server{ours, other}, `{"mcpServers": {"files": {}}}`},
		"what was installed, by itself": {"gemini", "-", []clients.Server{ours}, "-"},
		"in TOML":                       {"codex", "-", []clients.Server{ours, other}, "-"},
		"two keys down":                 {"vscode", "-", []clients.Server{ours, other}, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			client, path := clientOf(t, c.client), filepath.Join(t.TempDir(), "settings.json")
			if c.before != "-" {
				writeFile(t, path, c.before)
			}
			names := map[string]bool{}
			for _, server := range c.installs {
				change, err := open(t, client, path).Install(server, false)
				if err != nil {
					t.Fatal(err)
				}
				apply(t, change)
				names[server.Name] = true
			}
			for name := range names {
				removal, err := open(t, client, path).Uninstall(name)
				if err != nil {
					t.Fatal(err)
				}
				apply(t, removal)
			}
			left := "-"
			if text, err := os.ReadFile(path); err == nil {
				left = string(text)
			}
			if left != c.left {
				t.Errorf("left: %q, want %q", left, c.left)
			}
		})
	}
}
