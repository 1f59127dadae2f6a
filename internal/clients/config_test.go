package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/clients"
)

// What can't be read is refused with the line, and stays as it is.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ client, text, want string }{
		"cut off":        {"claude-desktop", "{\n  \"mcpServers\": {\n", "it is not valid JSON: line 3, column 1: "},
		"no comma":       {"cursor", "{\n  \"a\": 1\n  \"b\": 2\n}\n", "it is not valid JSON: line 3, column 3: "},
		"open comment":   {"zed", "/* {\n}", "it is not valid JSON: line "},
		"two values":     {"zed", "{}\n{}\n", "it is not valid JSON: line 2, column 1: "},
		"a list":         {"cursor", "\n[]\n", "line 2 holds a list instead of an object"},
		"servers a list": {"windsurf", "{\n  \"mcpServers\": []\n}\n", "\"mcpServers\" in line 2 is a list instead of an object"},
		"servers a text": {"gemini", "{\"mcpServers\": \"none\"}", "\"mcpServers\" in line 1 is a text instead of an object"},
		"mcp a number":   {"opencode", "{\n\n\"mcp\": 1}", "\"mcp\" in line 3 is a number instead of an object"},
		"UTF-16":         {"claude-desktop", "\xff\xfe{\x00}\x00", "it is written in UTF-16"},
		"TOML":           {"codex", "model = \"a\"\n[mcp_servers\n", "it is not valid TOML: line 2, column "},
		"TOML twice":     {"codex", "a = 1\na = 2\n", "it is not valid TOML: "},
		"TOML a list":    {"codex", "[[mcp_servers]]\ncommand = 'a'\n", "mcp_servers is not a table"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config")
			writeFile(t, path, c.text)
			_, err := clientOf(t, c.client).Open(path)
			var refused *clients.FileError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
			if got := readFile(t, path); got != c.text {
				t.Errorf("the file has become %q", got)
			}
		})
	}
	if _, err := clientOf(t, "cursor").Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is not a file") {
		t.Errorf("a folder: %v", err)
	}
}

// An entry of a form in which it can't start a program is not patched up.
func TestInstallRefusesAnEntryOfAnotherForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	writeFile(t, path, "[mcp_servers.memory]\nurl = \"https://example.com\"\n")
	config := open(t, clientOf(t, "codex"), path)
	if change, err := config.Install(ours, false); err == nil {
		t.Errorf("no error, but\n%s", change.Diff())
	}
	change, err := config.Install(ours, true)
	if err != nil {
		t.Fatal(err)
	}
	want := "[mcp_servers.memory]\ncommand = \"/opt/mcp-memory\"\nargs = [\"--db\", \"/data/notes.db\"]\n"
	if got := strings.TrimLeft(string(change.After), "\n"); got != want {
		t.Errorf("anew: got\n%s", got)
	}
}

func TestInstallInsteadOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	writeFile(t, path, `{
  "mcpServers": {
    "notes": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]},
    "files": {"command": "files"},
    "memory": {"command": "uvx", "args": ["mcp-memory"], "env": {"HOME": "/h"}}
  }
}
`)
	change, err := open(t, clientOf(t, "cursor"), path).Install(ours, false, named("notes", "memory")...)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "mcpServers": {
    "files": {"command": "files"},
    "memory": {
      "command": "/opt/mcp-memory",
      "args": ["--db", "/data/notes.db"]
    }
  }
}
`
	if string(change.After) != want {
		t.Errorf("got\n%s", change.After)
	}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		client, text, want string
	}{
		{"claude-desktop", "{\n  \"a\": \"//\", // b\n}\n", "line 2 has a comment or a surplus comma"},
		{"claude-code", "{\"a\": [1,\n],\n\"b\": 2}\n", "line 1 has a comment or a surplus comma"},
		{"claude-desktop", "\xef\xbb\xbf{}", "byte-order mark"},
		{"cursor", "\xef\xbb\xbf{} // here", ""},
		{"zed", "{} // here", ""},
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		writeFile(t, path, c.text)
		notes := strings.Join(open(t, clientOf(t, c.client), path).Notes(), "; ")
		if c.want == "" && notes != "" || !strings.Contains(notes, c.want) {
			t.Errorf("%s, %q: %q", c.client, c.text, notes)
		}
	}
}

func TestSnippet(t *testing.T) {
	for id, want := range map[string]string{
		"vscode":   "{\n  \"servers\": {\n    \"memory\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/mcp-memory\",\n",
		"opencode": "{\n  \"mcp\": {\n    \"memory\": {\n      \"type\": \"local\",\n      \"command\": [\"/opt/mcp-memory\", \"--db\", \"/data/notes.db\"],\n",
		"codex":    "[mcp_servers.memory]\ncommand = \"/opt/mcp-memory\"\n",
	} {
		got, err := clientOf(t, id).Snippet(filepath.Join(t.TempDir(), "mcp.json"), ours)
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: %v\n%s", id, err, got)
		}
	}
}

// Names and words that have to be quoted come back as they were.
func TestQuoting(t *testing.T) {
	server := clients.Server{
		Name: "my \"own\" memory.1 é", Command: `C:\Program Files\mcp-memory.exe`,
		Args: []string{"--db", "a'b\"c\\d\te\x7f<&>\u2028", ""},
	}
	for _, client := range clients.All {
		path := filepath.Join(t.TempDir(), "config")
		change, err := open(t, client, path).Install(server, false)
		if err != nil {
			t.Errorf("%s: %v", client.ID, err)
			continue
		}
		apply(t, change)
		if again, err := open(t, client, path).Install(server, false); err != nil || !again.Empty() {
			t.Errorf("%s: installing again: %v\n%s", client.ID, err, again.Diff())
		}
		removal, err := open(t, client, path).Uninstall(server.Name)
		if err != nil || !removal.Delete {
			t.Errorf("%s: uninstalling: %v\n%s", client.ID, err, removal.Diff())
		}
	}
}

// A file that was there before is not removed, even if nothing is left in it.
func TestUninstallKeepsWhatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	writeFile(t, path, "{}\n")
	cursor := clientOf(t, "cursor")
	if backup := apply(t, install(t, cursor, path)); backup != path+".bak-mcp-memory-1" || readFile(t, backup) != "{}\n" {
		t.Errorf("the copy is %s", backup)
	}
	change, err := open(t, cursor, path).Uninstall("memory")
	if err != nil {
		t.Fatal(err)
	}
	if backup := apply(t, change); backup != path+".bak-mcp-memory-2" {
		t.Errorf("the second copy is %s", backup)
	}
	if got := readFile(t, path); got != "{}\n" {
		t.Errorf("left: %q", got)
	}
	if _, err := os.Stat(path + ".bak-mcp-memory-1"); err != nil {
		t.Error(err)
	}
}
