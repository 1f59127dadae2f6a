package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// newMemory opens the memory at path, without its model.
func newMemory(t testing.TB, path string) *memory.Service {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := memory.New(db, noModel{}, memory.Options{})
	t.Cleanup(func() {
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// serveWhole serves a memory with all that it offers.
func serveWhole(t *testing.T, path string, options ...mcpserver.Option) *client {
	m := newMemory(t, path)
	return serve(t.Context(), t, tool.Catalog(m), append(options, mcpserver.WithMemory(m))...)
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "memory.db") }

// TestMemoryTranscripts plays what clients ask of a memory besides its tools, on
// standard input and over HTTP.
func TestMemoryTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/memory/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sections := map[string]string{}
		for _, f := range archive.Files {
			sections[f.Name] = string(f.Data)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name+"/stdio", func(t *testing.T) {
			c := serveWhole(t, newPath(t))
			c.send(sections["client"])
			compareMessages(t, sections["server"], c.close())
		})
		t.Run(name+"/http", func(t *testing.T) {
			m := newMemory(t, newPath(t))
			c := serveHTTP(t, tool.Catalog(m), mcpserver.WithMemory(m)).initialized()
			var answers []string
			for message := range strings.Lines(sections["client"]) {
				answers = append(answers, strings.TrimSpace(c.post(message).body))
			}
			compareMessages(t, sections["server"], answers)
		})
	}
}

// reply is what a client needs of an answer or a notification.
type reply struct {
	ID     int
	Method string
	Params struct {
		URI  string
		Meta map[string]any `json:"_meta"`
	}
	Result struct {
		Resources  []struct{ URI, Name string }
		NextCursor string
		Contents   []struct{ URI, Text string }
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
		IsError bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

// ask sends a request and returns its answer, which must be the next message.
func (c *client) ask(method, params string) reply {
	c.t.Helper()
	c.request("7", method, params)
	return c.next()
}

func (c *client) next() (r reply) {
	c.t.Helper()
	line, ok := <-c.lines
	if !ok {
		c.t.Fatal("the server has ended")
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return r
}

// must calls a tool that must succeed.
func (c *client) must(name, arguments string) {
	c.t.Helper()
	if r := c.ask("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`); r.Error != nil || r.Result.IsError {
		c.t.Fatalf("%s %.200s was answered %+v", name, arguments, r)
	}
}

func quoted(t testing.TB, v any) string {
	t.Helper()
	content, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestNamesOfAllKinds are listed, read, completed and subscribed to.
func TestNamesOfAllKinds(t *testing.T) {
	names := []string{"Ana Müller", "東京タワー", "عربى", "🦊👨‍👩‍👧", "a/b/../c", "..", "100%", "%41", "what?", "#1", "a+b c", `"q" \ b`, "<tag>&amp;", "a\tb\nc", "memory://graph"}
	c := serveWhole(t, newPath(t))
	var entities []map[string]any
	for _, name := range names {
		entities = append(entities, map[string]any{"name": name})
	}
	c.must("create_entities", quoted(t, map[string]any{"entities": entities}))
	listed := map[string]string{}
	for _, r := range c.ask("resources/list", "{}").Result.Resources {
		listed[r.Name] = r.URI
	}
	for _, name := range names {
		uri := listed[name]
		if parsed, err := url.Parse(uri); err != nil || parsed.Scheme != "memory" || strings.TrimPrefix(parsed.Path, "/") != name {
			t.Errorf("%q has the URI %s, which is %v, %v", name, uri, parsed, err)
		}
		read := c.ask("resources/read", quoted(t, map[string]string{"uri": uri}))
		if len(read.Result.Contents) != 1 || read.Result.Contents[0].URI != uri || !strings.HasPrefix(read.Result.Contents[0].Text, `{"name":`) {
			t.Errorf("%s was read as %+v", uri, read)
			continue
		}
		var e struct{ Name string }
		if err := json.Unmarshal([]byte(read.Result.Contents[0].Text), &e); err != nil || e.Name != name {
			t.Errorf("%s is %q, %v", uri, e.Name, err)
		}
		ref := map[string]any{"ref": map[string]string{"type": "ref/resource", "uri": "memory://entity/{name}"}, "argument": map[string]string{"name": "name", "value": name}}
		if got := c.ask("completion/complete", quoted(t, ref)).Result.Completion; len(got.Values) == 0 || got.Values[0] != name {
			t.Errorf("%q is completed as %q", name, got.Values)
		}
		if r := c.ask("resources/subscribe", quoted(t, map[string]string{"uri": uri})); r.Error != nil {
			t.Errorf("subscribing to %s: %+v", uri, r.Error)
		}
	}
	c.close()
}

// TestListPageByPage of 10,000 entities while another process writes: none twice, and
// all that are there all the time.
func TestListPageByPage(t *testing.T) {
	const count = 10_000 / slowness
	path := newPath(t)
	c, other := serveWhole(t, path), newMemory(t, path)
	items := make([]memory.NewEntity, count)
	for i := range items {
		items[i] = memory.NewEntity{Name: fmt.Sprint("entity ", i)}
	}
	if _, err := other.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	params := "{}"
	for page := 0; ; page++ {
		r := c.ask("resources/list", params)
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		for _, resource := range r.Result.Resources {
			seen[resource.Name]++
		}
		if r.Result.NextCursor == "" {
			break
		}
		params = quoted(t, map[string]string{"cursor": r.Result.NextCursor})
		if _, err := other.CreateEntities(t.Context(), []memory.NewEntity{{Name: fmt.Sprint("new ", page)}, {Name: items[page*17].Name, Observations: []string{"x"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := other.OpenNodes(t.Context(), []string{items[count-1-page*31].Name}); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) < count+1 {
		t.Errorf("%d resources were listed of %d", len(seen), count+1)
	}
	for name, n := range seen {
		if n > 1 {
			t.Errorf("%s is listed %d times", name, n)
		}
	}
	for _, item := range items {
		if seen[item.Name] == 0 {
			t.Errorf("%s is not listed", item.Name)
		}
	}
	c.close()
}

// TestCompletionIsBounded to what the protocol allows.
func TestCompletionIsBounded(t *testing.T) {
	path := newPath(t)
	c, m := serveWhole(t, path), newMemory(t, path)
	items := make([]memory.NewEntity, 250)
	for i := range items {
		items[i] = memory.NewEntity{Name: fmt.Sprintf("Canción %03d", i)}
	}
	if _, err := m.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"", "cancion", "ÓN"} {
		got := c.ask("completion/complete", `{"ref":{"type":"ref/prompt","name":"tidy"},"argument":{"name":"entity","value":`+quoted(t, typed)+`}}`).Result.Completion
		if len(got.Values) != 100 || got.Total != 250 || !got.HasMore || typed != "" && got.Values[0] != "Canción 000" {
			t.Errorf("%q has %d completions of %d, more: %v, %q", typed, len(got.Values), got.Total, got.HasMore, got.Values)
		}
	}
	c.close()
}

// TestReadsFollowWrites as those of tools do.
func TestReadsFollowWrites(t *testing.T) {
	c := serveWhole(t, newPath(t))
	for i := range 20 {
		name := quoted(t, fmt.Sprint("entity ", i))
		c.request("1", "tools/call", `{"name":"create_entities","arguments":{"entities":[{"name":`+name+`}]}}`)
		c.request("2", "resources/read", `{"uri":"memory://entity/entity%20`+fmt.Sprint(i)+`"}`)
		c.request("3", "prompts/get", `{"name":"tidy","arguments":{"entity":`+name+`}}`)
		c.request("4", "resources/subscribe", `{"uri":"memory://entity/entity%20`+fmt.Sprint(i)+`"}`)
		for range 4 {
			if r := c.next(); r.Error != nil {
				t.Errorf("entity %d: %d was answered %+v", i, r.ID, r.Error)
			}
		}
	}
	if rest := c.close(); len(rest) > 0 {
		t.Errorf("and %q", rest)
	}
}

// TestEndCutsOffRequests that wait for a write, and says so in the words of JSON-RPC;
// one that was withdrawn gets no answer.
func TestEndCutsOffRequests(t *testing.T) {
	m := newMemory(t, newPath(t))
	heedless, over := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(heedless)
		<-over
	})
	tools := []tool.Tool{writing("add_observations", func(context.Context, json.RawMessage) (any, error) {
		defer close(over)
		<-heedless
		return nil, nil
	})}
	c := serve(t.Context(), t, tools, mcpserver.WithMemory(m), mcpserver.WithDrain(100*time.Millisecond))
	c.call("1", "add_observations")
	c.request("2", "resources/read", `{"uri":"memory://graph"}`)
	c.request("3", "resources/list", `{}`)
	c.request("4", "resources/subscribe", `{"uri":"memory://graph"}`)
	c.request("", "notifications/cancelled", `{"requestId":3}`)
	compareMessages(t, `{"jsonrpc":"2.0","id":1,"result":"*"}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"the server is ending: this call was not done"}}
{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"the server is ending: this call was not done"}}
`, c.close())
}

// otherProcess has this test binary, as another process, add an observation to each of
// these entities, or make those that there are not.
func otherProcess(t *testing.T, path string, names ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "MCP_MEMORY_TEST_PATH="+path, "MCP_MEMORY_TEST_NAMES="+strings.Join(names, "\n"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
}

func TestMain(m *testing.M) {
	path, isOther := os.LookupEnv("MCP_MEMORY_TEST_PATH")
	if !isOther {
		os.Exit(m.Run())
	}
	if err := observe(path, strings.Split(os.Getenv("MCP_MEMORY_TEST_NAMES"), "\n")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
