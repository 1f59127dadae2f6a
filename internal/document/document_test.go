package document_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/document"
)

// content is what documents hold.
type content struct {
	Model                         string
	Entities                      []document.Entity
	Relations                     []document.Relation
	CoOccurrences                 []document.CoOccurrence
	PassageVectors, EntityVectors []document.Vector
}

func (c content) write(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	w := document.NewWriter(&b, c.Model)
	var errs []error
	for _, e := range c.Entities {
		errs = append(errs, w.Entity(e))
	}
	for _, r := range c.Relations {
		errs = append(errs, w.Relation(r))
	}
	for _, p := range c.CoOccurrences {
		errs = append(errs, w.CoOccurrence(p))
	}
	for _, v := range c.PassageVectors {
		errs = append(errs, w.PassageVector(v))
	}
	for _, v := range c.EntityVectors {
		errs = append(errs, w.EntityVector(v))
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read returns the records of a document, its problems as "line: text", and how it
// ended.
func read(text string) (c content, problems []string, err error) {
	for r, e := range document.Read(strings.NewReader(text)) {
		switch {
		case e != nil:
			return c, problems, e
		case r.Problem != "":
			problems = append(problems, r.Problem)
		case r.Model != "":
			c.Model = r.Model
		case r.Entity != nil:
			c.Entities = append(c.Entities, *r.Entity)
		case r.Relation != nil:
			c.Relations = append(c.Relations, *r.Relation)
		case r.CoOccurrence != nil:
			c.CoOccurrences = append(c.CoOccurrences, *r.CoOccurrence)
		case r.PassageVector != nil:
			c.PassageVectors = append(c.PassageVectors, *r.PassageVector)
		case r.EntityVector != nil:
			c.EntityVectors = append(c.EntityVectors, *r.EntityVector)
		}
	}
	return c, problems, nil
}

var now = new("2026-01-02 03:04:05")

var full = content{
	Model: "e5/\"fp32\"",
	Entities: []document.Entity{
		{
			Name: "Faro <&>\u2028", Type: "Project", CreatedAt: now, UpdatedAt: now,
			Access:       &document.Access{Count: 3, Last: now},
			Observations: []document.Observation{{Content: "牡蛎\n\"x\"", CreatedAt: now}, {Content: "", CreatedAt: new("")}},
		},
		{Name: "", Type: "", Observations: []document.Observation{}},
	},
	Relations:      []document.Relation{{From: "Faro <&>\u2028", To: "", Type: "", CreatedAt: now}},
	CoOccurrences:  []document.CoOccurrence{{A: "", B: "Faro <&>\u2028", Count: 0, Last: now}},
	PassageVectors: []document.Vector{{Entity: "", Model: "m", TextHash: "h", Numbers: []byte{1, 2, 3, 255}}},
	EntityVectors:  []document.Vector{{Entity: "", Model: "m/text1", TextHash: "h", Numbers: []byte{0}}},
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for name, c := range map[string]content{
		"all":     full,
		"nothing": {},
		"vectors": {EntityVectors: full.EntityVectors},
	} {
		text := c.write(t)
		if !document.Is([]byte(text)[:min(len(text), document.HeadSize)]) {
			t.Errorf("%s: %q is not known as a document", name, text)
		}
		got, problems, err := read(text)
		if err != nil || problems != nil {
			t.Errorf("%s: %q, %v", name, problems, err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestForm(t *testing.T) {
	c := content{
		Model: "e5/fp32",
		Entities: []document.Entity{{
			Name: "Faro", Type: "Project", CreatedAt: now, UpdatedAt: now,
			Observations: []document.Observation{{Content: "a <b>", CreatedAt: now}},
		}},
		Relations:      []document.Relation{{From: "Faro", To: "Faro", Type: "is", CreatedAt: now}},
		PassageVectors: full.PassageVectors,
	}
	want := `{"format":"mcp-memory","version":1,"embeddingModel":"e5/fp32",
"entities":[
{"name":"Faro","entityType":"Project","createdAt":"2026-01-02 03:04:05","updatedAt":"2026-01-02 03:04:05","observations":[{"content":"a <b>","createdAt":"2026-01-02 03:04:05"}]}
],
"relations":[
{"from":"Faro","to":"Faro","relationType":"is","createdAt":"2026-01-02 03:04:05"}
],
"coOccurrences":[
],
"passageVectors":[
{"entity":"","model":"m","textHash":"h","vector":"AQID/w=="}
]}
`
	if diff := cmp.Diff(want, c.write(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadRecordsAreTold(t *testing.T) {
	for record, want := range map[string]string{
		`5`:                              `entities[0]: must be an object`,
		`null`:                           `entities[0]: must be an object`,
		`{"entityType":"T"}`:             `entities[0].name: is missing`,
		`{"name":null,"entityType":"T"}`: `entities[0].name: is missing`,
		`{"name":"A"}`:                   `entities[0].entityType: is missing`,
		`{"name":1,"entityType":"T"}`:    `entities[0].name: must not be a number`,
		`{"name":"A","entityType":"T","observations":"x"}`:                     `entities[0].observations: must not be a string`,
		`{"name":"A","entityType":"T","observations":["x",{"content":"y"},7]}`: `entities[0].observations[2]: must be an object`,
		`{"name":"A","entityType":"T","observations":[{"text":"y"}]}`:          `entities[0].observations[0].content: is missing`,
		`{"name":"A","entityType":"T","access":{"count":"x"}}`:                 `entities[0].access.count: must not be a string`,
		"{\"name\":\"\xff\",\"entityType\":\"T\"}":                             `entities[0]: contains bytes that are not UTF-8`,
	} {
		text := `{"format":"mcp-memory","version":1,"entities":[` + record + `,{"name":"B","entityType":"T"}]}`
		c, problems, err := read(text)
		if err != nil || !cmp.Equal(problems, []string{want}) {
			t.Errorf("%s: %q, %v; want %q", record, problems, err, want)
		}
		if len(c.Entities) != 1 || c.Entities[0].Name != "B" {
			t.Errorf("%s: the record behind it is lost: %+v", record, c.Entities)
		}
	}
	for section, records := range map[string]map[string]string{
		"relations":      {`{"from":"A","to":"B"}`: `relationType: is missing`},
		"coOccurrences":  {`{"a":"A","b":"B"}`: `count: is missing`, `{"a":"A","b":"B","count":1.5}`: `count: must not be a number 1.5`},
		"passageVectors": {`{"entity":"A","model":"m","textHash":"h"}`: `vector: is missing`},
		"entityVectors":  {`{"entity":"A","model":"m","textHash":"h","vector":7}`: `vector: must not be a number`},
	} {
		for record, want := range records {
			_, problems, err := read(`{"format":"mcp-memory","version":1,"` + section + `":[` + record + `]}`)
			if err != nil || !cmp.Equal(problems, []string{section + "[0]." + want}) {
				t.Errorf("%s: %q, %v; want %q", record, problems, err, want)
			}
		}
	}
	_, problems, err := read(`{"format":"mcp-memory","version":1,"passageVectors":[{"entity":"A","model":"m","textHash":"h","vector":"?"}]}`)
	if err != nil || !cmp.Equal(problems, []string{"passageVectors[0]: the vector is not base64"}) {
		t.Errorf("no base64: %q, %v", problems, err)
	}
}

func TestAModelIsText(t *testing.T) {
	for _, value := range []string{`5`, `""`, `null`, `{}`} {
		_, problems, err := read(`{"format":"mcp-memory","version":1,"embeddingModel":` + value + `}`)
		if err != nil || !cmp.Equal(problems, []string{"embeddingModel: must be the id of a model"}) {
			t.Errorf("%s: %q, %v", value, problems, err)
		}
	}
}

func TestLines(t *testing.T) {
	text := "\uFEFF{ \"format\" :\n\"mcp-memory\", \"note\": [1,\n2], \"version\": 1,\n\"entities\": [{\"name\":\"A\",\n\"entityType\":\"T\"},\n\n" +
		"{\"name\":\"B\"}, 7]}\n"
	if !document.Is([]byte(text)) {
		t.Error("not known as a document")
	}
	var lines []int
	for r, err := range document.Read(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, r.Line)
	}
	if diff := cmp.Diff([]int{4, 7, 7}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBrokenDocumentsAreRefused(t *testing.T) {
	sound := full.write(t)
	for text, want := range map[string]string{
		`{"format":"mcp-memory"`: "line 1: the document is cut off",
		sound[:len(sound)-3]:     "the document is cut off",
		sound[:100]:              "line 3: the document is cut off",
		`{"format":"mcp-memory","version":1,"entities":[{]}`:               "line 1: what follows is not valid JSON",
		`{"format":"mcp-memory","version":1}{}`:                            "line 1: there is something behind the end",
		`{"format":"mcp-memory"}`:                                          "line 1: the document has no version",
		`{"format":"mcp-memory","entities":[]}`:                            "line 1: the version must come before entities",
		`{"format":"mcp-memory","version":2}`:                              "line 1: the document has format version 2, but this mcp-memory knows versions up to 1 only: update mcp-memory",
		`{"format":"mcp-memory","version":"x"}`:                            `line 1: "x" is no version`,
		`{"format":"mcp-memory","version":1,"relations":[],"entities":[]}`: "line 1: entities must come once, and before relations",
		`{"format":"mcp-memory","version":1,"entities":{}}`:                `line 1: "[" is due here`,
	} {
		_, _, err := read(text)
		broken, ok := errors.AsType[*document.SyntaxError](err)
		if !ok || !strings.Contains(broken.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

func TestFailureToRead(t *testing.T) {
	failure := errors.New("failure")
	in := strings.NewReader(full.write(t)[:200])
	for _, err := range document.Read(struct{ *chain }{&chain{in, iotest.ErrReader(failure)}}) {
		if err != nil && !errors.Is(err, failure) {
			t.Errorf("%v, want the failure", err)
		}
		if err != nil {
			return
		}
	}
	t.Error("no error")
}

// chain reads one reader behind the other.
type chain struct {
	first, second interface{ Read([]byte) (int, error) }
}

func (c *chain) Read(p []byte) (int, error) {
	if n, err := c.first.Read(p); err == nil {
		return n, nil
	}
	return c.second.Read(p)
}

func TestWriterKeepsTheOrder(t *testing.T) {
	w := document.NewWriter(new(bytes.Buffer), "")
	if err := w.Relation(document.Relation{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Entity(document.Entity{}); err == nil {
		t.Error("an entity behind a relation was taken")
	}
	if err := w.Close(); err == nil {
		t.Error("the error is forgotten")
	}
}

func TestOthersAreNoDocuments(t *testing.T) {
	for _, text := range []string{"", "{}", `{"type":"entity"}`, `{"entities":[]}`, `{"format":"other"}`, `x{"format":"mcp-memory"}`} {
		if document.Is([]byte(text)) {
			t.Errorf("%q is taken for a document", text)
		}
	}
}

// FuzzRead reads anything: it ends, and every record is one thing.
func FuzzRead(f *testing.F) {
	f.Add(full.write(f))
	f.Add(`{"format":"mcp-memory","version":1,"entities":[1,{"name":"\ud800","entityType":""}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		last := 1
		for r, err := range document.Read(strings.NewReader(text)) {
			if err != nil {
				continue
			}
			things := 0
			for _, is := range []bool{r.Problem != "", r.Model != "", r.Entity != nil, r.Relation != nil, r.CoOccurrence != nil, r.PassageVector != nil, r.EntityVector != nil} {
				if is {
					things++
				}
			}
			if things != 1 || r.Line < last || r.Line > 1+strings.Count(text, "\n") || r.Offset > int64(len(text)) {
				t.Fatalf("record %+v", r)
			}
			last = r.Line
		}
	})
}

func TestCountsAreBounded(t *testing.T) {
	text := `{"format":"mcp-memory","version":1,"entities":[{"name":"A","entityType":"T","access":{"count":9223372036854775807}}],
"coOccurrences":[{"a":"A","b":"B","count":-1}]}`
	var altered []string
	for r, err := range document.Read(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		altered = append(altered, r.Altered...)
		if r.Entity != nil && r.Entity.Access.Count != document.MaxCount || r.CoOccurrence != nil && r.CoOccurrence.Count != 0 {
			t.Errorf("%+v", r)
		}
	}
	want := []string{
		"entities[0].access.count: is taken as 1000000000, not 9223372036854775807",
		"coOccurrences[0].count: is taken as 0, not -1",
	}
	if diff := cmp.Diff(want, altered); diff != "" {
		t.Errorf("altered (-want +got):\n%s", diff)
	}
}

// A NUL character costs no more than itself.
func TestNULIsReplaced(t *testing.T) {
	text := `{"format":"mcp-memory","version":1,"entities":[{"name":"A\u0000","entityType":"\u0000","observations":["x\u0000y"]}],
"relations":[{"from":"A\u0000","to":"A\u0000","relationType":"r\u0000"}]}`
	var altered []string
	for r, err := range document.Read(strings.NewReader(text)) {
		if err != nil || r.Problem != "" {
			t.Fatal(r.Problem, err)
		}
		altered = append(altered, r.Altered...)
		if e := r.Entity; e != nil && (e.Name != "A\uFFFD" || e.Type != "\uFFFD" || e.Observations[0].Content != "x\uFFFDy") {
			t.Errorf("%+v", e)
		}
		if l := r.Relation; l != nil && *l != (document.Relation{From: "A\uFFFD", To: "A\uFFFD", Type: "r\uFFFD"}) {
			t.Errorf("%+v", l)
		}
	}
	want := []string{
		"entities[0].observations[0].content: is taken with U+FFFD in place of NUL characters",
		"entities[0].name: is taken with U+FFFD in place of NUL characters",
		"entities[0].entityType: is taken with U+FFFD in place of NUL characters",
		"relations[0].relationType: is taken with U+FFFD in place of NUL characters",
	}
	if diff := cmp.Diff(want, altered); diff != "" {
		t.Errorf("altered (-want +got):\n%s", diff)
	}
}
