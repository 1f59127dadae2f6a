package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/tool"
)

const (
	bothKinds = "application/json, text/event-stream"
	modern    = "2026-07-28"
	hello     = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
)

// httpClient talks to a handler over a real connection.
type httpClient struct {
	t       *testing.T
	handler *mcpserver.HTTP
	url     string
	session string
}

func serveHTTP(t *testing.T, tools []tool.Tool, options ...mcpserver.Option) *httpClient {
	return serveHTTPWithin(t, mcpserver.DefaultHTTPLimits, tools, options...)
}

func serveHTTPWithin(t *testing.T, limits mcpserver.HTTPLimits, tools []tool.Tool, options ...mcpserver.Option) *httpClient {
	h := mcpserver.New("1.2.3", tools, slog.New(slog.DiscardHandler), options...).HTTP(limits)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Drain()
		s.CloseClientConnections()
		s.Close()
	})
	return &httpClient{t: t, handler: h, url: s.URL}
}

// response is what came back, read to its end.
type response struct {
	status int
	header http.Header
	body   string
}

// events returns the messages of a stream.
func (r response) events() (messages []string) {
	for line := range strings.Lines(r.body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			messages = append(messages, strings.TrimSpace(data))
		}
	}
	return messages
}

// begin sends a request; nil headers are left out.
func (c *httpClient) begin(ctx context.Context, method, body string, header map[string]string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", bothKinds)
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	return w
}

func (c *httpClient) do(method, body string, header map[string]string) response {
	c.t.Helper()
	w := c.begin(c.t.Context(), method, body, header)
	defer w.Body.Close()
	content, err := io.ReadAll(w.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response{w.StatusCode, w.Header, string(content)}
}

func (c *httpClient) post(body string) response {
	c.t.Helper()
	return c.do(http.MethodPost, body, nil)
}

// initialized is another client, with a session of its own.
func (c *httpClient) initialized() *httpClient {
	c.t.Helper()
	own := &httpClient{t: c.t, handler: c.handler, url: c.url}
	r := own.post(hello)
	own.session = r.header.Get("Mcp-Session-Id")
	if r.status != http.StatusOK || own.session == "" {
		c.t.Fatalf("initialize was answered %d %s", r.status, r.body)
	}
	return own
}

func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

// stateless adds to a message what revisions without sessions want of it, and
// returns the headers that go with it.
func stateless(t *testing.T, body string) (string, map[string]string) {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	params, _ := m["params"].(map[string]any)
	if params == nil {
		params = map[string]any{}
		m["params"] = params
	}
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": modern, "io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	header := map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": m["method"].(string)}
	if name, ok := params["name"].(string); ok {
		header["Mcp-Name"] = name
	}
	encoded, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded), header
}

// TestHTTPAnswersAsStdio to the letter.
func TestHTTPAnswersAsStdio(t *testing.T) {
	web := serveHTTP(t, fakes()).initialized()
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1.0,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such/method"}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`,
		call("1", "create_entities", `{"entities":"<b> & ünï"}`),
		call("1", "delete_entities", `{}`), // refuses
		call("1", "open_nodes", `{}`),      // fails
		call("1", "read_graph", `null`),    // panics
		call("1", "no_such_tool", `{}`),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`,
		`[` + call("1", "create_entities", `{"n":1}`) + `,{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},7]`,
	} {
		stdio := serve(t.Context(), t, fakes())
		stdio.send(message + "\n")
		lines := stdio.close()
		got := web.post(message)
		if diff := cmp.Diff(strings.TrimSpace(strings.Join(lines, "")), strings.TrimSpace(got.body)); diff != "" || got.status != http.StatusOK {
			t.Errorf("%s was answered %d (-stdio +http):\n%s", message, got.status, diff)
		}
	}
}

func TestHTTPRequests(t *testing.T) {
	c := serveHTTP(t, fakes(), mcpserver.WithMaxLine(10_000)).initialized()
	list, listHeader := stateless(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	with := func(header map[string]string, name, value string) map[string]string {
		changed := map[string]string{name: value}
		for n, v := range header {
			if n != name {
				changed[n] = v
			}
		}
		return changed
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, c2 := range map[string]struct {
		method, body string
		header       map[string]string
		status       int
		want         string // in the answer
	}{
		"ping":                   {"POST", ping, nil, 200, `"result":{}`},
		"byte order mark":        {"POST", "\uFEFF" + ping, nil, 200, `"result":{}`},
		"empty list of params":   {"POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, nil, 200, `"result":{}`},
		"list of params":         {"POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, nil, 400, "params must be an object"},
		"notification":           {"POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		"reply":                  {"POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
		"broken":                 {"POST", `{"jsonrpc`, nil, 400, "not valid JSON"},
		"id that is not UTF-8":   {"POST", "{\"jsonrpc\":\"2.0\",\"id\":\"a\xff\",\"method\":\"ping\"}", nil, 400, `"id":null,"error":{"code":-32700`},
		"nothing":                {"POST", " ", nil, 400, "not valid JSON"},
		"empty batch":            {"POST", "[]", nil, 400, "a batch must have a message"},
		"initialize in a batch":  {"POST", "[" + hello + "]", nil, 400, "initialize must not be in a batch"},
		"too long":               {"POST", `"` + strings.Repeat("a", 10_000) + `"`, nil, 413, "too long"},
		"another type":           {"POST", ping, map[string]string{"Content-Type": "text/plain"}, 415, "Content-Type must be application/json"},
		"type with a charset":    {"POST", ping, map[string]string{"Content-Type": "application/json; charset=utf-8"}, 200, `"result":{}`},
		"no session":             {"POST", ping, map[string]string{"Mcp-Session-Id": ""}, 400, "send initialize first"},
		"another session":        {"POST", ping, map[string]string{"Mcp-Session-Id": "x"}, 404, "send initialize for a new one"},
		"another session's GET":  {"GET", "", map[string]string{"Mcp-Session-Id": "x"}, 404, "no such session"},
		"another session's end":  {"DELETE", "", map[string]string{"Mcp-Session-Id": "x"}, 404, "no such session"},
		"another method":         {"PUT", ping, nil, 405, "use POST"},
		"unknown revision":       {"POST", ping, map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, 400, "revision that is not known"},
		"known revision":         {"POST", ping, map[string]string{"Mcp-Protocol-Version": "2025-06-18"}, 200, `"result":{}`},
		"stateless":              {"POST", list, listHeader, 200, `"resultType":"complete"`},
		"stateless GET":          {"GET", "", map[string]string{"Mcp-Protocol-Version": modern}, 405, "subscriptions/listen"},
		"stateless end":          {"DELETE", "", map[string]string{"Mcp-Protocol-Version": modern}, 405, "no sessions"},
		"stateless by meta only": {"POST", list, nil, 400, "missing required header"},
		"stateless by header":    {"POST", ping, map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": "ping"}, 400, "params._meta must have"},
		"other method in header": {"POST", list, with(listHeader, "Mcp-Method", "tools/call"), 400, "does not match"},
		"last event":             {"POST", list, with(listHeader, "Last-Event-Id", "1"), 400, "cannot be resumed"},
		"future revision":        {"POST", strings.ReplaceAll(list, modern, "2099-01-01"), with(listHeader, "Mcp-Protocol-Version", "2099-01-01"), 400, `"supported":["2026-07-28"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.do(c2.method, c2.body, c2.header)
			if r.status != c2.status || !strings.Contains(r.body, c2.want) {
				t.Errorf("answered %d %s, want %d %s", r.status, r.body, c2.status, c2.want)
			}
			if r.status >= 400 && !strings.HasPrefix(r.body, `{"jsonrpc":"2.0","id":`) {
				t.Errorf("the refusal is no JSON-RPC: %s", r.body)
			}
		})
	}
}

// TestHTTPStatelessStatus of errors: revisions without sessions give them one.
func TestHTTPStatelessStatus(t *testing.T) {
	c := serveHTTP(t, fakes())
	for message, want := range map[string]int{
		call("1", "create_entities", "{}"):               200,
		call("1", "delete_entities", "{}"):               200, // isError
		call("1", "no_such_tool", "{}"):                  400,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:       404, // was removed
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`: 404,
		`{"jsonrpc":"2.0","method":"notifications/x"}`:   202,
	} {
		body, header := stateless(t, message)
		r := c.do(http.MethodPost, body, header)
		if r.status != want || r.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s was answered %d %s, session %q; want %d", message, r.status, r.body, r.header.Get("Mcp-Session-Id"), want)
		}
	}
}

func TestHTTPSessionEnds(t *testing.T) {
	c := serveHTTP(t, fakes()).initialized()
	stream := c.begin(t.Context(), http.MethodGet, "", nil)
	defer stream.Body.Close()
	if got := c.handler.Load(); got != (mcpserver.Load{Sessions: 1, Streams: 1}) {
		t.Errorf("the load is %+v", got)
	}
	if r := c.do(http.MethodDelete, "", nil); r.status != http.StatusNoContent {
		t.Errorf("the end was answered %d %s", r.status, r.body)
	}
	if rest, err := io.ReadAll(stream.Body); err != nil || len(rest) > 0 {
		t.Errorf("the stream ended with %q, %v", rest, err)
	}
	if r := c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); r.status != http.StatusNotFound {
		t.Errorf("after its end the session was answered %d %s", r.status, r.body)
	}
}

// TestHTTPServed holds what a log may know to what clients cannot make up.
func TestHTTPServed(t *testing.T) {
	h := mcpserver.New("1", fakes(), slog.New(slog.DiscardHandler)).HTTP(mcpserver.DefaultHTTPLimits)
	seen := make(chan mcpserver.Served, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var served mcpserver.Served
		h.ServeHTTP(w, r.WithContext(mcpserver.WithServed(r.Context(), &served)))
		seen <- served
	}))
	t.Cleanup(s.Close)
	c := &httpClient{t: t, handler: h, url: s.URL}
	c = c.initialized()
	short := c.session[:8]
	want := mcpserver.Served{Method: "initialize", Session: short}
	if got := <-seen; got != want {
		t.Errorf("initialize is noted as %+v, want %+v", got, want)
	}
	for message, want := range map[string]mcpserver.Served{
		call("1", "search_nodes", `{"query":"secret"}`):          {Method: "tools/call", Tool: "search_nodes", Session: short},
		call("1", "secret_tool", `{}`):                           {Method: "tools/call", Session: short},
		`{"jsonrpc":"2.0","id":1,"method":"secret/method"}`:      {Session: short},
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:             {Method: "batch", Session: short},
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`: {Method: "notifications/initialized", Session: short},
	} {
		c.post(message)
		if got := <-seen; got != want {
			t.Errorf("%s is noted as %+v, want %+v", message, got, want)
		}
	}
	c.session = "secret-session"
	c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := <-seen; got != (mcpserver.Served{}) {
		t.Errorf("a session that is not known is noted as %+v", got)
	}
}

// TestHTTPObserver is told of every call, and how it ended.
func TestHTTPObserver(t *testing.T) {
	seen := make(chan mcpserver.Call, 10)
	c := serveHTTP(t, fakes(), mcpserver.WithObserver(func(call mcpserver.Call) { seen <- call })).initialized()
	for tool, want := range map[string]mcpserver.Outcome{
		"create_entities": mcpserver.Done, "delete_entities": mcpserver.Refused, "open_nodes": mcpserver.Failed, "read_graph": mcpserver.Failed,
	} {
		c.post(call("1", tool, "{}"))
		if got := <-seen; got.Tool != tool || got.Outcome != want || got.Took < 0 {
			t.Errorf("%s was observed as %+v, want %s", tool, got, want)
		}
	}
}

// TestHTTPRoom for messages is bounded: too many long ones at once are refused
// rather than kept in memory.
func TestHTTPRoom(t *testing.T) {
	const line = 100_000
	started, finish := make(chan struct{}), make(chan struct{})
	c := serveHTTP(t, []tool.Tool{reading("search_nodes", func(ctx context.Context, _ json.RawMessage) (any, error) {
		started <- struct{}{}
		<-finish
		return nil, nil
	})}, mcpserver.WithMaxLine(line)).initialized()
	long := call("1", "search_nodes", `"`+strings.Repeat("a", line-200)+`"`)
	answers := make(chan response, 2)
	for range 2 {
		go func() { answers <- c.post(long) }()
		<-started
	}
	if r := c.post(long); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
		t.Errorf("a third long message was answered %d %s", r.status, r.body)
	}
	close(finish)
	for range 2 {
		if r := <-answers; r.status != http.StatusOK {
			t.Errorf("a long message was answered %d %s", r.status, r.body)
		}
	}
	go func() { <-started }()
	if r := c.post(long); r.status != http.StatusOK {
		t.Errorf("when there was room again, a long message was answered %d %s", r.status, r.body)
	}
}

func TestHTTPBodyThatBreaksOff(t *testing.T) {
	h := mcpserver.New("1", fakes(), slog.New(slog.DiscardHandler)).HTTP(mcpserver.DefaultHTTPLimits)
	r := httptest.NewRequest(http.MethodPost, "/mcp", io.MultiReader(bytes.NewReader([]byte(`{"json`)), brokenReader{}))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "could not be read to its end") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
