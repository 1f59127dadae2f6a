package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLinks looks for the file or heading that each link within the project names.
func TestLinks(t *testing.T) {
	all := documents(t)
	anchors := map[string]map[string]bool{}
	for _, d := range all {
		anchors[d.path] = anchorsIn(d.text)
	}
	links := 0
	for _, d := range all {
		for _, target := range linksIn(d.text) {
			if strings.Contains(target, ":") {
				continue // elsewhere on the web
			}
			links++
			file, anchor, _ := strings.Cut(target, "#")
			to := d.path
			if file != "" {
				to = path.Join(path.Dir(d.path), file)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which is not there", d.path, target)
			} else if anchor != "" && !anchors[to][anchor] {
				t.Errorf("%s links to %s, and %s has no such heading", d.path, target, to)
			}
		}
	}
	if links < 20 {
		t.Errorf("found only %d links", links)
	}
}

// TestDocumentsAreLinked finds documents to which no other one leads.
func TestDocumentsAreLinked(t *testing.T) {
	linked := map[string]bool{"README.md": true}
	all := documents(t)
	for _, d := range all {
		for _, target := range linksIn(d.text) {
			file, _, _ := strings.Cut(target, "#")
			linked[path.Join(path.Dir(d.path), file)] = true
		}
	}
	for _, d := range all {
		if !linked[d.path] {
			t.Errorf("nothing links to %s", d.path)
		}
	}
}

var (
	comment     = regexp.MustCompile(`\s+#.*`)
	translation = regexp.MustCompile(`^README(\.[a-z]+)?\.md$`)
)

// TestTranslationsAgree holds translations of README.md to its headings,
// commands, tables, and links.
func TestTranslationsAgree(t *testing.T) {
	shapes := map[string]map[string][]string{}
	for _, d := range documents(t) {
		if translation.MatchString(d.path) {
			shapes[d.path] = shapeOf(d.text)
		}
	}
	if shapes["README.md"] == nil || shapes["README.es.md"] == nil {
		t.Fatal("README.md or README.es.md is missing")
	}
	for file, shape := range shapes {
		if diff := cmp.Diff(shapes["README.md"], shape); diff != "" {
			t.Errorf("%s differs from README.md (-README.md +%s):\n%s", file, file, diff)
		}
	}
}

// shapeOf is what a text and its translation have in common.
func shapeOf(text string) map[string][]string {
	shape := map[string][]string{}
	for _, p := range commandsIn(text) {
		for _, command := range p.commands {
			shape["commands"] = append(shape["commands"], comment.ReplaceAllString(command, ""))
		}
	}
	for _, h := range headingsIn(text) {
		level, _, _ := strings.Cut(h, " ")
		shape["headings"] = append(shape["headings"], level)
	}
	for _, target := range linksIn(text) {
		file, _, _ := strings.Cut(target, "#")
		if translation.MatchString(file) {
			file = "the other language"
		}
		shape["links"] = append(shape["links"], file)
	}
	for line := range strings.Lines(prose(text)) {
		if strings.HasPrefix(line, "|") {
			shape["rows"] = append(shape["rows"], strings.Join(codeSpan.FindAllString(line, -1), " "))
		}
	}
	slices.Sort(shape["links"]) // sentences are built differently
	return shape
}
