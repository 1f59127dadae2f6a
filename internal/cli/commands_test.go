package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"mcp-memory/internal/model"
)

// commands are all, the hidden ones too, by their path.
func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	root := (Program{Model: &model.E5Small}).root(strings.NewReader(""), io.Discard, io.Discard)
	all := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		all[c.CommandPath()] = c
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
	return all
}

func TestEveryCommandPrintsJSON(t *testing.T) {
	exceptions := map[string]string{
		"mcp-memory":                       "serves",
		"mcp-memory serve":                 "serves",
		"mcp-memory ui":                    "serves",
		"mcp-memory model":                 "prints its help",
		"mcp-memory help":                  "prints help",
		"mcp-memory completion":            "prints its help",
		"mcp-memory completion bash":       "prints a script",
		"mcp-memory completion fish":       "prints a script",
		"mcp-memory completion powershell": "prints a script",
		"mcp-memory completion zsh":        "prints a script",
		"mcp-memory eval calibrate":        "prints figures to be put into the program",
	}
	all := commands(t)
	for path, c := range all {
		if !c.Runnable() || exceptions[path] != "" {
			continue
		}
		if flag := c.Flags().Lookup("json"); flag == nil || flag.Value.Type() != "bool" {
			t.Errorf("%s has no --json", path)
		}
	}
}

// TestEveryCommandIsDocumented with an example that is of it.
func TestEveryCommandIsDocumented(t *testing.T) {
	var b bytes.Buffer
	if err := WriteReference(&b); err != nil {
		t.Fatal(err)
	}
	reference := b.String()
	for path, c := range commands(t) {
		if !c.IsAvailableCommand() || !c.HasParent() || c.Name() == "help" {
			continue
		}
		if !strings.Contains(reference, "\n## "+path+"\n") {
			t.Errorf("%s is not in the reference", path)
		}
		if strings.Contains(path, " completion") {
			continue // cobra's, with examples in its text
		}
		if !strings.HasPrefix(c.Example, "  "+path) {
			t.Errorf("%s has no example that begins with it: %q", path, c.Example)
		}
	}
	for _, e := range exitCodes {
		if !regexp.MustCompile(`(?m)^\| ` + string(rune('0'+e.code)) + ` \| .+ \|$`).MatchString(reference) {
			t.Errorf("exit code %d is not in the reference", e.code)
		}
	}
}

func TestReferenceIsOfNoMachine(t *testing.T) {
	t.Setenv("HOME", "/somewhere/else")
	t.Setenv("MCP_MEMORY_DB", "/another/place.db")
	t.Setenv("HF_ENDPOINT", "https://hub.example")
	var b bytes.Buffer
	if err := WriteReference(&b); err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{"/somewhere", "/another", "hub.example"} {
		if strings.Contains(b.String(), own) {
			t.Errorf("the reference tells %s", own)
		}
	}
	committed, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), b.String()); diff != "" {
		t.Errorf("docs/cli.md is stale, run make generate (-committed +made):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	table := newTable(&b, 1)
	table.row("a heading, however wide it is")
	table.row("name", "n", "what")
	table.row("日本メモ", "1,000", "two cells a character")
	table.row("cafe\u0301", "2", "a combining accent")
	table.row("\x1b[2J\tx", "30", "steers nothing")
	table.row("")
	if err := table.flush(); err != nil {
		t.Fatal(err)
	}
	want := "a heading, however wide it is\n" +
		"name          n  what\n" +
		"日本メモ  1,000  two cells a character\n" +
		"cafe\u0301          2  a combining accent\n" +
		" [2J x       30  steers nothing\n" +
		"\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableOnANarrowTerminal(t *testing.T) {
	for name, test := range map[string]struct {
		width int
		want  string
	}{
		"none":             {0, "key  one two three four five six seven\n"},
		"wide":             {80, "key  one two three four five six seven\n"},
		"narrow":           {27, "key  one two three four\n     five six seven\n"},
		"too narrow to do": {20, "key  one two three four five six seven\n"},
	} {
		var b bytes.Buffer
		table := newTable(&b)
		table.width = test.width
		table.row("key", "one two three four five six seven")
		if err := table.flush(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := wrap("二十文字二十文字 二十文字二十文字 a", 20, "  "); got != "二十文字二十文字\n  二十文字二十文字 a" {
		t.Errorf("wide characters are wrapped as %q", got)
	}
}

func TestRate(t *testing.T) {
	var b bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &rate{w: &b, now: func() time.Time { return now }}
	for _, step := range []struct {
		after time.Duration
		done  int
		what  string
	}{
		{0, 1000, "vectors"}, // where an earlier run ended
		{time.Second, 1010, "vectors"},
		{4 * time.Second, 1050, "vectors"},
		{time.Minute, 1650, "vectors"},
		{time.Second, 10_000, "vectors"},
		{10 * time.Second, 0, "texts"},
		{10 * time.Second, 0, "texts"},
	} {
		now = now.Add(step.after)
		r.update(step.done, 10_000, step.what)
	}
	r.end()
	want := `vectors: 1,050 of 10,000, 10.0 a second, 15 min left
vectors: 1,650 of 10,000, 10.0 a second, 14 min left
texts: 0 of 10,000
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "2 min", 100 * time.Minute: "1.7 h",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v is roughly %q, want %q", d, got, want)
		}
	}
}

func TestColours(t *testing.T) {
	if got := styleOf(&bytes.Buffer{}).bold("text"); got != "text" {
		t.Errorf("what is no terminal gets %q", got)
	}
	if got := (style{colours: true}).bold("text"); got != "\x1b[1mtext\x1b[0m" {
		t.Errorf("a terminal gets %q", got)
	}
}

func TestUnquoted(t *testing.T) {
	for word, want := range map[string]string{
		"": "", "plain": "plain", `Project\ F`: "Project F", `"Project F`: "Project F", "'it": "it", `a\`: `a\`, `a\\b`: `a\b`,
	} {
		if got := unquoted(word); got != want {
			t.Errorf("unquoted(%q) = %q, want %q", word, got, want)
		}
	}
}
