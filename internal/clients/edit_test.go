package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"mcp-memory/internal/clients"
)

var ours = clients.Server{Name: "memory", Command: "/opt/mcp-memory", Args: []string{"--db", "/data/notes.db"}}

// Each file in testdata/layouts is a configuration as clients have it: its
// comment names the client and the file, and whether uninstalling gives back
// the file that was there ("exact", else "left" shows what is left).
func TestLayouts(t *testing.T) {
	files, err := filepath.Glob("testdata/layouts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no layouts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(string(archive.Comment))
			text := map[string]string{}
			for _, f := range archive.Files {
				text[f.Name] = string(f.Data)
			}
			edit := func(s string) string { // what a txtar can't hold
				s = strings.ReplaceAll(s, "␍\n", "\r\n")
				s = strings.ReplaceAll(s, "␃\n", "")
				return strings.ReplaceAll(s, "␂", "\xef\xbb\xbf")
			}
			path := filepath.Join(t.TempDir(), words[1])
			before, exists := text["before"]
			before = edit(before)
			if exists {
				writeFile(t, path, before)
			}
			client := clientOf(t, words[0])

			change := install(t, client, path)
			apply(t, change)
			if diff := cmp.Diff(edit(text["after"]), readFile(t, path)); diff != "" {
				t.Errorf("installed (-want +got):\n%s", diff)
			}
			if got, ok := open(t, client, path).Server("memory"); !ok || got.Command != ours.Command || !cmp.Equal(got.Args, ours.Args) {
				t.Errorf("the entry reads as %+v", got)
			}
			if again := install(t, client, path); !again.Empty() {
				t.Errorf("installing again changes:\n%s", again.Diff())
			}

			removal, err := open(t, client, path).Uninstall("memory")
			if err != nil {
				t.Fatal(err)
			}
			apply(t, removal)
			switch left, differs := text["left"]; {
			case !exists:
				if _, err := os.Stat(path); err == nil {
					t.Errorf("the file that was made is left:\n%s", readFile(t, path))
				}
			case differs:
				if diff := cmp.Diff(edit(left), readFile(t, path)); diff != "" {
					t.Errorf("uninstalled (-want +got):\n%s", diff)
				}
			default:
				if diff := cmp.Diff(before, readFile(t, path)); diff != "" {
					t.Errorf("not as before (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func clientOf(t *testing.T, id string) clients.Client {
	t.Helper()
	client, ok := clients.Find(id)
	if !ok {
		t.Fatalf("no client %q", id)
	}
	return client
}

func open(t *testing.T, client clients.Client, path string) *clients.Config {
	t.Helper()
	config, err := client.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func install(t *testing.T, client clients.Client, path string) clients.Change {
	t.Helper()
	change, err := open(t, client, path).Install(ours, false)
	if err != nil {
		t.Fatal(err)
	}
	return change
}

func apply(t *testing.T, change clients.Change) string {
	t.Helper()
	backup, err := change.Apply()
	if err != nil {
		t.Fatal(err)
	}
	return backup
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
