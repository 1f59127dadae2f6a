package arguments_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/leak"
	"mcp-memory/internal/tool/arguments"
)

type item struct {
	Name  string   `json:"name" alias:"title,label" form:"name" max:"5" jsonschema:"minLength=1"`
	Kind  *string  `json:"kind,omitempty" max:"3" jsonschema:"default=Plain"`
	Notes []string `json:"notes,omitempty" alias:"remarks,remark" max:"4" jsonschema:"minLength=1"`
}

type call struct {
	Items []item   `json:"items,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Query string   `json:"query,omitempty" jsonschema:"default=all"`
	Limit int      `json:"limit,omitempty" min:"1" max:"100" jsonschema:"default=10"`
	Full  bool     `json:"full,omitempty"`
}

// defaults is what an empty call decodes to.
func defaults() call {
	return call{Items: []item{}, Tags: []string{}, Query: "all", Limit: 10}
}

func TestDecode(t *testing.T) {
	kind := func(s string) *string { return &s }
	one := func(name string) func(*call) {
		return func(c *call) { c.Items = []item{{Name: name, Notes: []string{}}} }
	}
	noted := func(notes ...string) func(*call) {
		return func(c *call) { c.Items = []item{{Name: "Pine", Notes: notes}} }
	}
	for name, test := range map[string]struct {
		args string
		want func(*call)
	}{
		"nothing":                      {``, func(*call) {}},
		"null":                         {` null `, func(*call) {}},
		"empty object":                 {`{}`, func(*call) {}},
		"object in a string":           {`"{\"limit\": 3}"`, func(c *call) { c.Limit = 3 }},
		"boolean":                      {`{"full": true}`, func(c *call) { c.Full = true }},
		"boolean in a string":          {`{"full": " True "}`, func(c *call) { c.Full = true }},
		"false":                        {`{"full": "false"}`, func(*call) {}},
		"empty list":                   {" [ \n] ", func(*call) {}},
		"empty string":                 {`""`, func(*call) {}},
		"blank string":                 {`"  "`, func(*call) {}},
		"unknown keys":                 {`{"limit": 3, "colour": {"a": [1]}, "Limit": 4}`, func(c *call) { c.Limit = 3 }},
		"null for optional":            {`{"items": null, "tags": null, "query": null, "limit": null}`, func(*call) {}},
		"the last of the same key":     {`{"limit": 3, "limit": 4}`, func(c *call) { c.Limit = 4 }},
		"integer in a string":          {`{"limit": " 5 "}`, func(c *call) { c.Limit = 5 }},
		"integer with a zero fraction": {`{"limit": 5.0}`, func(c *call) { c.Limit = 5 }},
		"integer with an exponent":     {`{"limit": 5e1}`, func(c *call) { c.Limit = 50 }},
		"integer beyond the largest":   {`{"limit": 101}`, func(c *call) { c.Limit = 100 }},
		"integer beyond all":           {`{"limit": 1e999}`, func(c *call) { c.Limit = 100 }},
		"list in a string":             {`{"items": "[{\"name\": \"Pine\"}]"}`, one("Pine")},
		"objects in strings":           {`{"items": ["{\"name\": \"Pine\"}"]}`, one("Pine")},
		"list of strings in a string":  {`{"tags": "[\"a\", \"b\"]"}`, func(c *call) { c.Tags = []string{"a", "b"} }},
		"empty list in a string":       {`{"tags": "[]"}`, func(c *call) { c.Tags = []string{} }},
		"string for a list":            {`{"tags": "a"}`, func(c *call) { c.Tags = []string{"a"} }},
		"text that looks like a list":  {`{"tags": "[draft] a"}`, func(c *call) { c.Tags = []string{"[draft] a"} }},
		"text that is another list":    {`{"tags": "[1, 2]"}`, func(c *call) { c.Tags = []string{"[1, 2]"} }},
		"text that lists null":         {`{"tags": "[null]"}`, func(c *call) { c.Tags = []string{"[null]"} }},
		"text that is an object":       {`{"tags": "{\"a\": 1}"}`, func(c *call) { c.Tags = []string{`{"a": 1}`} }},
		"number in a string":           {`{"query": "5"}`, func(c *call) { c.Query = "5" }},
		"blanks stay":                  {`{"query": "  "}`, func(c *call) { c.Query = "  " }},
		"empty where allowed":          {`{"query": "", "tags": [""]}`, func(c *call) { c.Query, c.Tags = "", []string{""} }},
		"alias":                        {`{"items": [{"title": "Pine"}]}`, one("Pine")},
		"second alias":                 {`{"items": [{"label": "Pine"}]}`, one("Pine")},
		"announced key before alias":   {`{"items": [{"title": "Ash", "name": "Pine"}]}`, one("Pine")},
		"alias after null":             {`{"items": [{"name": null, "title": "Pine"}]}`, one("Pine")},
		"list under an alias":          {`{"items": [{"name": "Pine", "remarks": ["a"]}]}`, noted("a")},
		"list in a string, by alias":   {`{"items": [{"name": "Pine", "remarks": "[\"a\", \"b\"]"}]}`, noted("a", "b")},
		"text for a list, by alias":    {`{"items": [{"name": "Pine", "remark": "a"}]}`, noted("a")},
		"announced list before alias":  {`{"items": [{"name": "Pine", "remarks": ["b"], "notes": ["a"]}]}`, noted("a")},
		"first alias before second":    {`{"items": [{"name": "Pine", "remark": "b", "remarks": ["a"]}]}`, noted("a")},
		"name with invisible parts":    {`{"items": [{"name": "a\u200d\u00adb"}]}`, one("a\u200d\u00adb")},
		"name judged without blanks":   {`{"items": [{"name": "  Pine  "}]}`, one("  Pine  ")},
		"name judged composed":         {`{"items": [{"name": "e\u0301e\u0301e\u0301e\u0301e\u0301"}]}`, one(strings.Repeat("e\u0301", 5))},
		"code points, not bytes":       {`{"items": [{"name": "木木木木木", "kind": "🌲🌲🌲"}]}`, func(c *call) { one("木木木木木")(c); c.Items[0].Kind = kind("🌲🌲🌲") }},
		"lone surrogate":               {`{"query": "a\ud800b"}`, func(c *call) { c.Query = "a\ufffdb" }},
		"bytes that are no Unicode":    {"{\"query\": \"a\xffb\"}", func(c *call) { c.Query = "a\ufffdb" }},
		"pair of surrogates":           {`{"query": "\ud83c\udf32"}`, func(c *call) { c.Query = "🌲" }},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaults()
			test.want(&want)
			var got call
			if err := arguments.Decode(json.RawMessage(test.args), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("wrong arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for args, want := range map[string]string{
		`[[]]`:                                        "arguments: must be an object, not a list",
		`[null]`:                                      "arguments: must be an object, not a list",
		`"[]"`:                                        "arguments: must be an object, not a string",
		`5`:                                           "arguments: must be an object, not a number",
		`"query"`:                                     "arguments: must be an object, not a string",
		`{"items": {"name": "A"}}`:                    "items: must be a list, not an object",
		`{"items": "A"}`:                              "items: must be a list, not a string",
		`{"items": "{\"name\": \"A\"}"}`:              "items: must be a list, not a string",
		`{"items": 5}`:                                "items: must be a list, not a number",
		`{"items": ["A"]}`:                            "items[0]: must be an object, not a string",
		`{"items": [null]}`:                           "items[0]: must be an object, not null",
		`{"items": [{"name": "A"}, {}]}`:              "items[1].name: is required",
		`{"items": [{"name": null}]}`:                 "items[0].name: is required",
		`{"items": [{"name": 5}]}`:                    "items[0].name: must be a string, not a number",
		`{"items": [{"name": ""}]}`:                   "items[0].name: must not be empty",
		`{"items": [{"name": " \t\n"}]}`:              "items[0].name: must not be empty",
		`{"items": [{"name": "Juniper"}]}`:            "items[0].name: must have at most 5 characters, not 7",
		`{"items": [[]]}`:                             "items[0]: must be an object, not a list",
		`{"items": [{"label": "Juniper"}]}`:           "items[0].label: must have at most 5 characters, not 7",
		`{"items": [{"title": "\u200b"}]}`:            "items[0].title: must not be blank: it has no visible character",
		`{"items": [{"name": " \ufeff\t"}]}`:          "items[0].name: must not be blank: it has no visible character",
		`{"items": [{"name": "\u2060\u00ad\u200d"}]}`: "items[0].name: must not be blank: it has no visible character",
		`{"items": [{"name": "A", "remarks": ["a", 5]}]}`:                 "items[0].remarks[1]: must be a string, not a number",
		`{"items": [{"name": "A", "notes": null, "remark": 5}]}`:          "items[0].remark: must be a list, not a number",
		`{"items": [{"name": "A", "notes": ["12345"], "remark": ["a"]}]}`: "items[0].notes[0]: must have at most 4 characters, not 5",
		`{"items": [{"title": "Juniper"}]}`:                               "items[0].title: must have at most 5 characters, not 7",
		`{"items": [{"name": "a\u0000b"}]}`:                               "items[0].name: must not contain NUL (U+0000)",
		`{"query": "\u0000"}`:                                             "query: must not contain NUL (U+0000)",
		`{"query": true}`:                                                 "query: must be a string, not a boolean",
		`{"query": ["a"]}`:                                                "query: must be a string, not a list",
		`{"tags": {"a": 1}}`:                                              "tags: must be a list, not an object",
		`{"tags": ["a", 1]}`:                                              "tags[1]: must be a string, not a number",
		`{"tags": [null]}`:                                                "tags[0]: must be a string, not null",
		`{"tags": [["a"]]}`:                                               "tags[0]: must be a string, not a list",
		`{"limit": 0}`:                                                    "limit: must be at least 1",
		`{"limit": "-3"}`:                                                 "limit: must be at least 1",
		`{"limit": -1e999}`:                                               "limit: must be at least 1",
		`{"limit": 2.5}`:                                                  "limit: must be a whole number",
		`{"limit": "cinco"}`:                                              "limit: must be a whole number, not a string",
		`{"limit": "0x10"}`:                                               "limit: must be a whole number, not a string",
		`{"limit": "inf"}`:                                                "limit: must be a whole number, not a string",
		`{"limit": ""}`:                                                   "limit: must be a whole number, not a string",
		`{"full": 1}`:                                                     "full: must be true or false, not a number",
		`{"full": "yes"}`:                                                 "full: must be true or false, not a string",
		`{"limit": true}`:                                                 "limit: must be a whole number, not a boolean",
		`{"limit": [5]}`:                                                  "limit: must be a whole number, not a list",
		`{"items": [{}, {"name": ""}, 5, 6]}`:                             "items[0].name: is required; items[1].name: must not be empty; items[2]: must be an object, not a number; and 1 more",
		`{"items": [{"name": "A", "kind": "Word", "notes": ["", "12345", 5]}]}`: "items[0].kind: must have at most 3 characters, not 4; " +
			"items[0].notes[0]: must not be empty; items[0].notes[1]: must have at most 4 characters, not 5; and 1 more",
		`{"items": [{"name": "\u0958\u0958\u0958"}]}`: "items[0].name: must have at most 5 characters, not 6",
	} {
		t.Run(args, func(t *testing.T) {
			err := arguments.Decode(json.RawMessage(args), new(call))
			if err == nil {
				t.Fatalf("taken, want %q", want)
			}
			if err.Error() != want {
				t.Errorf("got  %q\nwant %q", err, want)
			}
			if _, ok := errors.AsType[*arguments.Problems](err); !ok {
				t.Errorf("the error is a %T", err)
			}
		})
	}
}

func TestValue(t *testing.T) {
	args := json.RawMessage(`"{\"a\": null, \"b\": [1], \"c\": 2}"`)
	if got := string(arguments.Value(args, "a", "b", "c")); got != "[1]" {
		t.Errorf("got %s, want the first value that is not null", got)
	}
	if arguments.Has(args, "a", "d") {
		t.Error("null counts as a value")
	}
	if arguments.Has(json.RawMessage(`[1]`), "a") {
		t.Error("a list has keys")
	}
}

// FuzzDecode holds the decoder to what the rest relies on: it never panics,
// and what it takes keeps to the rules and survives being sent again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `"{}"`, `{"items": [{"name": "A", "kind": "b", "notes": ["c"]}]}`,
		`{"items": "[{\"title\": \"A\"}]"}`, `{"tags": "a", "limit": "5"}`, `{"tags": "[\"a\"]", "limit": 5.0}`,
		`{"query": "\ud800", "limit": 1e3}`, "{\"query\": \"\xff\"}", `{"items": [{"name": ""}]}`, `{"limit": -1}`, `{"tags": ["\u0000"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		var got call
		if err := arguments.Decode(args, &got); err != nil {
			if word := leak.In(err.Error()); word != "" {
				t.Errorf("%q says %q", err, word)
			}
			return
		}
		if got.Items == nil || got.Tags == nil {
			t.Error("a list is nil")
		}
		if got.Limit < 1 || got.Limit > 100 {
			t.Errorf("limit is %d", got.Limit)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(again), `\u0000`) {
			t.Errorf("NUL was taken: %s", again)
		}
		var second call
		if err := arguments.Decode(again, &second); err != nil {
			t.Fatalf("%s was taken, and then refused as %s: %v", args, again, err)
		}
		if got.Query == "" {
			got.Query = second.Query // left out when empty, and then its default
		}
		if diff := cmp.Diff(got, second); diff != "" {
			t.Errorf("%s changed when sent again (-first +second):\n%s", args, diff)
		}
	})
}
