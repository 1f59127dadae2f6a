package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// commandLimit is how long a command in a document may take.
const commandLimit = 60 * time.Second

// TestDocuments runs every command that a document shows, or finds why not in
// testdata/documents.txt.
func TestDocuments(t *testing.T) {
	model := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if model == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	root := filepath.Join("..", "..")
	var files []string
	for _, pattern := range []string{"README*.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	rules := readRules(t)
	reader := newReader(t, model)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, passage := range commandsIn(string(text)) {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(file), passage.line), func(t *testing.T) {
				reader.follow(t, rules, passage.commands)
			})
		}
	}
	for _, rule := range rules {
		if !rule.used {
			t.Errorf("testdata/documents.txt: no document has a command for %q any more", rule.keyword+" "+rule.pattern)
		}
	}
}

// passage is a block of commands, or a row of a table.
type passage struct {
	line     int
	commands []string
}

var (
	codeSpan     = regexp.MustCompile("`([^`]+)`")
	ofOurs       = regexp.MustCompile(`^(bin/)?mcp-memory .|^make( |$)`)
	shells       = map[string]bool{"sh": true, "console": true, "bash": true, "shell": true}
	continuation = regexp.MustCompile(`\\\s*$`)
)

// commandsIn finds the commands of blocks for a shell, those of make in blocks of
// no language, and ours in tables.
func commandsIn(text string) (passages []passage) {
	language, fenced := "", false
	var block passage
	open := "" // a command that goes on
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```") && !fenced:
			fenced, language, block = true, strings.TrimPrefix(trimmed, "```"), passage{line: i + 1}
		case strings.HasPrefix(trimmed, "```"):
			fenced = false
			if len(block.commands) > 0 {
				passages = append(passages, block)
			}
		case fenced && (shells[language] || language == "" && strings.HasPrefix(trimmed, "make ")):
			if language == "console" {
				var prompted bool
				if trimmed, prompted = strings.CutPrefix(trimmed, "$ "); !prompted && open == "" {
					continue // what it prints
				}
			}
			open += trimmed
			if continuation.MatchString(open) {
				open = continuation.ReplaceAllString(open, " ")
				continue
			}
			if open != "" && !strings.HasPrefix(open, "#") {
				block.commands = append(block.commands, open)
			}
			open = ""
		case !fenced && strings.HasPrefix(trimmed, "|"):
			row := passage{line: i + 1}
			for _, span := range codeSpan.FindAllStringSubmatch(strings.ReplaceAll(trimmed, `\|`, "|"), -1) {
				if ofOurs.MatchString(span[1]) {
					row.commands = append(row.commands, span[1])
				}
			}
			if len(row.commands) > 0 {
				passages = append(passages, row)
			}
		}
	}
	return passages
}

// rule is a line of testdata/documents.txt.
type rule struct {
	keyword, pattern, rest string
	matches                *regexp.Regexp
	used                   bool
}

func readRules(t *testing.T) (rules []*rule) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "documents.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, rest, told := strings.Cut(line, " : ")
		keyword, pattern, two := strings.Cut(head, " ")
		if !told || !two || rest == "" || !slices.Contains([]string{"skip", "answer", "before"}, keyword) {
			t.Fatalf("testdata/documents.txt: what is %q?", line)
		}
		expression := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
		rules = append(rules, &rule{keyword: keyword, pattern: pattern, rest: rest, matches: regexp.MustCompile(expression)})
	}
	return rules
}

// rulesFor are those about a command, by their keyword.
func rulesFor(rules []*rule, command string) map[string]string {
	command = strings.TrimPrefix(command, "bin/")
	if comment := strings.Index(command, " #"); comment >= 0 {
		command = command[:comment]
	}
	command = strings.TrimSpace(command)
	about := map[string]string{}
	for _, r := range rules {
		if r.matches.MatchString(command) {
			r.used, about[r.keyword] = true, r.rest
		}
	}
	return about
}

// reader is someone who does what documents say, with a home and a small memory.
type reader struct {
	folder   string
	memory   []byte // as it is before each passage
	database string
	env      []string
}

// prepared is the memory that documents speak of.
const prepared = `{"type":"entity","name":"Ana","entityType":"person","observations":["works at Lumen"]}
{"type":"entity","name":"Project Faro","entityType":"project","observations":["launches in March","Ana leads it"]}
{"type":"entity","name":"SQLite","entityType":"decision","observations":["Bo chose SQLite for the lighthouse project"]}
`

func newReader(t *testing.T, model string) *reader {
	t.Helper()
	r := &reader{folder: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, bin := range []string{"path", "work/bin"} {
		if err := os.MkdirAll(filepath.Join(r.folder, bin), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(self, filepath.Join(r.folder, bin, "mcp-memory")); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(r.folder, "home")
	r.database = filepath.Join(home, ".config", "opencode", "mcp-memory", "memory.db")
	r.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MCP_MEMORY_") }),
		"HOME="+home, "PATH="+filepath.Join(r.folder, "path")+":"+os.Getenv("PATH"), "MCP_MEMORY_MODEL_DIR="+model,
		"MCP_MEMORY_ONNXRUNTIME="+os.Getenv("MCP_MEMORY_ONNXRUNTIME"), "NO_COLOR=1")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	own := prepared + `{"id":"q1","question":"When does Faro start?","answers":["Project Faro"]}` + "\n"
	for name, text := range map[string]string{"prepared.jsonl": prepared, "notes-of-mine.jsonl": own} {
		if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r.run(t, "mcp-memory import ../prepared.jsonl && mcp-memory reindex", "")
	if r.memory, err = os.ReadFile(r.database); err != nil {
		t.Fatal(err)
	}
	return r
}

// follow runs the commands of a passage, one after the other, on the memory as it
// was prepared.
func (r *reader) follow(t *testing.T, rules []*rule, commands []string) {
	if err := os.WriteFile(r.database, r.memory, 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(r.folder, "work")
	made, err := os.ReadDir(work)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made {
		if f.Name() != "bin" {
			if err := os.RemoveAll(filepath.Join(work, f.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, command := range commands {
		about := rulesFor(rules, command)
		if about["skip"] != "" {
			continue
		}
		if before := about["before"]; before != "" {
			r.run(t, before, "")
		}
		out := r.run(t, command, about["answer"])
		if strings.Contains(command, " --json") && !strings.Contains(command, "|") && !json.Valid(out) {
			t.Errorf("%s prints no JSON but %s", command, out)
		}
	}
}

// run runs a shell command, which must succeed, and returns what it prints. What
// asks gets a terminal and an answer.
func (r *reader) run(t *testing.T, command, answer string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	if answer != "" {
		cmd = exec.CommandContext(ctx, "script", "-qec", command, "/dev/null")
		cmd.Stdin = strings.NewReader(answer + "\n")
	}
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	cmd.Dir, cmd.Env = filepath.Join(r.folder, "work"), r.env
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s%s\nMend the document, or tell testdata/documents.txt how to run it or why not.", command, err, &out, &errw)
	}
	return out.Bytes()
}

func TestCommandsIn(t *testing.T) {
	text := strings.Join([]string{
		"Prose with `mcp-memory list` is not run.",
		"```sh",
		"mcp-memory add x \\",
		"  --type y  # a comment",
		"# only a comment",
		"",
		"bin/mcp-memory list",
		"```",
		"```console",
		"$ mcp-memory list",
		"x (y)",
		"```",
		"```",
		"make test",
		"nothing to run",
		"```",
		"| `mcp-memory a \\| b` | `show` and `make` |",
		"| no command | `makes` |",
	}, "\n")
	got := map[int][]string{}
	for _, p := range commandsIn(text) {
		got[p.line] = p.commands
	}
	want := map[int][]string{
		2:  {"mcp-memory add x  --type y  # a comment", "bin/mcp-memory list"},
		9:  {"mcp-memory list"},
		13: {"make test"},
		17: {"mcp-memory a | b", "make"},
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("found %v, want %v", got, want)
	}
}
