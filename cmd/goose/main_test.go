package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// output runs the command and returns what it says.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatalf("goose %v: %v", args, err)
	}
	return out.String()
}

func TestUpAndDown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	for _, step := range []struct {
		args []string
		want string // a pattern
	}{
		{[]string{"up-to", "2"}, `00001_tables.sql[^\n]*\n[^\n]*00002_search.sql[^\n]*\nschema version 2 of 8`},
		{[]string{"version"}, `^schema version 2 of 8\n$`},
		{[]string{"up"}, `00003_pairs.sql[^\n]*\n[^\n]*00004_marks.sql[^\n]*\n[^\n]*00005_text.go(.|\n)*00008_renewals.sql[^\n]*\nschema version 8 of 8`},
		{[]string{"up"}, `^schema version 8 of 8\n$`},
		{[]string{"status"}, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +00001_tables.sql\n(.+\n){6}.+00008_renewals.sql\n$`},
		{[]string{"down"}, `00008_renewals.sql[^\n]*\nschema version 7 of 8`},
		{[]string{"status"}, `\npending +00008_renewals.sql\n$`},
		{[]string{"down-to", "0"}, `schema version 0 of 8`},
		{[]string{"down"}, `^schema version 0 of 8\n$`},
		{[]string{"up"}, `schema version 8 of 8`},
	} {
		got := output(t, append([]string{"--db", path}, step.args...)...)
		if !regexp.MustCompile(step.want).MatchString(got) {
			t.Errorf("goose %v said %q, which does not match %s", step.args, got, step.want)
		}
	}
}

func TestDatabaseFromEnvironment(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("MCP_MEMORY_DB", "~/sub/memory.db")
	output(t, "up")
	if _, err := os.Stat(filepath.Join(home, "sub", "memory.db")); err != nil {
		t.Error(err)
	}
	t.Setenv("MCP_MEMORY_DB", "")
	output(t, "up")
	if _, err := os.Stat(filepath.Join(home, ".config", "opencode", "mcp-memory", "memory.db")); err != nil {
		t.Error(err)
	}
}

func TestCreate(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"migrations", "internal/sqlite"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	output(t, "--root", root, "create", "Add Column")
	content, err := os.ReadFile(filepath.Join(root, "migrations", "00009_add_column.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), "-- +goose Down") {
		t.Errorf("no way back in %q", content)
	}
	output(t, "--root", root, "create", "fill-column", "go")
	source := filepath.Join(root, "internal", "sqlite", "00009_fill_column.go")
	if _, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution); err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.db")
	for _, args := range [][]string{
		{},
		{"sideways"},
		{"up-to"},
		{"up-to", "x"},
		{"up-to", "-1"},
		{"down", "2"},
		{"--db", missing, "status"},
		{"--db", missing, "version"},
		{"create"},
		{"create", "../x"},
		{"create", "x", "rust"},
		{"--wrong"},
	} {
		var out strings.Builder
		if err := run(t.Context(), args, &out); err == nil {
			t.Errorf("goose %v succeeded", args)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a database was made")
	}
}
