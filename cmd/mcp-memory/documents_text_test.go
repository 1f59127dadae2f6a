package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// document is a text for readers of the project.
type document struct {
	path string // from the root of the project
	text string
}

// root is the project's folder.
var root = filepath.Join("..", "..")

// documents reads all of them.
func documents(t *testing.T) (list []document) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, document{filepath.ToSlash(path), string(text)})
		}
	}
	return list
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

// prose is a text without its blocks of code.
func prose(text string) string {
	var kept []string
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

var (
	linkOrImage = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingLine = regexp.MustCompile(`(?m)^(#{1,6}) +(.*?) *$`)
	linkText    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// linksIn lists where the links and images of a text lead.
func linksIn(text string) (targets []string) {
	for _, m := range linkOrImage.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose(text), ""), -1) {
		targets = append(targets, m[1])
	}
	return targets
}

// headingsIn lists the headings with their level, as in "## Start".
func headingsIn(text string) (list []string) {
	for _, m := range headingLine.FindAllStringSubmatch(prose(text), -1) {
		list = append(list, m[1]+" "+m[2])
	}
	return list
}

// anchorsIn are the anchors that GitHub gives to the headings of a text.
func anchorsIn(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, h := range headingsIn(text) {
		_, title, _ := strings.Cut(h, " ")
		title = linkText.ReplaceAllString(title, "$1")
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		name := anchor
		for n := 1; anchors[name]; n++ {
			name = fmt.Sprintf("%s-%d", anchor, n)
		}
		anchors[name] = true
	}
	return anchors
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

func TestLinksIn(t *testing.T) {
	text := "# A [b](c.md) `x`: über\n```\n[no](link)\n# none\n```\n`[no](code)` ![picture](p.png)\n## Two\n## Two\n"
	if got, want := linksIn(text), []string{"c.md", "p.png"}; !slices.Equal(got, want) {
		t.Errorf("links to %v, want %v", got, want)
	}
	if got, want := slices.Sorted(maps.Keys(anchorsIn(text))), []string{"a-b-x-über", "two", "two-1"}; !slices.Equal(got, want) {
		t.Errorf("anchors %v, want %v", got, want)
	}
}
