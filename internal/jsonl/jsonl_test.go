package jsonl_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/jsonl"
)

var limits = jsonl.Limits{Name: 20, Type: 12, RelationType: 12, Observation: 30}

// read renders each record of a file as a line of text.
func read(t *testing.T, file string, limits jsonl.Limits) []string {
	t.Helper()
	got := []string{}
	for r, err := range jsonl.Read(strings.NewReader(file), limits) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, render(r))
	}
	return got
}

func render(r jsonl.Record) string {
	if altered := r.Altered; altered != nil {
		r.Altered = nil
		return render(r) + ", " + strings.Join(altered, ", ")
	}
	switch {
	case r.Entity != nil:
		return fmt.Sprintf("%d entity %s (%s) %q", r.Line, r.Entity.Name, r.Entity.Type, r.Entity.Observations)
	case r.Relation != nil:
		return fmt.Sprintf("%d relation %s -%s-> %s", r.Line, r.Relation.From, r.Relation.Type, r.Relation.To)
	case r.Problem.Skipped:
		return fmt.Sprintf("%d skipped %s", r.Line, r.Problem.Reason)
	}
	return fmt.Sprintf("%d error %s", r.Line, r.Problem.Reason)
}

// Records of which one is put into many files.
const (
	a  = `{"type":"entity","name":"A","entityType":"T","observations":["x"]}`
	b  = `{"type":"entity","name":"B","entityType":"T","observations":[]}`
	ab = `{"type":"relation","from":"A","to":"B","relationType":"r"}`

	gotA  = `entity A (T) ["x"]`
	gotB  = `entity B (T) []`
	gotAB = `relation A -r-> B`
)

type fileTest struct {
	name, file string
	want       []string
}

func runFiles(t *testing.T, tests []fileTest) {
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			if diff := cmp.Diff(c.want, read(t, c.file, limits)); diff != "" {
				t.Errorf("records of %q (-want +got):\n%s", c.file, diff)
			}
		})
	}
}

func TestLines(t *testing.T) {
	runFiles(t, []fileTest{
		{"empty file", "", nil},
		{"blank lines", "\n \r\n\t\n", nil},
		{"LF", a + "\n" + b + "\n" + ab + "\n", []string{"1 " + gotA, "2 " + gotB, "3 " + gotAB}},
		{"CRLF and blanks", a + "\r\n\r\n  " + b + "  \r\n" + ab, []string{"1 " + gotA, "3 " + gotB, "4 " + gotAB}},
		{"CR", a + "\r" + b + "\r\r" + ab, []string{"1 " + gotA, "2 " + gotB, "4 " + gotAB}},
		{"byte order mark", "\uFEFF" + a + "\n" + b, []string{"1 " + gotA, "2 " + gotB}},
		{"byte order marks of joined files", "\uFEFF" + a + "\n\uFEFF" + b, []string{"1 " + gotA, "2 " + gotB}},
		{"other blanks around", "\u00a0" + a + "\u2003\n", []string{"1 " + gotA}},
		{"several on a line", a + ab + "  " + b + "\n" + ab, []string{"1 " + gotA, "1 " + gotAB, "1 " + gotB, "2 " + gotAB}},
		{"commas between", a + ",\n" + b + " , " + ab + ",", []string{"1 " + gotA, "2 " + gotB, "2 " + gotAB}},
		{"relations first", ab + "\n" + a, []string{"1 " + gotAB, "2 " + gotA}},
		{"marker of another program", `{"type":"_aim","source":"graph"}` + "\n" + a, []string{"1 skipped is of a type that is neither entity nor relation", "2 " + gotA}},
	})
}

func TestBrokenLines(t *testing.T) {
	runFiles(t, []fileTest{
		{"no JSON", "name: A\n" + a, []string{"1 error is not valid JSON", "2 " + gotA}},
		{"a list", "[1,2]\n" + a, []string{"1 error is a list, not an object", "2 " + gotA}},
		{"other values", "1\n\"x\"\nnull\ntrue\n[]\n", []string{
			"1 error is a number, not an object", "2 error is text, not an object", "3 error is null, not an object",
			"4 error is true or false, not an object", "5 error is a list, not an object",
		}},
		{"cut-off last line", a + "\n" + b[:40], []string{"1 " + gotA, "2 error is cut off: the line ends within the record"}},
		{"cut off in the middle of the file", b[:40] + "\n" + a, []string{"1 error is cut off: the line ends within the record", "2 " + gotA}},
		{"cut off before another on its line", a[:30] + b + ab, []string{"1 error is not valid JSON", "1 " + gotB, "1 " + gotAB}},
		{"cut off before a value", `{"type":"entity","name":` + b, []string{"1 error is cut off: the line ends within the record", "1 " + gotB}},
		{"good, broken, good", a + `{"type":"entity",}` + ab, []string{"1 " + gotA, "1 error is not valid JSON", "1 " + gotAB}},
		{"rubbish between", a + "; " + b + "]", []string{"1 " + gotA, "1 error is not valid JSON", "1 " + gotB}},
		{"rubbish at the end", a + "}", []string{"1 " + gotA, "1 error is not valid JSON"}},
		{"bytes that are not UTF-8", strings.Replace(a, "A", "Caf\xe9", 1) + ab + "\n" + b, []string{
			"1 error contains bytes that are not UTF-8", "1 " + gotAB, "2 " + gotB,
		}},
		{"bytes of nothing", "\x00\x00\x00\n\xff\n" + a, []string{"1 error is not valid JSON", "2 error is not valid JSON", "3 " + gotA}},
	})
}

func TestEntities(t *testing.T) {
	entity := func(fields string) string { return `{"type":"entity",` + fields + `}` }
	runFiles(t, []fileTest{
		{"nothing but a name", entity(`"name":"A"`), []string{`1 entity A () []`}},
		{"null for what may be absent", entity(`"name":"A","entityType":null,"observations":null`), []string{`1 entity A () []`}},
		{"unknown fields", entity(`"name":"A","id":7,"meta":{"type":"relation"}`), []string{`1 entity A () []`}},
		{"fields tell case apart", entity(`"Name":"B","name":"A","NAME":"C"`), []string{`1 entity A () []`}},
		{"escapes", entity(`"name":"\u00d1and\u00fa","observations":["\ud83d\udea6","a\nb"]`), []string{`1 entity Ñandú () ["🚦" "a\nb"]`}},
		{"half a surrogate pair", entity(`"name":"A\ud800"`), []string{"1 entity A\uFFFD () []"}},
		{"one text as observations", entity(`"name":"A","observations":"uno"`), []string{`1 entity A () ["uno"]`}},
		{"empty observations", entity(`"name":"A","observations":["",""," ","x"]`), []string{`1 entity A () [" " "x"]`}},
		{"no name", entity(`"observations":[]`), []string{"1 skipped name: must not be empty"}},
		{"null name", entity(`"name":null`), []string{"1 skipped name: must not be empty"}},
		{"blank name", entity(`"name":" \t"`), []string{"1 skipped name: must not be empty"}},
		{"name that is no text", entity(`"name":["A"]`), []string{"1 error name: must be text, not a list"}},
		{"type that is no text", entity(`"name":"A","entityType":1`), []string{"1 error entityType: must be text, not a number"}},
		{"observations that are no list", entity(`"name":"A","observations":{"a":1}`), []string{"1 error observations: must be a list of texts, not an object"}},
		{"number among observations", entity(`"name":"A","observations":["x",2.5]`), []string{"1 error observations[1]: must be text, not a number"}},
		{"boolean among observations", entity(`"name":"A","observations":[true]`), []string{"1 error observations[0]: must be text, not true or false"}},
		{"object among observations", entity(`"name":"A","observations":[{"content":"x"}]`), []string{"1 error observations[0]: must be text, not an object"}},
		{"null among observations", entity(`"name":"A","observations":[null]`), []string{"1 error observations[0]: must be text, not null"}},
		{"NUL in a name", entity(`"name":"A\u0000"`), []string{"1 entity A\ufffd () [], name: is taken with U+FFFD in place of NUL characters"}},
		{"NUL in an observation", entity(`"name":"A","observations":["x","\u0000"]`), []string{"1 entity A () [\"x\" \"\ufffd\"], observations: is taken with U+FFFD in place of NUL characters"}},
		{"long name", entity(`"name":"` + strings.Repeat("ñ", 21) + `"`), []string{"1 error name: has 21 characters, more than the 20 that are taken"}},
		{"name that just fits", entity(`"name":" ` + strings.Repeat("ñ", 20) + ` "`), []string{"1 entity  " + strings.Repeat("ñ", 20) + "  () []"}},
		{"name that fits when composed", entity(`"name":"` + strings.Repeat("e\u0301", 20) + `"`), []string{"1 entity " + strings.Repeat("e\u0301", 20) + " () []"}},
		{"name that is long when normalised", entity(`"name":"` + strings.Repeat("\u0958", 20) + `"`), []string{"1 error name: has 40 characters, more than the 20 that are taken"}},
		{"long type", entity(`"name":"A","entityType":"` + strings.Repeat("t", 13) + `"`), []string{"1 error entityType: has 13 characters, more than the 12 that are taken"}},
		{"long observation", entity(`"name":"A","observations":["` + strings.Repeat("o", 31) + `"]`), []string{"1 error observations[0]: has 31 characters, more than the 30 that are taken"}},
		{"no type", `{"name":"A"}`, []string{"1 skipped has no type"}},
		{"type is not a text", `{"type":1,"name":"A"}`, []string{"1 skipped has no type"}},
		{"another type", `{"type":"Person","name":"A"}`, []string{"1 skipped is of a type that is neither entity nor relation"}},
		{"types in any case", `{"type":"Entity","name":"A"}{"type":"ENTITY","name":"B"}`, []string{"1 entity A () []", "1 entity B () []"}},
		{"names of others for its fields", entity(`"entityName":"A","entity_type":"T","contents":["x"]`), []string{"1 " + gotA}},
		{"more names of others", entity(`"entity_name":"A","entityType":"T","content":"x"`) + entity(`"name":"A","entityType":"T","facts":["x"]`), []string{"1 " + gotA, "1 " + gotA}},
		{"the official name first", entity(`"entityName":"B","name":"A","entity_type":"U","entityType":"T","contents":["y"],"observations":["x"]`), []string{"1 " + gotA}},
		{"another's name after null", entity(`"name":null,"entityName":"A","entityType":null,"entity_type":"T","observations":null,"contents":["x"]`), []string{"1 " + gotA}},
		{"wrong under names of others", entity(`"entityName":""`) + entity(`"name":"A","entity_type":5`) + entity(`"name":"A","contents":["x",5]`), []string{
			"1 skipped entityName: must not be empty", "1 error entity_type: must be text, not a number", "1 error contents[1]: must be text, not a number",
		}},
		{"NUL under the name of another", entity(`"name":"A","contents":["\u0000"]`), []string{"1 entity A () [\"\ufffd\"], contents: is taken with U+FFFD in place of NUL characters"}},
		{"invisible name", entity(`"name":"\u200b\u2060\u00ad"`) + entity(`"entityName":"\ufeff "`), []string{
			"1 skipped name: must not be blank: it has no visible character", "1 skipped entityName: must not be blank: it has no visible character",
		}},
		{"name with invisible characters", entity(`"name":"a\u200db"`), []string{"1 entity a\u200db () []"}},
	})
}

func TestRelations(t *testing.T) {
	relation := func(fields string) string { return `{"type":"relation",` + fields + `}` }
	runFiles(t, []fileTest{
		{"other spelling", relation(`"from_entity":"A","to_entity":"B","relationType":"r"`), []string{"1 " + gotAB}},
		{"name that is long when normalised", relation(`"from":"A","to_entity":"` + strings.Repeat("\u0958", 20) + `","relationType":"r"`), []string{
			"1 error to_entity: has 40 characters, more than the 20 that are taken",
		}},
		{"names of others", relation(`"source":"A","target":"B","relation_type":"r"`), []string{"1 " + gotAB}},
		{"type in another case", `{"type":"Relation","from":"A","to":"B","relationType":"r"}`, []string{"1 " + gotAB}},
		{"wrong under names of others", relation(`"source":"","target":"B","relation_type":"r"`) + relation(`"source":"A","target":"B","relation_type":""`) + relation(`"source":5,"target":"B","relation_type":"r"`), []string{
			"1 skipped source: must not be empty", "1 skipped relation_type: must not be empty", "1 error source: must be text, not a number",
		}},
		{"invisible ends", relation(`"from":"\u200d","to":"B","relationType":"r"`) + relation(`"from":"A","to_entity":"\u200d","relationType":"r"`), []string{
			"1 skipped from: must not be blank: it has no visible character", "1 skipped to_entity: must not be blank: it has no visible character",
		}},
		{"both spellings", relation(`"from_entity":"X","from":"A","to":"B","to_entity":"Y","relationType":"r"`), []string{"1 " + gotAB}},
		{"no from", relation(`"to":"B","relationType":"r"`), []string{"1 skipped from: must not be empty"}},
		{"empty to", relation(`"from":"A","to":"","relationType":"r"`), []string{"1 skipped to: must not be empty"}},
		{"null type", relation(`"from":"A","to":"B","relationType":null`), []string{"1 skipped relationType: must not be empty"}},
		{"number for an end", relation(`"from":1,"to":"B","relationType":"r"`), []string{"1 error from: must be text, not a number"}},
		{"NUL in its type", relation(`"from":"A","to":"B","relationType":"r\u0000"`), []string{"1 relation A -r\ufffd-> B, relationType: is taken with U+FFFD in place of NUL characters"}},
		{"long type", relation(`"from":"A","to":"B","relationType":"` + strings.Repeat("r", 13) + `"`), []string{"1 error relationType: has 13 characters, more than the 12 that are taken"}},
	})
}

func TestDocuments(t *testing.T) {
	const (
		plainA  = `{"name":"A","entityType":"T","observations":["x"]}`
		plainB  = `{"name":"B","entityType":"T"}`
		plainAB = `{"from":"A","to":"B","relationType":"r"}`
	)
	all := []string{"1 " + gotA, "1 " + gotB, "1 " + gotAB}
	runFiles(t, []fileTest{
		{"on one line", `{"entities":[` + plainA + `,` + plainB + `],"relations":[` + plainAB + `]}`, all},
		{
			"with a type for the type", `{"entities":[{"name":"A","type":"T","observations":["x"]},{"type":"Entity","name":"B"}],"relations":[{"source":"A","target":"B","type":"r"}]}`,
			[]string{"1 " + gotA, "1 entity B () []", "1 " + gotAB},
		},
		{
			"with a type beside the type", `{"entities":[{"name":"A","type":"node","entityType":"T","contents":["x"]}],"relations":[{"type":"relation","from":"A","to":"B"}]}`,
			[]string{"1 " + gotA, "1 skipped relations[0].relationType: must not be empty"},
		},
		{"with other fields behind", `{"entities":[` + a + `,` + b + `],"relations":[` + ab + `],"total":2,"more":{"entities":[]}}`, all},
		{"with other fields first", `{"total":2,"entities":[` + plainA + `,` + plainB + `],"relations":[` + plainAB + `]}`, all},
		{"behind a byte order mark", "\uFEFF" + `{"relations":[` + plainAB + `],"entities":[]}`, []string{"1 " + gotAB}},
		{"empty lists", `{"entities":[],"relations":[]}`, nil},
		{"null for a list", `{"entities":null,"total":0}` + "\n" + `{"total":0,"relations":null}`, nil},
		{"an object for a list, beside a list", `{"entities":[` + plainA + `],"relations":{"r1":` + plainAB + `}}`, []string{
			"1 " + gotA, "1 error relations: must be a list, not an object",
		}},
		{"an object for a list, before a list", "{\"entities\":{\"A\":\n" + plainA + "},\n\"relations\":\n[" + plainAB + "]}\n" + b, []string{
			"4 " + gotAB, "1 error entities: must be a list, not an object", "5 " + gotB,
		}},
		{"other values for a list", `{"entities":"x","relations":[]}{"entities":5,"relations":[]}{"relations":[],"entities":true}`, []string{
			"1 error entities: must be a list, not text", "1 error entities: must be a list, not a number", "1 error entities: must be a list, not true or false",
		}},
		{"null beside a list", `{"entities":[` + plainA + `],"relations":null,"observations":null}`, []string{"1 " + gotA}},
		{"observations beside a list", "{\"entities\":[" + plainA + "],\n\"observations\":[{\"entityName\":\"A\",\"contents\":[\"y\"]}]}", []string{
			"1 " + gotA, "2 error observations: must stand in the entities that they are of, not beside them",
		}},
		{"observations that are none, beside a list", `{"observations":[ ],"entities":[` + plainA + `]}{"entities":[],"observations":[]}`, []string{"1 " + gotA}},
		{"an object and observations in a document within a line", `{"x":1,"entities":[` + plainA + `],"relations":{},"observations":{"A":"y"}}`, []string{
			"1 " + gotA, "1 error relations: must be a list, not an object", "1 error observations: must stand in the entities that they are of, not beside them",
		}},
		{"a record over many lines with a list of records", "{\n\"type\":\"entity\",\"name\":\"A\",\"entityType\":\"T\",\n\"relations\":[" + plainAB + "],\"observations\":[\"x\"]}", []string{
			"3 " + gotAB, "1 " + gotA,
		}},
		{"no list", `{"total":0,"entities":5}`, []string{"1 error entities: must be a list, not a number"}},
		{"a list of records", `[` + a + `,` + ab + `]`, []string{"1 " + gotA, "1 " + gotAB}},
		{
			"over many lines", "{\n  \"entities\": [\n    {\n      \"name\": \"A\",\n      \"entityType\": \"T\",\n      \"observations\": [\n        \"x\"\n      ]\n    },\n" +
				"    {\"name\": \"B\", \"entityType\": \"T\"}\n  ],\r\n  \"relations\": [\n    " + plainAB + "\n  ]\n}\n",
			[]string{"3 " + gotA, "10 " + gotB, "13 " + gotAB},
		},
		{"a list over many lines", "[\n" + a + ",\n" + ab + "\n]\n", []string{"2 " + gotA, "3 " + gotAB}},
		{"records over many lines", "{\n \"type\": \"entity\",\n \"name\": \"A\",\n \"entityType\": \"T\", \"observations\": [\"x\"]\n}\n" + ab, []string{"1 " + gotA, "6 " + gotAB}},
		{"lines behind it", `{"entities":[` + plainA + "]}\n" + b + "\n" + ab, []string{"1 " + gotA, "2 " + gotB, "3 " + gotAB}},
		{
			"bad records in it", `{"entities":[{"name":""},7,` + plainA + `,{"name":"C","observations":[1]},{"name":"D",,},` + plainB + `],"relations":[{"from":"A"},` + plainAB + `]}`,
			[]string{
				"1 skipped entities[0].name: must not be empty", "1 error entities[1]: is a number, not an object", "1 " + gotA,
				"1 error entities[3].observations[0]: must be text, not a number", "1 error entities[4]: is not valid JSON", "1 " + gotB,
				"1 skipped relations[0].to: must not be empty", "1 " + gotAB,
			},
		},
		{"bytes that are not UTF-8", `{"entities":[{"name":"` + "\xe9" + `"},` + plainA + `]}`, []string{"1 error entities[0]: contains bytes that are not UTF-8", "1 " + gotA}},
		{"cut off within a record", `{"entities":[` + plainA + `,{"name":"B"`, []string{"1 " + gotA, "1 error entities[1]: is cut off: the file ends within the record"}},
		{"cut off between records", `{"entities":[` + plainA + ",\n", []string{"1 " + gotA, "1 error entities: is cut off: the file ends within the list that begins here"}},
		{"cut off between lists", `{"entities":[` + plainA + "],\n", []string{"1 " + gotA, "1 error is cut off: the file ends within the record"}},
		{"cut off in a name", "{\n \"entit", []string{"2 error is cut off: the file ends within the record"}},
		{"cut off behind a name", "{\n \"total\"", []string{"2 error is cut off: the file ends within the record"}},
		{"cut off before a value", "{\n \"total\": ", []string{"2 error is cut off: the file ends within the record"}},
		{"a bracket alone", "{\n" + a + "\n" + ab, []string{"2 error is not valid JSON", "2 " + gotA, "3 " + gotAB}},
		{"a list without an end", "[\n" + a + "\n" + ab, []string{"2 " + gotA, "3 " + gotAB, "1 error is cut off: the file ends within the list that begins here"}},
		{"a text without an end", "[\n{\"type\":\"entity\",\"name\":\"C\n" + a + "\n" + ab + "]", []string{"2 error [0]: is not valid JSON", "3 " + gotA, "4 " + gotAB}},
		{"a text without an end over many lines", "{\"entities\": [\n  {\n    \"name\": \"C,\n    \"observations\": []\n  },\n  " + plainA + "\n]}\n" + ab, []string{
			"2 error entities[0]: is not valid JSON", "6 " + gotA, "8 " + gotAB,
		}},
	})
}

// TestNoRecord tells what files of other kinds are full of from records that are wrong.
func TestNoRecord(t *testing.T) {
	for file, want := range map[string]bool{
		"name: A": true, "\x00\x01": true, "\"\xff\"": true, "\"unfinished": true, "5": true, "null": true, "{": true, "{\n  margin: 0;\n}": true,
		a[:30]: true, `{"type":"entity",}`: true, strings.Repeat("x", 200): true,
		"[]": false, "[1]": false, "{}": false, `{"type":"other"}`: false, `{"type":"entity","name":5}`: false, `{"entities":[5]}`: false,
		`{"entities":[nothing]}`: false, `{"entities":[`: false, `{"name":"` + strings.Repeat("x", 200): false,
	} {
		n := 0
		for r, err := range jsonl.Read(strings.NewReader(file), jsonl.Limits{RecordSize: 100}) {
			if err != nil || r.Problem == nil {
				t.Fatalf("%q: %+v, %v", file, r, err)
			}
			if n++; r.Problem.NoRecord != want {
				t.Errorf("%q: %q, no record: %t", file, r.Problem.Reason, r.Problem.NoRecord)
			}
		}
		if n == 0 {
			t.Errorf("%q has no problem", file)
		}
	}
}

func TestUTF16(t *testing.T) {
	for name, order := range map[string][2]int{"little endian": {0, 8}, "big endian": {8, 0}} {
		var file strings.Builder
		for _, unit := range utf16.Encode([]rune("\uFEFF" + a + "\r\n" + b)) {
			file.WriteByte(byte(unit >> order[0]))
			file.WriteByte(byte(unit >> order[1]))
		}
		if diff := cmp.Diff([]string{"1 " + gotA, "2 " + gotB}, read(t, file.String(), limits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRecordSize(t *testing.T) {
	long := strings.Replace(a, `"x"`, `"`+strings.Repeat("y", 200)+`"`, 1)
	narrow := jsonl.Limits{RecordSize: 100}
	tooLong := "is longer than the 100 bytes that a record may have"
	for _, c := range []fileTest{
		{"line", a + "\n" + long + "\r\n" + b, []string{"1 " + gotA, "2 error " + tooLong, "3 " + gotB}},
		{"last line", a + "\n" + long, []string{"1 " + gotA, "2 error " + tooLong}},
		{"in a document longer than a record", `{"entities":[` + a + "," + b + "," + long + "," + b + `]}`, []string{
			"1 " + gotA, "1 " + gotB, "1 error entities[2]: " + tooLong, "1 " + gotB,
		}},
		{"record over many lines", "{\n\"type\":\"entity\",\"name\":\"A\",\n\"a\":\"" + strings.Repeat("y", 60) + "\",\n\"b\":\"" + strings.Repeat("y", 60) + "\"\n}\n" + a, []string{
			"4 error " + tooLong, "5 error is not valid JSON", "6 " + gotA,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, read(t, c.file, narrow)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadErrorsEndTheFile(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, file := range map[string]string{"line": a + "\n" + b[:20], "document": `{"entities":[` + a + `,` + b[:20]} {
		got := []string{}
		var last error
		for r, err := range jsonl.Read(io.MultiReader(strings.NewReader(file), iotest.ErrReader(broken)), limits) {
			if last = err; err == nil {
				got = append(got, render(r))
			}
		}
		if !errors.Is(last, broken) {
			t.Errorf("%s: last error = %v, want %v", name, last, broken)
		}
		if diff := cmp.Diff([]string{"1 " + gotA}, got); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadStopsWhenAsked(t *testing.T) {
	for name, file := range map[string]string{
		"lines": a + a + "\n" + a, "document": `{"entities":[` + a + `,` + a + `]}`, "document within a line": `{"x":1,"entities":[` + a + `,` + a + `]}`,
		"errors": "x\nx\nx",
	} {
		n := 0
		for _, err := range jsonl.Read(strings.NewReader(file), limits) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d records, want 1", name, n)
		}
	}
}

func TestManyBrokenRecordsOnALineTakeLittleTime(t *testing.T) {
	file := strings.Repeat(`{"type":`, 200_000) + "\n" + a
	got := read(t, file, limits)
	if len(got) > 100 || got[len(got)-1] != "2 "+gotA {
		t.Errorf("%d records, the last %q, want few, and the good one last", len(got), got[len(got)-1])
	}
}
