package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// bubble has a handler answer within a bubble of synctest, without a network.
type bubble struct {
	t       *testing.T
	handler *mcpserver.HTTP
	session string
}

func inBubble(t *testing.T, limits mcpserver.HTTPLimits, tools []tool.Tool, options ...mcpserver.Option) *bubble {
	return &bubble{t: t, handler: mcpserver.New("1", tools, slog.New(slog.DiscardHandler), options...).HTTP(limits)}
}

func (b *bubble) request(ctx context.Context, method, body string, header map[string]string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", bothKinds)
	if b.session != "" {
		r.Header.Set("Mcp-Session-Id", b.session)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	return r
}

func (b *bubble) do(ctx context.Context, method, body string, header map[string]string) response {
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, b.request(ctx, method, body, header))
	return response{w.Code, w.Header(), w.Body.String()}
}

func (b *bubble) post(body string) response { return b.do(b.t.Context(), http.MethodPost, body, nil) }

// start posts in the background, and returns when nothing moves any more.
func (b *bubble) start(ctx context.Context, body string, header map[string]string) <-chan response {
	answer := make(chan response, 1)
	go func() { answer <- b.do(ctx, http.MethodPost, body, header) }()
	synctest.Wait()
	return answer
}

func (b *bubble) initialized() *bubble {
	r := b.post(hello)
	if r.status != http.StatusOK {
		b.t.Fatalf("initialize was answered %d %s", r.status, r.body)
	}
	return &bubble{b.t, b.handler, r.header.Get("Mcp-Session-Id")}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// TestHTTPOrder of effects is that in which the calls of a session came; calls
// of others wait for none of them.
func TestHTTPOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		held := make(chan struct{})
		record := func(_ context.Context, args json.RawMessage) (any, error) {
			if string(args) == `"first"` {
				<-held
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, string(args))
			return map[string]any{}, nil
		}
		c := inBubble(t, mcpserver.DefaultHTTPLimits, []tool.Tool{writing("create_entities", record), reading("search_nodes", record)})
		one, other := c.initialized(), c.initialized()
		var answers []<-chan response
		for _, m := range []struct {
			of         *bubble
			name, args string
		}{
			{one, "create_entities", `"first"`}, {one, "search_nodes", `"second"`}, {one, "create_entities", `"third"`}, {other, "create_entities", `"other's"`},
		} {
			answers = append(answers, m.of.start(t.Context(), call("1", m.name, m.args), nil))
		}
		body, header := stateless(t, call("1", "create_entities", `"nobody's"`))
		answers = append(answers, c.start(t.Context(), body, header))
		close(held)
		for _, answer := range answers {
			if r := <-answer; r.status != http.StatusOK || strings.Contains(r.body, "error") {
				t.Errorf("answered %d %s", r.status, r.body)
			}
		}
		// The read and the write behind the first may come in any order.
		if diff := cmp.Diff([]string{`"other's"`, `"nobody's"`, `"first"`}, order[:3]); diff != "" || !slices.Contains(order[3:], `"second"`) {
			t.Errorf("the order was %v", order)
		}
	})
}

// TestHTTPCancellation of a call: it ends, and its request gets no answer.
func TestHTTPCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, mcpserver.DefaultHTTPLimits, []tool.Tool{reading("search_nodes", untilCancelled)})
		one, other := c.initialized(), c.initialized()
		answer := one.start(t.Context(), call(`"a"`, "search_nodes", "{}"), nil)
		const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`
		other.post(cancel)
		synctest.Wait()
		select {
		case r := <-answer:
			t.Fatalf("another session's cancellation had the call answered %d %s", r.status, r.body)
		default:
		}
		if r := one.post(cancel); r.status != http.StatusAccepted {
			t.Errorf("the cancellation was answered %d %s", r.status, r.body)
		}
		r := <-answer
		if r.status != http.StatusOK || r.body != "" || r.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("the cancelled call was answered %d %q", r.status, r.body)
		}
	})
}

func untilCancelled(ctx context.Context, _ json.RawMessage) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestHTTPClientGoes while its call runs. That cancels reads; a write only where
// going is how a client cancels.
func TestHTTPClientGoes(t *testing.T) {
	for _, c := range []struct {
		tool      string
		stateless bool
		cancelled bool
	}{
		{"search_nodes", false, true}, {"search_nodes", true, true}, {"create_entities", false, false}, {"create_entities", true, true},
	} {
		t.Run(fmt.Sprintf("%s, stateless %v", c.tool, c.stateless), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				finish := make(chan struct{})
				outcome := make(chan string, 1)
				run := func(ctx context.Context, _ json.RawMessage) (any, error) {
					select {
					case <-ctx.Done():
						outcome <- "cancelled"
					case <-finish:
						outcome <- "finished"
					}
					return map[string]any{}, nil
				}
				b := inBubble(t, mcpserver.DefaultHTTPLimits, []tool.Tool{reading("search_nodes", run), writing("create_entities", run)})
				body, header := call("1", c.tool, "{}"), map[string]string(nil)
				if c.stateless {
					body, header = stateless(t, body)
				} else {
					b = b.initialized()
				}
				ctx, leave := context.WithCancel(t.Context())
				answer := b.start(ctx, body, header)
				leave()
				synctest.Wait()
				close(finish)
				want := map[bool]string{true: "cancelled", false: "finished"}[c.cancelled]
				if got := <-outcome; got != want {
					t.Errorf("the call %s, want %s", got, want)
				}
				<-answer
			})
		})
	}
}

// TestHTTPProgress goes to the request that asked for it, before its answer.
func TestHTTPProgress(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := memory.New(db, noModel{}, memory.Options{})
	t.Cleanup(func() {
		service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	source := filepath.Join(t.TempDir(), "memory.jsonl")
	if err := os.WriteFile(source, []byte(`{"type":"entity","name":"Aspen","entityType":"tree","observations":["tall"]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(map[string]string{"source_path": source})
	if err != nil {
		t.Fatal(err)
	}
	c := serveHTTP(t, tool.Catalog(service))
	one := c.initialized()
	withToken := func(token string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"migrate","arguments":` + string(arguments) + `,"_meta":{"progressToken":` + token + `}}}`
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			token := fmt.Sprintf(`"t%d"`, i)
			events := one.post(withToken(token)).events()
			if len(events) < 2 || !strings.Contains(events[len(events)-1], `"structuredContent"`) {
				t.Errorf("%s was answered %q", token, events)
				return
			}
			for _, event := range events[:len(events)-1] {
				if !strings.Contains(event, `"method":"notifications/progress"`) || !strings.Contains(event, `"progressToken":`+token) {
					t.Errorf("before the answer %s heard %s", token, event)
				}
			}
		})
	}
	all.Wait()
	plain := one.do(http.MethodPost, withToken("3"), map[string]string{"Accept": "application/json"})
	if !strings.HasPrefix(plain.body, `{"jsonrpc"`) || !strings.Contains(plain.body, `"structuredContent"`) {
		t.Errorf("a client that reads no events was answered %s", plain.body)
	}
}

// TestHTTPEndCutsOffWhatTakesTooLong as that of standard input and output does.
func TestHTTPEndCutsOffWhatTakesTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		tool tool.Tool
		want string
	}{
		"read": {reading("search_nodes", untilCancelled), notDone},
		"write": {writing("create_entities", func(ctx context.Context, args json.RawMessage) (any, error) {
			<-ctx.Done()
			if memory.MayCommit(ctx) == nil {
				t.Error("a call that was given up may commit")
			}
			return answer(ctx, args)
		}), notStored},
		"write that may have committed": {writing("create_entities", func(ctx context.Context, args json.RawMessage) (any, error) {
			err := memory.MayCommit(ctx)
			<-ctx.Done()
			if err != nil {
				return nil, err
			}
			return answer(ctx, args)
		}), `"args":{}`},
		"fast enough": {reading("search_nodes", func(ctx context.Context, args json.RawMessage) (any, error) {
			time.Sleep(8 * time.Second)
			return answer(ctx, args)
		}), `"args":{}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := inBubble(t, mcpserver.DefaultHTTPLimits, []tool.Tool{c.tool})
				one := b.initialized()
				body, header := stateless(t, call("2", c.tool.Name, "{}"))
				answers := []<-chan response{one.start(t.Context(), call("1", c.tool.Name, "{}"), nil), b.start(t.Context(), body, header)}
				stream := make(chan response, 1)
				go func() { stream <- one.do(t.Context(), http.MethodGet, "", nil) }()
				synctest.Wait()
				began := time.Now()
				ended := make(chan struct{})
				go func() { b.handler.Drain(); close(ended) }()
				synctest.Wait()
				if r := one.post(ping); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "the server is ending") {
					t.Errorf("a request at the end was answered %d %s", r.status, r.body)
				}
				for _, answer := range answers {
					if r := <-answer; !strings.Contains(r.body, c.want) {
						t.Errorf("answered %d %s, want %s", r.status, r.body, c.want)
					}
				}
				<-ended
				<-stream
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("the end took %v", took)
				}
			})
		})
	}
}

// TestHTTPLimits on what clients hold: what is too much is refused for now, and
// what nobody uses makes room.
func TestHTTPLimits(t *testing.T) {
	limits := mcpserver.HTTPLimits{Requests: 2, Sessions: 2, Streams: 1, Idle: time.Hour}
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		b := inBubble(t, limits, []tool.Tool{reading("search_nodes", func(ctx context.Context, args json.RawMessage) (any, error) {
			<-finish
			return answer(ctx, args)
		})})
		busy := func(r response, what string) {
			t.Helper()
			if r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") != "1" || !strings.Contains(r.body, "busy") {
				t.Errorf("%s was answered %d %s", what, r.status, r.body)
			}
		}
		first, second := b.initialized(), b.initialized()
		busy(b.post(hello), "a third session at once")

		var answers []<-chan response
		for range 2 {
			answers = append(answers, first.start(t.Context(), call("1", "search_nodes", "{}"), nil))
		}
		busy(second.post(ping), "a third request that waited")
		waiting := second.start(t.Context(), ping, nil)
		close(finish)
		for _, answer := range append(answers, waiting) {
			if r := <-answer; r.status != http.StatusOK {
				t.Errorf("a request that had its turn was answered %d %s", r.status, r.body)
			}
		}

		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() { first.do(ctx, http.MethodGet, "", nil); close(gone) }()
		synctest.Wait()
		busy(second.do(t.Context(), http.MethodGet, "", nil), "a second stream at once")

		time.Sleep(2 * time.Minute)
		third := b.initialized() // in place of the second: the first is listening
		for name, c := range map[string]struct {
			of   *bubble
			want int
		}{"first": {first, 200}, "second": {second, 404}, "third": {third, 200}} {
			if r := c.of.post(ping); r.status != c.want {
				t.Errorf("the %s session is answered %d, want %d", name, r.status, c.want)
			}
		}

		time.Sleep(2 * time.Hour)
		b.handler.DropIdle(t.Context())
		if load := b.handler.Load(); load != (mcpserver.Load{Sessions: 1, Streams: 1}) {
			t.Errorf("after two hours the load is %+v, want the session that listens", load)
		}
		leave()
		<-gone
		time.Sleep(time.Hour)
		b.handler.DropIdle(t.Context())
		if load := b.handler.Load(); load != (mcpserver.Load{}) {
			t.Errorf("in the end the load is %+v", load)
		}
	})
}

// TestHTTPUnread ends the stream of a client that reads nothing.
func TestHTTPUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := inBubble(t, mcpserver.DefaultHTTPLimits, nil).initialized()
		b.handler.ServeHTTP(unreadBody{httptest.NewRecorder()}, b.request(t.Context(), http.MethodGet, "", nil))
		if load := b.handler.Load(); load != (mcpserver.Load{Sessions: 1}) {
			t.Errorf("afterwards the load is %+v", load)
		}
	})
}

// unreadBody is a response of which the body does not come through.
type unreadBody struct{ *httptest.ResponseRecorder }

func (unreadBody) Write([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// TestHTTPNotifications of the server's own reach each session's stream, once
// and in order, whatever else the session does meanwhile.
func TestHTTPNotifications(t *testing.T) {
	const count = 10
	var mcp *server.MCPServer
	synctest.Test(t, func(t *testing.T) {
		b := inBubble(t, mcpserver.DefaultHTTPLimits, []tool.Tool{writing("create_entities", func(ctx context.Context, args json.RawMessage) (any, error) {
			mcp.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": string(args)})
			return answer(ctx, args)
		})}, mcpserver.WithExtension(func(s *server.MCPServer) { mcp = s }))
		one, other := b.initialized(), b.initialized()
		ctx, leave := context.WithCancel(t.Context())
		streams := make(chan response, 2)
		for _, of := range []*bubble{one, other} {
			go func() { streams <- of.do(ctx, http.MethodGet, "", nil) }()
		}
		synctest.Wait()
		for i := range count {
			if r := one.post(call("1", "create_entities", strconv.Itoa(i))); strings.Contains(r.body, "updated") {
				t.Errorf("a call was answered with another's notification: %s", r.body)
			}
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		leave()
		for range 2 {
			r := <-streams
			events := r.events()
			if len(events) != count || !strings.Contains(r.body, ": alive\n\n") {
				t.Fatalf("a stream had %d events, want %d: %s", len(events), count, r.body)
			}
			for i, event := range events {
				if !strings.Contains(event, fmt.Sprintf(`"uri":"%d"`, i)) {
					t.Errorf("event %d is %s", i, event)
				}
			}
		}
	})
}

// TestHTTPSubscription of clients without sessions: they hear of what they asked for.
func TestHTTPSubscription(t *testing.T) {
	var mcp *server.MCPServer
	synctest.Test(t, func(t *testing.T) {
		b := inBubble(t, mcpserver.DefaultHTTPLimits, nil, mcpserver.WithExtension(func(s *server.MCPServer) {
			server.WithToolCapabilities(true)(s)
			server.WithPromptCapabilities(true)(s)
			mcp = s
		}))
		subscribe := func(ctx context.Context, filter string) <-chan response {
			body, header := stateless(t, `{"jsonrpc":"2.0","id":77,"method":"subscriptions/listen","params":{"notifications":`+filter+`}}`)
			return b.start(ctx, body, header)
		}
		ctx, leave := context.WithCancel(t.Context())
		answer := subscribe(ctx, `{"toolsListChanged":true}`)
		mcp.SendNotificationToAllClients("notifications/tools/list_changed", nil)
		mcp.SendNotificationToAllClients("notifications/prompts/list_changed", nil)
		synctest.Wait()
		if load := b.handler.Load(); load.Streams != 1 {
			t.Errorf("the load is %+v", load)
		}
		leave()
		events := (<-answer).events()
		if len(events) < 2 || !strings.Contains(events[0], "notifications/subscriptions/acknowledged") || !strings.Contains(events[1], "tools/list_changed") {
			t.Fatalf("heard %q", events)
		}
		for _, event := range events {
			if !strings.Contains(event, `"io.modelcontextprotocol/subscriptionId":77`) || strings.Contains(event, "prompts/list_changed") {
				t.Errorf("heard %s", event)
			}
		}
		for range 20 { // nothing to wait for, and still acknowledged
			if events := (<-subscribe(t.Context(), `{}`)).events(); len(events) != 2 || !strings.Contains(events[0], "acknowledged") || !strings.Contains(events[1], `"result"`) {
				t.Errorf("an empty subscription heard %q", events)
			}
		}
	})
}
