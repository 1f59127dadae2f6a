package evaluation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/memory"
)

var article = "Article"

// beir is a small set: two texts of one title, one of another, one without text.
func beir() map[string]string {
	return map[string]string{
		"corpus.jsonl": "\ufeff" + `{"_id":"d1","title":"Lighthouse","text":"Built in 1840."}

{"_id":"d2","title":"Ferry","text":"Leaves at nine.","metadata":{}}
{"_id":"d3","title":"Lighthouse","text":"The lamp turns."}
{"_id":"d4","title":"Pier"}
`,
		"queries.jsonl": `{"_id":"q1","text":"How old is the tower?"}
{"_id":"q2","text":"When does the boat go?"}
{"_id":"q3","text":"What about the tower?"}
{"_id":"q4","text":"Is anybody here?"}
`,
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\r\nq1\td1\t1\nq2\td2\t2\nq3\td1\t1\nq3\td3\t1\nq4\td4\t0\n",
	}
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, path string, o evaluation.Options) evaluation.Set {
	t.Helper()
	set, err := evaluation.Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLoadBEIR(t *testing.T) {
	want := evaluation.Set{
		Entities: []memory.NewEntity{
			{Name: "Lighthouse #0", Type: &article, Observations: []string{"Built in 1840."}},
			{Name: "Ferry #1", Type: &article, Observations: []string{"Leaves at nine."}},
			{Name: "Lighthouse #2", Type: &article, Observations: []string{"The lamp turns."}},
			{Name: "Pier #3", Type: &article},
		},
		Questions: []evaluation.Question{
			{ID: "q1", Text: "How old is the tower?", Answers: []string{"Lighthouse #0"}},
			{ID: "q2", Text: "When does the boat go?", Answers: []string{"Ferry #1"}},
			{ID: "q3", Text: "What about the tower?", Answers: []string{"Lighthouse #0", "Lighthouse #2"}},
		},
	}
	if diff := cmp.Diff(want, load(t, write(t, beir()), evaluation.Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestLoadBEIRGrouped(t *testing.T) {
	want := evaluation.Set{
		Entities: []memory.NewEntity{
			{Name: "Lighthouse", Type: &article, Observations: []string{"Built in 1840.", "The lamp turns."}},
			{Name: "Ferry", Type: &article, Observations: []string{"Leaves at nine."}},
			{Name: "Pier", Type: &article},
		},
		Questions: []evaluation.Question{
			{ID: "q1", Text: "How old is the tower?", Answers: []string{"Lighthouse"}},
			{ID: "q2", Text: "When does the boat go?", Answers: []string{"Ferry"}},
			{ID: "q3", Text: "What about the tower?", Answers: []string{"Lighthouse"}},
		},
	}
	if diff := cmp.Diff(want, load(t, write(t, beir()), evaluation.Options{Group: true})); diff != "" {
		t.Error(diff)
	}
}

func TestQuestionsOfAnotherFolder(t *testing.T) {
	other := write(t, map[string]string{"queries.jsonl": `{"_id":"q2","text":"¿Cuándo sale el barco?"}
{"_id":"q9","text":"¿Qué más?"}
`})
	set := load(t, write(t, beir()), evaluation.Options{QueriesFrom: other})
	want := []evaluation.Question{{ID: "q2", Text: "¿Cuándo sale el barco?", Answers: []string{"Ferry #1"}}}
	if diff := cmp.Diff(want, set.Questions); diff != "" {
		t.Error(diff)
	}
}

const marea = `{"type":"entity","name":" Marea ","entityType":"Proyecto","observations":["avisa de temporales"]}
{"type":"entity","name":"Ana"}
{"type":"relation","from":"Ana","to":"Marea","relationType":"dirige"}
`

func TestLoadNotes(t *testing.T) {
	project := "Proyecto"
	want := evaluation.Set{
		Entities: []memory.NewEntity{
			{Name: "Marea", Type: &project, Observations: []string{"avisa de temporales"}},
			{Name: "Ana"},
		},
		Relations: []memory.Relation{{From: "Ana", To: "Marea", Type: "dirige"}},
		Questions: []evaluation.Question{
			{ID: "a", Language: "en", Kind: "cross", Text: "Who warns of storms?", Answers: []string{"Marea"}},
			{ID: "b", Text: "¿Quién canta?"},
		},
	}
	questions := `{"id":"a","language":"en","kind":"cross","question":"Who warns of storms?","answers":["Marea"]}
{"type":"question","id":"b","question":"¿Quién canta?","answers":[]}
`
	folder := write(t, map[string]string{"memory.jsonl": marea, "questions.jsonl": questions})
	file := filepath.Join(write(t, map[string]string{"all.jsonl": questions + marea}), "all.jsonl")
	for _, path := range []string{folder, file} {
		if diff := cmp.Diff(want, load(t, path, evaluation.Options{})); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}

	for _, from := range []string{folder, filepath.Join(folder, "questions.jsonl")} {
		set := load(t, file, evaluation.Options{QueriesFrom: from})
		if diff := cmp.Diff(want.Questions, set.Questions); diff != "" {
			t.Errorf("questions from %s: %s", from, diff)
		}
	}
}

func TestSampleIsSpreadEvenly(t *testing.T) {
	var questions strings.Builder
	for id := range strings.SplitSeq("abcdefghij", "") {
		questions.WriteString(`{"id":"` + id + `","question":"?` + id + `","answers":[]}` + "\n")
	}
	dir := write(t, map[string]string{"memory.jsonl": "", "questions.jsonl": questions.String()})
	for n, want := range map[int]string{0: "abcdefghij", 1: "a", 3: "adgj", 5: "acegi", 6: "abcdefghij", 99: "abcdefghij"} {
		var got string
		for _, q := range load(t, dir, evaluation.Options{SampleQueries: n}).Questions {
			got += q.ID
		}
		if got != want {
			t.Errorf("a sample of %d is %q, want %q", n, got, want)
		}
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	question := `{"id":"a","question":"?","answers":["Marea"]}` + "\n"
	tests := map[string]struct {
		change map[string]string // of files, "" deletes
		notes  bool              // change a set of notes rather than BEIR
		group  bool
		want   string
	}{
		"no corpus":         {change: map[string]string{"corpus.jsonl": ""}, want: "DIR holds neither corpus.jsonl (BEIR layout) nor memory.jsonl (notes)"},
		"no queries":        {change: map[string]string{"queries.jsonl": ""}, want: "opening DIR/queries.jsonl: no such file or directory"},
		"no qrels":          {change: map[string]string{"qrels/test.tsv": ""}, want: "opening DIR/qrels/test.tsv: no such file or directory"},
		"broken text":       {change: map[string]string{"corpus.jsonl": "\n{\"_id\":"}, want: "DIR/corpus.jsonl:2: not a JSON object"},
		"text of no id":     {change: map[string]string{"corpus.jsonl": `{"text":"x"}`}, want: "DIR/corpus.jsonl:1: _id is missing or empty"},
		"text twice":        {change: map[string]string{"corpus.jsonl": "{\"_id\":\"d\",\"text\":\"x\"}\n{\"_id\":\"d\",\"text\":\"y\"}"}, want: `DIR/corpus.jsonl:2: _id "d" was used before`},
		"group of no title": {change: map[string]string{"corpus.jsonl": `{"_id":"d1","text":"x"}`}, group: true, want: "DIR/corpus.jsonl:1: a text without a title cannot be grouped"},
		"query twice":       {change: map[string]string{"queries.jsonl": "{\"_id\":\"q1\",\"text\":\"x\"}\n{\"_id\":\"q1\",\"text\":\"y\"}"}, want: `DIR/queries.jsonl:2: _id "q1" was used before`},
		"query of no id":    {change: map[string]string{"queries.jsonl": `{"text":"?"}`}, want: "DIR/queries.jsonl:1: _id is missing or empty"},
		"blank query":       {change: map[string]string{"queries.jsonl": `{"_id":"q1","text":" "}`}, want: "DIR/queries.jsonl:1: text is missing or blank"},
		"two fields":        {change: map[string]string{"qrels/test.tsv": "a\tb\tc\nq1\td1"}, want: "DIR/qrels/test.tsv:2: not a query, a text and a score separated by tabs"},
		"no score":          {change: map[string]string{"qrels/test.tsv": "a\tb\tc\nq1\td1\tyes"}, want: `DIR/qrels/test.tsv:2: the score "yes" is not a whole number`},
		"unknown text":      {change: map[string]string{"qrels/test.tsv": "q1\td8\t1"}, want: `DIR/qrels/test.tsv:1: DIR/corpus.jsonl has no text "d8"`},
		"nothing relevant":  {change: map[string]string{"qrels/test.tsv": "a\tb\tc\n"}, want: "DIR/qrels/test.tsv names no relevant text"},
		"other queries":     {change: map[string]string{"queries.jsonl": `{"_id":"q7","text":"?"}`}, want: "DIR: there is no question to ask"},

		"no questions":       {notes: true, change: map[string]string{"questions.jsonl": ""}, want: "opening DIR/questions.jsonl: no such file or directory"},
		"unknown type":       {notes: true, change: map[string]string{"memory.jsonl": `{"type":"person","name":"Ana"}`}, want: `DIR/memory.jsonl:1: type "person" is not one of entity, relation, question`},
		"no name":            {notes: true, change: map[string]string{"memory.jsonl": `{"type":"entity"}`}, want: "DIR/memory.jsonl:1: name is missing or blank"},
		"entity twice":       {notes: true, change: map[string]string{"memory.jsonl": marea + `{"type":"entity","name":"Marea"}`}, want: `DIR/memory.jsonl:4: there was an entity "Marea" before`},
		"relation twice":     {notes: true, change: map[string]string{"memory.jsonl": marea + `{"type":"relation","from":"Ana","to":"Marea","relationType":"dirige"}`}, want: "DIR/memory.jsonl:4: this relation was there before"},
		"no relation type":   {notes: true, change: map[string]string{"memory.jsonl": marea + `{"type":"relation","from":"Ana","to":"Marea"}`}, want: "DIR/memory.jsonl:4: relationType is missing or blank"},
		"relation to nobody": {notes: true, change: map[string]string{"memory.jsonl": marea + `{"type":"relation","from":"Ana","to":"Luz","relationType":"knows"}`}, want: `DIR/memory.jsonl:4: there is no entity "Luz"`},
		"answer unknown":     {notes: true, change: map[string]string{"questions.jsonl": question + `{"id":"b","question":"?","answers":["Faro"]}`}, want: `DIR/questions.jsonl:2: there is no entity "Faro"`},
		"answer twice":       {notes: true, change: map[string]string{"questions.jsonl": `{"id":"b","question":"?","answers":["Ana","Ana"]}`}, want: `DIR/questions.jsonl:1: answer "Ana" is there twice`},
		"no answers":         {notes: true, change: map[string]string{"questions.jsonl": `{"id":"b","question":"?"}`}, want: "DIR/questions.jsonl:1: answers is missing: [] says that there are none"},
		"question of no id":  {notes: true, change: map[string]string{"questions.jsonl": `{"question":"?","answers":[]}`}, want: "DIR/questions.jsonl:1: id is missing or empty"},
		"question twice":     {notes: true, change: map[string]string{"questions.jsonl": question + question}, want: `DIR/questions.jsonl:2: id "a" was used before`},
		"blank question":     {notes: true, change: map[string]string{"questions.jsonl": `{"id":"b","type":"question","answers":[]}`}, want: "DIR/questions.jsonl:1: question is missing or blank"},
		"a number":           {notes: true, change: map[string]string{"questions.jsonl": question + "7"}, want: "DIR/questions.jsonl:2: a JSON number where an object is expected"},
		"a name of 7":        {notes: true, change: map[string]string{"questions.jsonl": question + `{"id":7}`}, want: "DIR/questions.jsonl:2: id must not be a JSON number"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			files := beir()
			if test.notes {
				files = map[string]string{"memory.jsonl": marea, "questions.jsonl": question}
			}
			for file, content := range test.change {
				files[file] = content
				if content == "" {
					delete(files, file)
				}
			}
			dir := write(t, files)
			_, err := evaluation.Load(dir, evaluation.Options{Group: test.group})
			if err == nil {
				t.Fatal("no error")
			}
			if got := filepath.ToSlash(strings.ReplaceAll(err.Error(), dir, "DIR")); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestPathsThatAreNoSet(t *testing.T) {
	dir := write(t, beir())
	missing := filepath.Join(dir, "missing")
	if _, err := evaluation.Load(missing, evaluation.Options{}); err == nil || err.Error() != "there is no "+missing {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := evaluation.Load(dir, evaluation.Options{QueriesFrom: missing}); err == nil || err.Error() != "there is no "+missing {
		t.Errorf("questions from a missing folder: %v", err)
	}
	empty := t.TempDir()
	if _, err := evaluation.Load(dir, evaluation.Options{QueriesFrom: empty}); err == nil || err.Error() != empty+" holds neither queries.jsonl nor questions.jsonl" {
		t.Errorf("questions from an empty folder: %v", err)
	}
	file := filepath.Join(write(t, map[string]string{"notes.jsonl": "{}"}), "notes.jsonl")
	if _, err := evaluation.Load(file, evaluation.Options{}); err == nil || !strings.HasPrefix(err.Error(), file+":1: ") {
		t.Errorf("a file without notes: %v", err)
	}
}
