package httpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/internal/httpserver"
	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
)

// content is a memory that says what the test wants.
type content struct{ broken error }

func (c content) Readable(context.Context) error { return c.broken }
func (c content) Count(context.Context) (memory.Counts, error) {
	return memory.Counts{Entities: 3, Observations: 5, Relations: 2, Waiting: 1}, c.broken
}
func (content) ModelReady() bool { return true }

// site is a server on a real listener.
type site struct {
	t     *testing.T
	url   string
	log   *lockedBuffer
	stop  context.CancelFunc
	ended chan error // what Serve returned
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func run(t *testing.T, c httpserver.Memory, tools []tool.Tool, options ...httpserver.Option) *site {
	t.Helper()
	l, err := httpserver.Listen(t.Context(), "0", false)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, l, c, tools, options...)
}

func serve(t *testing.T, l net.Listener, c httpserver.Memory, tools []tool.Tool, options ...httpserver.Option) *site {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	s := &site{t: t, url: httpserver.URL(l), log: new(lockedBuffer), stop: stop, ended: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	mcp := mcpserver.New("1.2.3", tools, log, mcpserver.WithDrain(2*time.Second))
	go func() { s.ended <- httpserver.New(mcp, c, log, options...).Serve(ctx, l) }()
	t.Cleanup(s.end)
	return s
}

// end ends the server, if it has not ended.
func (s *site) end() {
	s.stop()
	if err := <-s.ended; err != nil {
		s.t.Error(err)
	}
	s.ended <- nil
}

// answered is the head of a response.
type answered struct {
	status int
	header http.Header
}

// do sends a request with these headers; Host is among them.
func (s *site) do(method, path, body string, header ...string) (answered, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Add(header[i], header[i+1])
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	content, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answered{w.StatusCode, w.Header}, string(content)
}

const (
	hello  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	secret = "correct-horse-battery-staple"
)

// session begins one, and returns the header that names it.
func (s *site) session(header ...string) []string {
	s.t.Helper()
	w, body := s.do(http.MethodPost, "/mcp", hello, header...)
	if w.status != http.StatusOK {
		s.t.Fatalf("initialize was answered %d %s", w.status, body)
	}
	return append([]string{"Mcp-Session-Id", w.header.Get("Mcp-Session-Id")}, header...)
}

// page answers with its path, and panics where it is told to.
var page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/late-panic":
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		fallthrough
	case "/panic":
		panic("index out of range")
	}
	_, _ = io.WriteString(w, "page "+r.URL.Path)
})

func TestWhoMayAsk(t *testing.T) {
	open := run(t, content{}, nil, httpserver.WithPage(page))
	closed := run(t, content{}, nil, httpserver.WithPage(page), httpserver.WithToken(secret))
	named := run(t, content{}, nil, httpserver.WithHosts("Memory.Example.org", "10.1.2.3:8080"))
	bearer := "Bearer " + secret
	for name, c := range map[string]struct {
		at     *site
		method string
		path   string
		header []string
		want   int
	}{
		"MCP":                         {open, "POST", "/mcp", nil, 200},
		"MCP with a slash":            {open, "POST", "/mcp/", nil, 200},
		"nothing below MCP":           {named, "GET", "/mcp/x", nil, 404},
		"a slash without the token":   {closed, "POST", "/mcp/", nil, 401},
		"localhost":                   {open, "POST", "/mcp", []string{"Host", "localhost:1234"}, 200},
		"LOCALHOST":                   {open, "POST", "/mcp", []string{"Host", "LOCALHOST"}, 200},
		"IPv6":                        {open, "POST", "/mcp", []string{"Host", "[::1]:8080"}, 200},
		"IPv6 without a port":         {open, "POST", "/mcp", []string{"Host", "[::1]"}, 200},
		"a name that points here":     {open, "POST", "/mcp", []string{"Host", "evil.example"}, 403},
		"localhost as a prefix":       {open, "POST", "/mcp", []string{"Host", "localhost.evil.example"}, 403},
		"another loopback address":    {open, "POST", "/mcp", []string{"Host", "127.0.0.2"}, 403},
		"the page under another name": {open, "GET", "/", []string{"Host", "evil.example"}, 403},
		"health under another name":   {open, "GET", "/healthz", []string{"Host", "evil.example"}, 403},
		"a name that is allowed":      {named, "POST", "/mcp", []string{"Host", "memory.example.ORG:443"}, 200},
		"an address that is allowed":  {named, "POST", "/mcp", []string{"Host", "10.1.2.3"}, 200},
		"a name that is not":          {named, "POST", "/mcp", []string{"Host", "example.org"}, 403},
		"our origin":                  {open, "POST", "/mcp", []string{"Origin", open.url}, 200},
		"another port's origin":       {open, "POST", "/mcp", []string{"Origin", "http://localhost:9999"}, 403},
		"no port's origin":            {open, "POST", "/api/x", []string{"Origin", "http://127.0.0.1"}, 403},
		"an origin that is allowed":   {named, "POST", "/mcp", []string{"Origin", "https://memory.example.org"}, 200},
		"another origin":              {open, "POST", "/mcp", []string{"Origin", "https://evil.example"}, 403},
		"another origin's GET":        {open, "GET", "/api/x", []string{"Origin", "https://evil.example"}, 403},
		"a file's origin":             {open, "POST", "/mcp", []string{"Origin", "null"}, 403},
		"an extension's origin":       {open, "POST", "/mcp", []string{"Origin", "chrome-extension://localhost"}, 403},
		"two origins":                 {open, "POST", "/mcp", []string{"Origin", "http://localhost", "Origin", "https://evil.example"}, 403},
		"another site's image":        {open, "GET", "/api/x", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"another port's page":         {open, "GET", "/api/x", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"our page's fetch":            {open, "GET", "/api/x", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		"a link to our page":          {open, "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"a link to our data":          {open, "GET", "/api/x", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		"preflight":                   {open, "OPTIONS", "/mcp", []string{"Origin", "https://evil.example"}, 403},
		"no token":                    {closed, "POST", "/mcp", nil, 401},
		"the token":                   {closed, "POST", "/mcp", []string{"Authorization", bearer}, 200},
		"the token, bearer":           {closed, "POST", "/mcp", []string{"Authorization", "bearer  " + secret}, 200},
		"another token":               {closed, "POST", "/mcp", []string{"Authorization", bearer + "x"}, 401},
		"part of the token":           {closed, "POST", "/mcp", []string{"Authorization", bearer[:len(bearer)-1]}, 401},
		"the token as a password":     {closed, "POST", "/mcp", []string{"Authorization", "Basic " + secret}, 401},
		"the token in the address":    {closed, "POST", "/mcp?token=" + secret, nil, 401},
		"metrics without token":       {closed, "GET", "/metrics", nil, 401},
		"metrics with token":          {closed, "GET", "/metrics", []string{"Authorization", bearer}, 200},
		"data without token":          {closed, "GET", "/api/x", nil, 401},
		"data by a detour":            {closed, "GET", "//api/../api/x", nil, 401},
		"data with token":             {closed, "GET", "/api/x", []string{"Authorization", bearer}, 200},
		"the page without token":      {closed, "GET", "/", nil, 200},
		"health without token":        {closed, "GET", "/healthz", nil, 200},
		"health by POST":              {open, "POST", "/healthz", nil, 405},
		"nothing there":               {named, "GET", "/nothing", nil, 404},
	} {
		t.Run(name, func(t *testing.T) {
			c.at.t = t
			body := ""
			if c.method == "POST" {
				body = hello
			}
			w, got := c.at.do(c.method, c.path, body, c.header...)
			if w.status != c.want {
				t.Errorf("answered %d %s, want %d", w.status, got, c.want)
			}
			if challenge := w.header.Get("WWW-Authenticate"); (w.status == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer") {
				t.Errorf("the challenge is %q", challenge)
			}
			if w.header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("other sites are allowed to read this")
			}
		})
	}
}

func TestHealth(t *testing.T) {
	if w, body := run(t, content{}, nil).do("GET", "/healthz", ""); w.status != 200 || body != "ok\n" {
		t.Errorf("answered %d %q", w.status, body)
	}
	w, body := run(t, content{errors.New("disk I/O error")}, nil).do("GET", "/healthz", "")
	if w.status != http.StatusServiceUnavailable || body != "the memory cannot be read\n" {
		t.Errorf("answered %d %q", w.status, body)
	}
}

func TestMetrics(t *testing.T) {
	m := httpserver.NewMetrics()
	m.Call(mcpserver.Call{Tool: "search_nodes", Outcome: mcpserver.Refused, Took: 30 * time.Millisecond})
	s := run(t, content{}, nil, httpserver.WithMetrics(m), httpserver.WithPage(page))
	s.session()
	s.do("GET", "/some/secret/path", "")
	s.do("PROPFIND", "/mcp", "")
	_, body := s.do("GET", "/metrics", "")
	for _, want := range []string{
		`mcp_memory_http_requests_total{method="POST",path="/mcp",status="200"} 1`,
		`mcp_memory_http_requests_total{method="GET",path="/",status="200"} 1`,
		`mcp_memory_http_requests_total{method="other",path="/mcp",status="405"} 1`,
		`mcp_memory_tool_call_seconds_bucket{outcome="refused",tool="search_nodes",le="0.025"} 0`,
		`mcp_memory_tool_call_seconds_bucket{outcome="refused",tool="search_nodes",le="0.05"} 1`,
		"mcp_memory_mcp_sessions 1", "mcp_memory_mcp_streams 0", "mcp_memory_model_loaded 1",
		"mcp_memory_entities 3", "mcp_memory_observations 5", "mcp_memory_relations 2", "mcp_memory_passages_waiting 1",
		"process_start_time_seconds", "go_goroutines",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
	if strings.Contains(body, "secret") {
		t.Errorf("a path is a label:\n%s", body)
	}
	_, broken := run(t, content{errors.New("gone")}, nil).do("GET", "/metrics", "")
	if strings.Contains(broken, "mcp_memory_entities") || !strings.Contains(broken, "mcp_memory_mcp_sessions 0") {
		t.Errorf("of a memory that cannot be read it tells\n%s", broken)
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	s := run(t, content{}, nil, httpserver.WithPage(page))
	if w, body := s.do("GET", "/panic", ""); w.status != 500 || body != "internal error\n" {
		t.Errorf("answered %d %q", w.status, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/late-panic", nil)
	if err != nil {
		t.Fatal(err)
	}
	late, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Body.Close()
	if half, err := io.ReadAll(late.Body); err == nil {
		t.Errorf("half an answer looks whole: %q", half)
	}
	if w, _ := s.do("GET", "/healthz", ""); w.status != 200 {
		t.Errorf("after a panic health was answered %d", w.status)
	}
	if !strings.Contains(s.log.String(), "index out of range") {
		t.Errorf("the log does not tell of the panic: %s", s.log)
	}
}

// TestLog tells what was done, and nothing of what the memory holds.
func TestLog(t *testing.T) {
	s := run(t, content{}, []tool.Tool{{Name: "search_nodes", ReadOnly: true, Call: answer}}, httpserver.WithToken(secret), httpserver.WithPage(page))
	header := s.session("Authorization", "Bearer "+secret)
	s.do("POST", "/mcp?query=confidential", `{"jsonrpc":"2.0","id":"confidential","method":"tools/call","params":{"name":"search_nodes","arguments":{"query":"confidential"}}}`, header...)
	s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"confidential"}`, header...)
	s.do("POST", "/mcp", `{"confidential`, header...)
	s.do("GET", "/confidential", "", "Referer", "http://localhost/confidential", "User-Agent", "confidential")
	s.end()
	log := s.log.String()
	for _, want := range []string{
		"msg=http method=POST path=/mcp status=200", "session=" + header[1][:8] + " mcp=tools/call tool=search_nodes", "remote=127.0.0.1:",
		"status=400", "method=GET path=/ status=200",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("there is no %q in the log:\n%s", want, log)
		}
	}
	for _, secret := range []string{"confidential", secret, header[1]} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
}

func answer(context.Context, json.RawMessage) (any, error) { return map[string]any{}, nil }

// A client whose server was started anew, at the same address, is told to begin
// anew, and can.
func TestServerAnew(t *testing.T) {
	s := run(t, content{}, nil)
	header := s.session()
	s.end()
	http.DefaultClient.CloseIdleConnections() // one to the server of before may not be known to be closed yet
	l, err := httpserver.Listen(t.Context(), strings.TrimPrefix(s.url, "http://"), false)
	if err != nil {
		t.Fatal(err)
	}
	again := serve(t, l, content{}, nil)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if w, body := again.do(http.MethodPost, "/mcp", ping, header...); w.status != http.StatusNotFound || !strings.Contains(body, "send initialize for a new one") {
		t.Errorf("in the session of before: %d %s", w.status, body)
	}
	if w, body := again.do(http.MethodPost, "/mcp", ping, again.session()...); w.status != http.StatusOK {
		t.Errorf("in a new session: %d %s", w.status, body)
	}
}

// TestEnd answers what runs, ends streams, and takes nothing more.
func TestEnd(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	s := run(t, content{}, []tool.Tool{{Name: "create_entities", Call: func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(started)
		<-finish
		return map[string]any{"done": true}, ctx.Err()
	}}})
	header := s.session()
	stream, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream.Header.Set(header[0], header[1])
	listening, err := http.DefaultClient.Do(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer listening.Body.Close()
	answer := make(chan string, 1)
	go func() {
		_, body := s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_entities"}}`, header...)
		answer <- body
	}()
	<-started
	s.stop()
	for { // until it takes no more connections
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			break
		}
		c.Close()
	}
	close(finish)
	if body := <-answer; !strings.Contains(body, `"done":true`) {
		t.Errorf("the call that ran was answered %s", body)
	}
	if _, err := io.ReadAll(listening.Body); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
	s.end()
}
