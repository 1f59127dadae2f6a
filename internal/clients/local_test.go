package clients_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/clients"
)

// Claude Code's own file has servers for single folders, too.
const withFolders = `{
  "projects": {
    "/work/app": {
      "mcpServers": {
        "memory": {"command": "npx", "args": ["@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "/x", "N": "1"}, "timeout": 5e3, "list": [1, {"a": []}], "off": null}
      },
      "lastCost": 0.5
    },
    "/work/none": null,
    "/work/empty": {}
  },
  "mcpServers": {
    "memory": {"command": "uvx", "args": ["mcp-memory"]}
  }
}
`

var inApp = clients.Entry{Name: "memory", Folder: "/work/app"}

func TestServersOfFolders(t *testing.T) {
	for id, want := range map[string][]clients.Entry{"claude-code": {inApp}, "cursor": nil, "zed": nil} {
		path := filepath.Join(t.TempDir(), "config.json")
		writeFile(t, path, withFolders)
		var got []clients.Entry
		for _, server := range open(t, clientOf(t, id), path).Local() {
			got = append(got, server.Entry())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// What is taken out of a folder has the same name as what comes for all.
func TestInstallInsteadOfAServerOfAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".claude.json")
	writeFile(t, path, withFolders)
	claude := clientOf(t, "claude-code")
	change, err := open(t, claude, path).Install(ours, false, inApp, clients.Entry{Name: "memory"})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, change)
	config := open(t, claude, path)
	if left := config.Local(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if got, _ := config.Server("memory"); got.Command != ours.Command {
		t.Errorf("for all: %+v", got)
	}
	if got := readFile(t, path); !strings.Contains(got, `"mcpServers": {},
      "lastCost": 0.5`) {
		t.Errorf("got\n%s", got)
	}
	removal, err := config.Uninstall("memory")
	if err != nil || !removal.Former.Back {
		t.Fatalf("%+v, %v", removal.Former, err)
	}
	if diff := cmp.Diff(withFolders, string(removal.After)); diff != "" {
		t.Errorf("uninstalled (-want +got):\n%s", diff)
	}
}

// Where the file has changed since, all of an entry comes back, if its folder is still there.
func TestUninstallPutsBackIntoAFolder(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		back     bool
	}{
		"other numbers":  {`"lastCost": 0.5`, `"lastCost": 0.75, "lastDuration": 12`, true},
		"no such folder": {`"/work/app"`, `"/work/moved"`, false},
		"no place in it": {`"mcpServers": {},`, `"a": 1,`, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), ".claude.json")
			claude := clientOf(t, "claude-code")
			writeFile(t, path, withFolders)
			change, err := open(t, claude, path).Install(ours, false, inApp, clients.Entry{Name: "memory"})
			if err != nil {
				t.Fatal(err)
			}
			backup := apply(t, change)
			changed := strings.Replace(readFile(t, path), c.old, c.new, 1)
			writeFile(t, path, changed)
			removal, err := open(t, claude, path).Uninstall("memory")
			if err != nil {
				t.Fatal(err)
			}
			if removal.Former.Back != c.back || removal.Former.Copy != backup {
				t.Errorf("what was there before: %+v", removal.Former)
			}
			after := string(removal.After)
			if strings.Contains(after, ours.Command) || !strings.Contains(after, c.new) {
				t.Errorf("uninstalled:\n%s", after)
			}
			for _, entry := range []string{`"N": "1"`, `"timeout": 5e3`, `1, {`, `"off": null`, `"uvx"`} {
				if c.back && !strings.Contains(after, entry) {
					t.Errorf("%s is not there again:\n%s", entry, after)
				}
			}
		})
	}
}
