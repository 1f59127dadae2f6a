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
		"~":        home,
		"~/a/b":    filepath.Join(home, "a", "b"),
		"/a/~/b":   "/a/~/b",
		"~other/a": "~other/a",
		"a":        "a",
		"":         "",
	} {
		if got, err := paths.Expand(path); err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
}
