package paths_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/internal/paths"
)

func TestExpand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for path, want := range map[string]string{
		"~":                           home,
		"~/a/b":                       filepath.Join(home, "a", "b"),
		"$HOME/a":                     filepath.Join(home, "a"),
		"${HOME}/a":                   filepath.Join(home, "a"),
		"${env:HOME}/a":               filepath.Join(home, "a"),
		`%USERPROFILE%\a`:             filepath.Join(home, "a"),
		"$HOME":                       home,
		"/a/~/b":                      "/a/~/b",
		"/a/$HOME/b":                  "/a/$HOME/b",
		"~other/a":                    "~other/a",
		"a":                           "a",
		"a$b":                         "a$b",
		"$":                           "$",
		"":                            "",
		" /a/b.db\n":                  "/a/b.db",
		`"/a/b c.db"`:                 "/a/b c.db",
		"'~/a'":                       filepath.Join(home, "a"),
		"file:///a/b%20c.jsonl":       "/a/b c.jsonl",
		"file://localhost/a/b.jsonl":  "/a/b.jsonl",
		"file:memory.db":              "file:memory.db",
		`"`:                           `"`,
		"/notas de José/memoria 1.db": "/notas de José/memoria 1.db",
	} {
		if got, err := paths.Expand(path); err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"$XDG_DATA_HOME/m.db", "${workspaceFolder}/m.db", "${input:db}", "%APPDATA%/m.db", "file://server/share/m.jsonl", "file://"} {
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
