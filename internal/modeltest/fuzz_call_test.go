package modeltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-memory/gen/schemas"
	"mcp-memory/internal/leak"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// workshop is tools on a database that many calls share.
type workshop struct {
	dir     string
	db      *sqlite.DB
	service *memory.Service
	tools   map[string]tool.Tool
	outputs map[string]*validator.Schema
	calls   int
}

func openWorkshop(t testing.TB) *workshop {
	t.Helper()
	w := &workshop{dir: t.TempDir(), tools: map[string]tool.Tool{}, outputs: outputSchemas(t)}
	w.open(t)
	t.Cleanup(w.close)
	return w
}

func (w *workshop) open(t testing.TB) {
	t.Helper()
	path := filepath.Join(w.dir, fmt.Sprint(w.calls, ".db"))
	freshFile(t, path)
	var err error
	if w.db, err = sqlite.Open(context.Background(), path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	w.use(memory.New(w.db, wordModel{}, memory.Options{}))
}

// use starts a service.
func (w *workshop) use(s *memory.Service) {
	w.service = s
	s.Start(context.Background())
	for _, tl := range tool.Catalog(s) {
		w.tools[tl.Name] = tl
	}
}

func (w *workshop) close() {
	w.service.Close()
	_ = w.db.Close()
}

// renew gives the calls an empty database now and then, since they fill it.
func (w *workshop) renew(t testing.TB) {
	t.Helper()
	if w.calls++; w.calls%2000 == 0 {
		w.close()
		w.open(t)
	}
}

func outputSchemas(t testing.TB) map[string]*validator.Schema {
	t.Helper()
	compiled := map[string]*validator.Schema{}
	for _, tl := range tool.Catalog(nil) {
		content, err := schemas.Files.ReadFile(tl.Name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var d struct{ OutputSchema any }
		if err := json.Unmarshal(content, &d); err != nil {
			t.Fatal(err)
		}
		c := validator.NewCompiler()
		if err := c.AddResource("output.json", d.OutputSchema); err != nil {
			t.Fatal(err)
		}
		if compiled[tl.Name], err = c.Compile("output.json"); err != nil {
			t.Fatal(err)
		}
	}
	return compiled
}

// call calls a tool and fails unless the answer is one for a client: an object
// of the announced form, or the text of an error that speaks of the call.
func (w *workshop) call(t testing.TB, name string, args string) (reply string, failed bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	out, err := w.tools[name].Call(ctx, json.RawMessage(args))
	if err != nil {
		text, known := tool.ErrorText(err)
		switch word := leak.In(text, args, readable(args)); {
		case !known:
			t.Fatalf("%s %q failed inside: %v", name, args, err)
		case word != "" || !utf8.ValidString(text) || ctx.Err() != nil:
			t.Fatalf("%s %q fails with %q, which says %q", name, args, text, word)
		}
		return text, true
	}
	reply = encode(out)
	object, err := validator.UnmarshalJSON(bytes.NewReader([]byte(reply)))
	if err == nil {
		err = w.outputs[name].Validate(object)
	}
	if err != nil {
		t.Fatalf("%s %q answers %s: %v", name, args, reply, err)
	}
	return reply, false
}

// readable is a JSON text without escapes.
func readable(args string) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return ""
	}
	return fmt.Sprint(v)
}

var toolNames = func() []string {
	var list []string
	for _, tl := range tool.Catalog(nil) {
		list = append(list, tl.Name)
	}
	return list
}()

// FuzzCall calls tools with any JSON.
func FuzzCall(f *testing.F) {
	place := func(name string) byte { return byte(slices.Index(toolNames, name)) }
	for _, p := range places {
		for _, value := range p.values {
			args, _ := p.arguments(value, 1)
			f.Add(place(p.tool), encode(args))
		}
	}
	for _, args := range []string{
		`{"entities":[{"name":"Ana","entityType":"Person","observations":["knows Bob","lives in Lisboa"]}]}`,
		`{"relations":"[{\"from\":\"Ana\",\"to\":\"Ana\",\"relationType\":\"knows\"}]"}`,
		`{"observations":[{"entityName":"Ana","contents":["a"]}],"deletions":[{"entityName":"Ana","observations":["a"]}]}`,
		`{"name":"Ana","observations":"one"}`, `{"entityNames":["Ana"],"names":["Ana","Bob"]}`,
		`{"query":"knows","limit":"5","offset":1e0,"since":"2026-01-01","until":"2026-12-31T23:59:59.5+01:00","explain":"true","entityType":"Person"}`,
		`"{\"query\":\"who knows Bob?\"}"`, `null`, `[]`, `{"query":"\ud800 \" OR * NEAR(a b) {name}: ^x"}`, `{"maxCharacters":1,"limit":1e300}`,
	} {
		for i := range toolNames {
			f.Add(byte(i), args)
		}
	}
	w := openWorkshop(f)
	f.Fuzz(func(t *testing.T, which byte, args string) {
		name := toolNames[int(which)%len(toolNames)]
		if !json.Valid([]byte(args)) || name == "migrate" && len(args) > 200 {
			t.Skip()
		}
		w.renew(t)
		w.call(t, name, args)
	})
}

// FuzzSearch looks for anything in anything: what is stored is found by itself
// and by any part of it, and no query is an error.
func FuzzSearch(f *testing.F) {
	for _, s := range sentences {
		f.Add(s, s[len(s)/2:])
	}
	for _, query := range []string{
		`"`, `""`, `*`, `-`, `AND`, `a OR b`, `NEAR(a b, 3)`, `name:x`, `^x`, `(`, `{a b}: c`, `%`, `_`, `\`, "\x00", "\xff", "'", "a* b*", "0x1", `"a" + "b"`,
		"e\u0301\u0301\u0301", "ﬀ", "İ", "\u00ad", "ｆｕｌｌ", "½", "🧠🧠", "ab", "a", "\u1112\u1161\u11ab",
	} {
		f.Add("volcano and glacier: "+query+" lantern", query)
	}
	w := openWorkshop(f)
	f.Fuzz(func(t *testing.T, text, query string) {
		w.renew(t)
		w.call(t, "delete_entities", `{"entityNames":["it"]}`)
		created := encode(map[string]any{"entities": []any{map[string]any{"name": "it", "entityType": "Z", "observations": []string{text}}}})
		if _, failed := w.call(t, "create_entities", created); failed {
			t.Skip()
		}
		found := func(tool, query string) bool {
			var got struct{ Entities, Results []shownEntity }
			reply, failed := w.call(t, tool, encode(map[string]any{"query": query}))
			if failed {
				return false
			}
			if err := json.Unmarshal([]byte(reply), &got); err != nil {
				t.Fatal(err)
			}
			return len(got.Entities)+len(got.Results) > 0
		}
		if holdsAny(text) && !found("search_nodes", text) {
			t.Errorf("%q does not find itself", text)
		}
		if part := isPartOf(query, text); !found("search_nodes", query) && part {
			t.Errorf("%q does not find %q", query, text)
		}
		found("search_semantic", query)
	})
}

// holdsAny reports whether a text has a character that is plainly to be seen.
func holdsAny(text string) bool {
	return utf8.ValidString(text) && slices.ContainsFunc([]byte(text), func(b byte) bool { return '0' <= b && b <= 'z' })
}

// isPartOf reports whether a query is surely a part of a text: where all is
// ASCII, no character changes with what stands beside it.
func isPartOf(query, text string) bool {
	ascii := func(s string) bool {
		return !slices.ContainsFunc([]byte(s), func(b byte) bool { return b >= utf8.RuneSelf || b == 0 })
	}
	return holdsAny(query) && ascii(query) && ascii(text) && len(query) <= memory.MaxQueryLength && bytes.Contains([]byte(text), []byte(query))
}
