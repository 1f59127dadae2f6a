package paths_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/paths"
)

func TestExpand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(t.TempDir())
	there := filepath.Join(home, "$there")
	for _, folder := range []string{there, filepath.Join(home, "${there}.d"), "~there", "$here"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"~":                           home,
		"~/a/b":                       filepath.Join(home, "a", "b"),
		"$HOME/a":                     filepath.Join(home, "a"),
		"${HOME}/a":                   filepath.Join(home, "a"),
		"${env:HOME}/a":               filepath.Join(home, "a"),
		`%USERPROFILE%\a`:             filepath.Join(home, "a"),
		"$HOME":                       home,
		"/a/~/b":                      "/a/~/b",
		"{env:HOME}/a":                filepath.Join(home, "a"),
		"$env:HOME/a":                 filepath.Join(home, "a"),
		`$Env:UserProfile\a`:          filepath.Join(home, "a"),
		"${env:USERPROFILE}/a":        filepath.Join(home, "a"),
		"${userHome}/a":               filepath.Join(home, "a"),
		there + "/a/b.db":             there + "/a/b.db",
		"~/$there/a":                  filepath.Join(home, "$there", "a"),
		"~/${there}.d/a":              filepath.Join(home, "${there}.d", "a"),
		"~there/a":                    "~there/a",
		"$here/a":                     "$here/a",
		"~notes.jsonl":                "~notes.jsonl",
		"/a/b$c/$.db":                 "/a/b$c/$.db",
		"/a/{b}/100%/%.db":            "/a/{b}/100%/%.db",
		"/a/US$5/$5/x":                "/a/US$5/$5/x",
		"a":                           "a",
		"a$b":                         "a$b",
		"$":                           "$",
		"":                            "",
		" /a/b.db\n":                  "/a/b.db",
		`"/a/b c.db"`:                 "/a/b c.db",
		"'~/a'":                       filepath.Join(home, "a"),
		"file:///a/b%20c.jsonl":       "/a/b c.jsonl",
		"file://localhost/a/b.jsonl":  "/a/b.jsonl",
		"file:/a/b.db":                "/a/b.db",
		"FILE:///a/b.db":              "/a/b.db",
		"file:memory.db":              "file:memory.db",
		`"`:                           `"`,
		"/notas de José/memoria 1.db": "/notas de José/memoria 1.db",
	} {
		if got, err := paths.Expand(path); err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
	for _, path := range []string{
		"$XDG_DATA_HOME/m.db", "${workspaceFolder}/m.db", "${input:db}", "%APPDATA%/m.db", "file://server/share/m.jsonl", "file://",
		"~other/m.db", "$(pwd)/m.db", "$(dirname a)/m.db", "/tmp/$USER/m.db", "/tmp/$USER", "/tmp/${USER}/m.db", "/tmp/${USER}.db", "/a/{env:USER}/m.db",
		"/a/$HOME/b", "/a/$env:USER/b", `C:\%APPDATA%\m.db`, "~/$USER/m.db", "/a/$(id -un)/m.db", "file:///tmp/$USER/m.db", "$there/$USER/m.db", "$here/$USER/m.db",
	} {
		if got, err := paths.Expand(path); err == nil {
			t.Errorf("Expand(%q) = %q, want an error", path, got)
		}
	}
}

// Some clients start servers with an empty environment.
func TestExpandWithoutEnvironment(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	if got, err := paths.Expand("~/a"); err != nil || !filepath.IsAbs(got) || filepath.Base(got) != "a" {
		t.Errorf("Expand = %q, %v; want a in the home folder", got, err)
	}
}
