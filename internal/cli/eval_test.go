package cli

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/evaluation"
)

func TestSetsWithOptions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lighthouse")
	for name, content := range map[string]string{
		"corpus.jsonl":     `{"_id":"d1","title":"Lighthouse","text":"Built in 1840."}` + "\n" + `{"_id":"d2","title":"Lighthouse","text":"The lamp turns."}`,
		"queries.jsonl":    `{"_id":"q1","text":"How old is it?"}`,
		"qrels/test.tsv":   "q1\td1\t1\n",
		"es/queries.jsonl": `{"_id":"q1","text":"¿Cuándo se construyó?"}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	es := filepath.Join(dir, "es")
	o := evalOptions{run: evaluation.RunOptions{Limit: evaluation.Depth}}
	for arg, want := range map[string]struct {
		name     string
		entities int
		question string
	}{
		dir:                               {"lighthouse", 2, "How old is it?"},
		dir + ",group":                    {"lighthouse, grouped", 1, "How old is it?"},
		dir + ",queries-from=" + es:       {"lighthouse asked from es", 2, "¿Cuándo se construyó?"},
		dir + ",group,queries-from=" + es: {"lighthouse, grouped asked from es", 1, "¿Cuándo se construyó?"},
	} {
		set, err := o.loadNamed(arg)
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		if set.name != want.name || len(set.Entities) != want.entities || set.Questions[0].Text != want.question {
			t.Errorf("%s is %q of %d entities, asked %q; want %+v", arg, set.name, len(set.Entities), set.Questions[0].Text, want)
		}
	}
	for _, arg := range []string{"", "notes,group", dir + ",grouped", dir + ",queries-from", dir + ",queries-from=", filepath.Join(dir, "none")} {
		if _, err := o.loadNamed(arg); err == nil {
			t.Errorf("%s: no error", arg)
		}
	}
}

func TestNotesAreTheStandardSet(t *testing.T) {
	var o evalOptions
	byName, err := evalOptions{run: evaluation.RunOptions{Limit: 1}}.loadNamed("notes")
	if err != nil {
		t.Fatal(err)
	}
	standard, err := o.load(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(standard.Questions); n == 0 || n != len(byName.Questions) {
		t.Errorf("%d questions, %d by name", n, len(byName.Questions))
	}
}
