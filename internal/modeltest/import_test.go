package modeltest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// broken are lines that are no records, or not as they stand there, with what they
// count as.
// Of what is "foreign" alone no memory file consists.
var broken = map[string]string{
	`not JSON`:                   "foreign",
	`[1, 2]`:                     "error",
	`"text"`:                     "foreign",
	`{"type":"entity","name":`:   "foreign",
	`{"type":"entity","name":5}`: "error",
	`{"type":"entity","name":"A","observations":[{}]}`:                  "error",
	`{"type":"entity","name":"A","observations":5}`:                     "error",
	`{"type":"entity","name":"A\u0000"}`:                                "altered",
	`{"type":"entity","entityType":"T"}`:                                "skip",
	`{"type":"entity","name":""}`:                                       "skip",
	`{"type":"entity","name":null}`:                                     "skip",
	`{"type":"relation","from":"Ana","to":"Bob"}`:                       "skip",
	`{"type":"relation","from":"","to":"","relationType":""}`:           "skip",
	`{"type":"entity","name":"\u200b\u2060"}`:                           "skip",
	`{"type":"relation","from":"\ufeff","to":"Ana","relationType":"r"}`: "skip",
	`{"type":"Thing","name":"A"}`:                                       "skip",
	`{"name":"A"}`:                                                      "skip",
	"":                                                                  "",
	"  \t":                                                              "",
}

// file draws a file of records, and notes what is in it.
type file struct {
	text      strings.Builder
	items     []item
	itemLines []int
	relations []link
	lines     []int // of the relations
	report    importReply
	problems  []int // lines
	foreign   int   // lines of them that are not even JSON
}

func (f *file) line(w *world, t *rapid.T, n int) {
	switch rapid.IntRange(0, 5).Draw(t, "record") {
	case 0, 1:
		it := item{name: w.name(t), observations: w.observations(t)}
		fields := map[string]any{
			"type": rapid.SampledFrom([]string{"entity", "Entity", "ENTITY"}).Draw(t, "kind"),
			key(t, "name", "entityName", "entity_name"): it.name, key(t, "observations", "contents", "content", "facts"): it.observations, "unknown": 5,
		}
		if rapid.Bool().Draw(t, "typed") {
			it.kind = new(rapid.SampledFrom(kinds).Draw(t, "type"))
			fields[key(t, "entityType", "entity_type")] = *it.kind
		}
		f.items, f.itemLines = append(f.items, it), append(f.itemLines, n)
		f.text.WriteString(encode(fields))
	case 2, 3:
		l := link{w.name(t), w.name(t), rapid.SampledFrom(relationTypes).Draw(t, "relation type")}
		f.relations, f.lines = append(f.relations, l), append(f.lines, n)
		f.text.WriteString(encode(map[string]any{
			"type":                                  rapid.SampledFrom([]string{"relation", "Relation"}).Draw(t, "kind"),
			key(t, "from", "from_entity", "source"): l.From, key(t, "to", "to_entity", "target"): l.To, key(t, "relationType", "relation_type"): l.Kind,
		}))
	default:
		text := rapid.SampledFrom(slices.Sorted(maps.Keys(broken))).Draw(t, "broken")
		f.text.WriteString(text)
		switch broken[text] {
		case "foreign":
			f.foreign++
			f.report.Errors++
			f.problems = append(f.problems, n)
		case "error":
			f.report.Errors++
			f.problems = append(f.problems, n)
		case "skip":
			f.report.Skipped++
			f.problems = append(f.problems, n)
		case "altered":
			f.items, f.itemLines = append(f.items, item{name: "A\uFFFD"}), append(f.itemLines, n)
			f.problems = append(f.problems, n)
		}
	}
	f.text.WriteString(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end"))
}

// migrate draws a file to import. Entities come first, whatever their place.
func (w *world) migrate(t *rapid.T) step {
	var f file
	f.text.WriteString(rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "byte order mark"))
	for n := range rapid.IntRange(0, 6).Draw(t, "lines") {
		f.line(w, t, n+1)
	}
	path := filepath.Join(w.dir, "import.jsonl")
	if err := os.WriteFile(path, []byte(f.text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := call{"migrate", arguments(t, map[string]any{"source_path": path})}
	if f.isForeign() {
		return step{call: c, err: func(text string) error {
			if !strings.HasPrefix(text, `{"error":"source_path: `) || !strings.Contains(text, " is not a memory file: ") {
				return fmt.Errorf("answered %s", text)
			}
			return nil
		}}
	}
	w.graph.load(&f)
	f.noteLookalikes()
	want := f.report
	slices.Sort(f.problems)
	return step{call: c, check: func(text string) error {
		var got importReply
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err
		}
		lines := []int{}
		for _, p := range got.Problems {
			lines = append(lines, p.Line)
			if p.Reason == "" {
				return fmt.Errorf("no reason for line %d", p.Line)
			}
		}
		slices.Sort(lines)
		counts := got.Entities == want.Entities && got.Relations == want.Relations && got.Errors == want.Errors && got.Skipped == want.Skipped
		if !counts || !slices.Equal(lines, f.problems) {
			return fmt.Errorf("answered %s\nwant %+v and problems in lines %d, of the file\n%s", text, want, f.problems, f.text.String())
		}
		return nil
	}}
}

// isForeign reports whether there is something, but nothing that is even JSON.
func (f *file) isForeign() bool {
	return f.foreign > 0 && f.foreign == len(f.problems) && len(f.items)+len(f.relations) == 0
}

// noteLookalikes notes the entities that are merged into one before them under a name
// that is written otherwise.
func (f *file) noteLookalikes() {
	first := map[string]string{}
	for i, it := range f.items {
		before, ok := first[canonical(it.name)]
		switch {
		case !ok:
			first[canonical(it.name)] = it.name
		case before != it.name:
			f.problems = append(f.problems, f.itemLines[i])
		}
	}
}

// load imports a file, and counts in its report.
func (g *graph) load(f *file) {
	for _, it := range f.items {
		g.merge(it)
		f.report.Entities++
	}
	for i, l := range f.relations {
		from, to := g.find(l.From), g.find(l.To)
		switch {
		case from == nil || to == nil:
			f.report.Skipped++
			f.problems = append(f.problems, f.lines[i])
		case g.connect(relation{from, to, l.Kind}):
			f.report.Relations++
		}
	}
}
