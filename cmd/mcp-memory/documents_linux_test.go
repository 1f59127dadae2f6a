//go:build !race

// A hundred commands one after the other: nothing for the race detector, which makes them take minutes.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	rules := readRules(t)
	reader := newReader(t, model)
	for _, d := range documents(t) {
		for _, passage := range commandsIn(d.text) {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(d.path), passage.line), func(t *testing.T) {
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
	python, err := filepath.Abs(filepath.Join(root, "internal", "sqlite", "testdata", "v3.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r.run(t, "gzip -dc "+python+" > ../python.db", "")
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
