package cli

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValuesAreCompleted(t *testing.T) {
	t.Setenv("MCP_MEMORY_DB", filepath.Join(t.TempDir(), "memory.db"))
	run := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := (Program{}).Run(t.Context(), args, strings.NewReader(""), &out, t.Output())
		return code, out.String()
	}
	if _, out := run("__complete", "search", "--type", ""); out != ":4\n" {
		t.Errorf("without a memory: %q", out)
	}
	for _, args := range [][]string{
		{"add", "Ana", "--type", "person", "leads"},
		{"add", "Luis", "--type", "person", "draws"},
		{"add", "Faro", "--type", "un proyecto", "a lighthouse"},
		{"relate", "Ana", "leads", "Faro"},
	} {
		if code, _ := run(args...); code != exitOK {
			t.Fatalf("%q: exit %d", args, code)
		}
	}
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{[]string{"search", "--type", ""}, []string{"person", "un proyecto"}},
		{[]string{"search", "--type", "un\\ p"}, []string{"un proyecto"}},
		{[]string{"add", "--type", "pe"}, []string{"person"}},
		{[]string{"relate", ""}, []string{"Ana", "Luis", "Faro"}},
		{[]string{"relate", "Ana", ""}, []string{"leads"}},
		{[]string{"relate", "Ana", "leads", "F"}, []string{"Faro"}},
		{[]string{"relate", "Ana", "leads", "Faro", ""}, nil},
		{[]string{"model", "download", "--variant", ""}, []string{"fp32", "fp16", "int8"}},
		{[]string{"export", "--format", ""}, []string{"jsonl", "json"}},
		{[]string{"export", "--format=js"}, []string{"jsonl", "json"}},
		{[]string{"eval", "--set", "w"}, []string{"words-power=", "weak="}},
		{[]string{"eval", "--compare", "floor=0.2,s"}, []string{"floor=0.2,span=", "floor=0.2,sure="}},
		{[]string{"install", "cl"}, []string{"claude-code", "claude-desktop"}},
		{[]string{"uninstall", "z"}, []string{"zed"}},
		{[]string{"completion", ""}, []string{"bash", "fish", "powershell", "zsh"}},
		{[]string{"help", "model", ""}, []string{"download", "status"}},
		{[]string{"list", "--log-level", ""}, []string{"debug", "info", "warn", "error"}},
	} {
		_, out := run(append([]string{"__complete"}, tc.args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var got []string
		for _, line := range lines[:len(lines)-1] {
			value, _, _ := strings.Cut(line, "\t")
			got = append(got, value)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.args, diff)
		}
	}
}

func TestCompletionOfAnUnknownShell(t *testing.T) {
	var out, errs bytes.Buffer
	if code := (Program{}).Run(t.Context(), []string{"completion", "tcsh"}, strings.NewReader(""), &out, &errs); code != exitUsage {
		t.Errorf("exit %d, want %d", code, exitUsage)
	}
	if out.Len() > 0 || !strings.Contains(errs.String(), `unknown command "tcsh"`) {
		t.Errorf("out %q, errors %q", out.String(), errs.String())
	}
}

// The script for bash does without the package that cobra's needs (see bashFixes).
func TestHelpOfBashCompletion(t *testing.T) {
	help := commands(t)["mcp-memory completion bash"].Long
	if strings.Contains(help, "depends") || !strings.HasPrefix(help, "Generate the autocompletion script for the bash shell.\n\nTo load") {
		t.Errorf("help: %q", help)
	}
}

// The help tells a switch by its name, and the columns stay in line.
func TestHelpOfSwitches(t *testing.T) {
	column := regexp.MustCompile(`(?m)^ +(?:-\w, )?--\S+(?: [^ ]+)? {3,}`)
	for path, c := range commands(t) {
		usage := c.UsageString()
		if strings.Contains(usage, "true|false") {
			t.Errorf("the help of %s has =true|false:\n%s", path, usage)
		}
		local, _, _ := strings.Cut(usage, "Global Flags:")
		width := 0
		for _, begin := range column.FindAllString(local, -1) {
			if width == 0 {
				width = len(begin)
			} else if len(begin) != width {
				t.Errorf("%s: %q does not end in column %d", path, begin, width)
			}
		}
	}
}
