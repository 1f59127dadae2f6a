package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// observe is what the other process does.
func observe(path string, names []string) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	s := memory.New(db, noModel{}, memory.Options{})
	defer s.Close()
	var items []memory.NewEntity
	for _, name := range names {
		items = append(items, memory.NewEntity{Name: name, Observations: []string{fmt.Sprint("seen by ", os.Getpid())}})
	}
	_, err = s.CreateEntities(ctx, items)
	return err
}

const ana, faro = "memory://entity/Ana%20M%C3%BCller", "memory://entity/Faro"

// served is a server of a memory with two entities.
func served(t *testing.T) (path string, c *client) {
	path = newPath(t)
	c = serveWhole(t, path)
	c.must("create_entities", `{"entities":[{"name":"Ana Müller"},{"name":"Faro"}]}`)
	return path, c
}

func (c *client) subscribe(method, uri string) {
	c.t.Helper()
	if r := c.ask("resources/"+method, `{"uri":"`+uri+`"}`); r.Error != nil {
		c.t.Fatalf("%s %s: %+v", method, uri, r.Error)
	}
}

// updated returns the URI of the notification that must come next.
func (c *client) updated() string {
	c.t.Helper()
	r := c.next()
	if r.Method != "notifications/resources/updated" {
		c.t.Fatalf("got %+v, want a notification", r)
	}
	return r.Params.URI
}

// TestUpdates by another process, and by the server's own tools. What was not
// subscribed to, or was only used, is not told: it would come before the rest.
func TestUpdates(t *testing.T) {
	path, c := served(t)
	c.subscribe("subscribe", ana)
	otherProcess(t, path, "Faro", "Ana Müller")
	if got := c.updated(); got != ana {
		t.Errorf("told of %s", got)
	}
	c.must("open_nodes", `{"names":["Ana Müller","Faro"]}`)
	c.must("add_observations", `{"name":"Faro","observations":["x"]}`)
	c.must("create_relations", `{"relations":[{"from":"Faro","to":"Ana Müller","relationType":"needs"}]}`)
	if got := c.updated(); got != ana {
		t.Errorf("told of %s", got)
	}
	c.subscribe("unsubscribe", "memory://entity/Ana%20M%c3%bcller") // another spelling
	c.subscribe("subscribe", "memory://graph")
	otherProcess(t, path, "somebody new", "Ana Müller")
	if got := c.updated(); got != "memory://graph" {
		t.Errorf("told of %s", got)
	}
	c.subscribe("subscribe", faro)
	c.must("delete_entities", `{"entityNames":["Faro"]}`)
	told := []string{c.updated(), c.updated()}
	if slices.Sort(told); !slices.Equal(told, []string{faro, "memory://graph"}) {
		t.Errorf("told of %q", told)
	}
	if rest := c.close(); len(rest) > 0 {
		t.Errorf("and of %q", rest)
	}
}

// TestBursts of changes are told a few times, not each.
func TestBursts(t *testing.T) {
	const changes = 100
	_, c := served(t)
	c.subscribe("subscribe", ana)
	for i := range changes {
		c.request("1", "tools/call", fmt.Sprintf(`{"name":"add_observations","arguments":{"name":"Ana Müller","observations":["%d"]}}`, i))
	}
	answers, told := 0, 0
	for answers < changes || told == 0 {
		if c.next().Method == "" {
			answers++
		} else {
			told++
		}
	}
	if told >= changes {
		t.Errorf("%d changes were told %d times", changes, told)
	}
	c.close()
}

func TestSubscriptionsAreBounded(t *testing.T) {
	const bound = 64
	path, c := served(t)
	for i := range bound {
		c.subscribe("subscribe", fmt.Sprint("memory://graph?offset=", i))
	}
	c.subscribe("subscribe", "memory://graph?offset=5") // known already
	if r := c.ask("resources/subscribe", `{"uri":"`+ana+`"}`); r.Error == nil || !strings.Contains(r.Error.Message, "too many subscriptions: at most 64") {
		t.Errorf("one more was answered %+v", r)
	}
	c.subscribe("unsubscribe", "memory://graph?offset=5")
	c.subscribe("subscribe", ana)
	otherProcess(t, path, "Ana Müller")
	told := map[string]bool{}
	for range bound {
		told[c.updated()] = true
	}
	if len(told) != bound || !told[ana] || told["memory://graph?offset=5"] {
		t.Errorf("told of %v", told)
	}
	c.close()
}

// TestListenOnStdio is how revision 2026-07-28 subscribes: as long as the request is open.
func TestListenOnStdio(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	path, c := served(t)
	listen := func(id, uris string) {
		c.request(id, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":`+uris+`,"resourcesListChanged":true},`+meta+`}`)
	}
	listen("1", `["`+ana+`"]`)
	listen("2", `["`+faro+`","memory://graph"]`)
	for range 2 {
		if r := c.next(); r.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("got %+v", r)
		}
	}
	otherProcess(t, path, "Ana Müller")
	for range 2 {
		r := c.next()
		if want := map[string]any{ana: 1.0, "memory://graph": 2.0}[r.Params.URI]; want == nil || r.Params.Meta["io.modelcontextprotocol/subscriptionId"] != want {
			t.Errorf("told %+v", r)
		}
	}
	c.request("", "notifications/cancelled", `{"requestId":2}`)
	if r := c.ask("ping", "{}"); r.Error != nil {
		t.Fatal(r.Error)
	}
	otherProcess(t, path, "Faro", "Ana Müller")
	if got := c.updated(); got != ana {
		t.Errorf("told of %s", got)
	}
	listen("3", `["memory://entity/nobody"]`)
	if r := c.next(); r.ID != 3 || r.Error == nil || r.Error.Code != -32602 || !strings.Contains(r.Error.Message, "nobody") {
		t.Errorf("listening to nobody was answered %+v", r)
	}
	if r := c.ask("resources/subscribe", `{"uri":"`+ana+`",`+meta+`}`); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("what this revision has removed was answered %+v", r)
	}
	compareMessages(t, `{"jsonrpc":"2.0","id":1,"result":{"_meta":"*","resultType":"complete"}}`+"\n", c.close())
}

func TestListeningIsBounded(t *testing.T) {
	_, c := served(t)
	for i := range 17 {
		c.request(fmt.Sprint(i), "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["`+ana+`"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`)
	}
	refused := 0
	for range 17 {
		if r := c.next(); r.Error != nil {
			refused++
			if r.ID != 16 || !strings.Contains(r.Error.Message, "at most 16") {
				t.Errorf("refused: %+v %+v", r, r.Error)
			}
		}
	}
	if rest := c.close(); refused != 1 || len(rest) != 16 {
		t.Errorf("%d refused, %d ended", refused, len(rest))
	}
}

// eventStream reads the messages of a stream.
type eventStream struct {
	t    *testing.T
	body *bufio.Reader
}

func (s eventStream) next() (r reply) {
	s.t.Helper()
	for {
		line, err := s.body.ReadString('\n')
		if err != nil {
			s.t.Fatalf("the stream ended: %v", err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(data), &r); err != nil {
				s.t.Fatal(err)
			}
			return r
		}
	}
}

// TestHTTPUpdates come on the stream of the session that has subscribed, also of what
// changed before it listened, and end with it.
func TestHTTPUpdates(t *testing.T) {
	path := newPath(t)
	m := newMemory(t, path)
	web := serveHTTP(t, tool.Catalog(m), mcpserver.WithMemory(m))
	one, other := web.initialized(), web.initialized()
	one.post(call("1", "create_entities", `{"entities":[{"name":"Ana Müller"},{"name":"Faro"}]}`))
	ask := func(c *httpClient, method, uri string) {
		t.Helper()
		if r := c.post(`{"jsonrpc":"2.0","id":1,"method":"resources/` + method + `","params":{"uri":"` + uri + `"}}`); r.body != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
			t.Fatalf("%s %s was answered %s", method, uri, r.body)
		}
	}
	ask(one, "subscribe", ana)
	ask(other, "subscribe", faro)
	otherProcess(t, path, "Ana Müller")
	listen := func(c *httpClient) eventStream {
		w := c.begin(t.Context(), http.MethodGet, "", nil)
		t.Cleanup(func() { w.Body.Close() })
		return eventStream{t, bufio.NewReader(w.Body)}
	}
	ofOne, ofOther := listen(one), listen(other)
	if r := ofOne.next(); r.Params.URI != ana {
		t.Errorf("told %+v", r)
	}
	one.post(call("1", "add_observations", `{"name":"Faro","observations":["x"]}`))
	if r := ofOther.next(); r.Params.URI != faro {
		t.Errorf("told %+v", r)
	}
	if r := other.do(http.MethodDelete, "", nil); r.status != http.StatusNoContent {
		t.Fatalf("the end was answered %d", r.status)
	}
	if _, err := ofOther.body.ReadString('\n'); err == nil {
		if rest, _ := ofOther.body.ReadString(0); strings.Contains(rest, "data:") {
			t.Errorf("after the end of its session the stream had %q", rest)
		}
	}
}

// TestHTTPBatchListens to nothing: its answer would never come.
func TestHTTPBatchListens(t *testing.T) {
	m := newMemory(t, newPath(t))
	c := serveHTTP(t, tool.Catalog(m), mcpserver.WithMemory(m)).initialized()
	body, _ := stateless(t, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["memory://graph"]}}}`)
	if r := c.post("[" + body + "]"); !strings.Contains(r.body, "must be sent by itself") {
		t.Errorf("answered %d %s", r.status, r.body)
	}
	if r := c.post(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`); !strings.Contains(r.body, "requires protocol version") {
		t.Errorf("answered %d %s", r.status, r.body)
	}
}

// TestHTTPListen is the same without sessions.
func TestHTTPListen(t *testing.T) {
	path := newPath(t)
	m := newMemory(t, path)
	web := serveHTTP(t, tool.Catalog(m), mcpserver.WithMemory(m))
	web.initialized().post(call("1", "create_entities", `{"entities":[{"name":"Ana Müller"},{"name":"Faro"}]}`))
	body, header := stateless(t, `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["`+ana+`"]}}}`)
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	w := web.begin(ctx, http.MethodPost, body, header)
	defer w.Body.Close()
	stream := eventStream{t, bufio.NewReader(w.Body)}
	if r := stream.next(); r.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("told %+v", r)
	}
	otherProcess(t, path, "Faro", "Ana Müller")
	if r := stream.next(); r.Params.URI != ana || r.Params.Meta["io.modelcontextprotocol/subscriptionId"] != "s" {
		t.Errorf("told %+v", r)
	}
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + ana + `"}}`:                      `"ttlMs":0,"cacheScope":"private","contents":[{"uri":"` + ana,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://entity/nobody"}}`:           `{"code":-32602,"message":"Resource not found`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`:                                                     `"uri":"` + ana,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"tidy","arguments":{"entity":"Faro"}}}`: `"resultType":"complete"`,
	} {
		body, header := stateless(t, message)
		if uri, ok := members(t, message)["uri"]; ok {
			header["Mcp-Name"] = uri
		}
		if r := web.do(http.MethodPost, body, header); !strings.Contains(r.body, want) {
			t.Errorf("%s was answered %d %s, want %s", message, r.status, r.body, want)
		}
	}
}

// members returns the parameters of a message that are strings.
func members(t *testing.T, message string) map[string]string {
	t.Helper()
	var m struct{ Params map[string]any }
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for name, value := range m.Params {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}
	return texts
}
