package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/tool"
)

// gate is a tool's work that ends when it is let go, or its context does.
type gate struct {
	started chan string
	open    chan struct{}
}

func newGate() *gate {
	return &gate{started: make(chan string, 1000), open: make(chan struct{})}
}

func (g *gate) run(name string) run {
	return func(ctx context.Context, args json.RawMessage) (any, error) {
		g.started <- name
		select {
		case <-g.open:
			return answer(ctx, args)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func TestPingIsAnsweredWhileToolsRun(t *testing.T) {
	g := newGate()
	c := serve(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))})
	c.call("1", "create_entities")
	<-g.started
	c.request("2", "ping", "{}")
	if m := c.receive(); string(m.ID) != "2" {
		t.Errorf("%s was answered before the ping", m.ID)
	}
	close(g.open)
	if m := c.receive(); string(m.ID) != "1" {
		t.Errorf("answered %s, want the call", m.ID)
	}
	c.close()
}

func TestCallsTakeEffectInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, rest := newGate(), newGate()
		c := serve(t.Context(), t, []tool.Tool{
			writing("create_entities", first.run("first write")),
			writing("add_observations", rest.run("second write")),
			reading("search_nodes", rest.run("read")),
		})
		c.call("0", "search_nodes") // an earlier read holds up no write
		c.call("1", "create_entities")
		c.call("2", "search_nodes")
		c.call("3", "add_observations")
		c.call("4", "search_nodes")
		c.call("5", "search_nodes")
		synctest.Wait()
		if got := []string{<-rest.started, <-first.started}; !slices.Equal(got, []string{"read", "first write"}) {
			t.Errorf("started %q", got)
		}
		if n := len(rest.started); n != 0 {
			t.Fatalf("%d calls started before the write ahead of them had ended", n)
		}
		close(first.open)
		synctest.Wait()
		got := []string{<-rest.started, <-rest.started}
		slices.Sort(got)
		if !slices.Equal(got, []string{"read", "second write"}) || len(rest.started) != 0 {
			t.Errorf("after the first write %q and %d more started", got, len(rest.started))
		}
		close(rest.open)
		if n := len(c.close()); n != 6 {
			t.Errorf("%d answers, want 6", n)
		}
	})
}

func TestReadsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t.Context(), t, []tool.Tool{
			reading("search_semantic", g.run("read")),
			reading("open_nodes", answer),
		})
		for i := range 40 {
			c.call(fmt.Sprint(i), "search_semantic")
		}
		synctest.Wait()
		if n := len(g.started); n < 2 || n >= 40 {
			t.Errorf("%d reads run at the same time, want several but not all", n)
		}
		c.call("40", "open_nodes")
		if m := c.receive(); string(m.ID) != "40" {
			t.Errorf("answered %s, want the read that waits for nothing", m.ID)
		}
		close(g.open)
		if n := len(c.close()); n != 40 {
			t.Errorf("%d answers, want 40", n)
		}
	})
}

func TestManyCallsAtOnce(t *testing.T) {
	var total int // unguarded: writes do not run at the same time
	c := serve(t.Context(), t, []tool.Tool{
		writing("create_entities", func(context.Context, json.RawMessage) (any, error) {
			total++
			return map[string]int{"total": total}, nil
		}),
		reading("search_nodes", answer),
	})
	var senders sync.WaitGroup
	senders.Go(func() {
		for i := range 300 {
			c.call(fmt.Sprint(2*i), "create_entities")
			c.call(fmt.Sprint(2*i+1), "search_nodes")
		}
	})
	seen := map[string]bool{}
	last := 0
	for range 600 {
		m := c.receive()
		if seen[string(m.ID)] {
			t.Errorf("%s was answered twice", m.ID)
		}
		seen[string(m.ID)] = true
		var id int
		if err := json.Unmarshal(m.ID, &id); err != nil {
			t.Fatal(err)
		}
		if id%2 == 0 {
			var out struct{ Total int }
			if err := json.Unmarshal(m.Result.StructuredContent, &out); err != nil {
				t.Fatal(err)
			}
			if out.Total != last+1 || id != 2*last {
				t.Fatalf("write %d was number %d, after number %d", id, out.Total, last)
			}
			last = out.Total
		}
	}
	senders.Wait()
	c.close()
}

func TestCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t.Context(), t, []tool.Tool{
			writing("create_entities", g.run("create_entities")),
			writing("add_observations", g.run("add_observations")),
			writing("delete_entities", answer),
		})
		c.call(`"a"`, "create_entities")
		c.call("7", "add_observations")
		c.call("8", "delete_entities")
		<-g.started
		c.request("", "notifications/cancelled", `{"requestId":7,"reason":"changed my mind"}`)
		c.request("", "notifications/cancelled", `{"requestId":"\u0061"}`)
		if m := c.receive(); string(m.ID) != "8" || m.Result.IsError {
			t.Errorf("answered %+v, want only the call that was not cancelled", m)
		}
		if n := len(g.started); n != 0 {
			t.Error("a call that was cancelled before its turn was carried out")
		}
		if rest := c.close(); len(rest) != 0 {
			t.Errorf("cancelled calls were answered: %q", rest)
		}
	})
}

func TestEndOfInputWaitsForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))})
		c.call("1", "create_entities")
		c.call("2", "create_entities")
		time.AfterFunc(8*time.Second, func() { close(g.open) })
		began := time.Now()
		if n := len(c.close()); n != 2 {
			t.Errorf("%d answers, want 2", n)
		}
		if waited := time.Since(began); waited != 8*time.Second {
			t.Errorf("waited %v, want as long as the calls took", waited)
		}
	})
}

func TestStopAnswersWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		ctx, stop := context.WithCancel(t.Context())
		c := serve(ctx, t, []tool.Tool{writing("create_entities", g.run("write"))})
		c.call("1", "create_entities")
		<-g.started
		stop()
		synctest.Wait()
		close(g.open)
		if err := <-c.ended; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
		if m := c.receive(); string(m.ID) != "1" || m.Result.IsError {
			t.Errorf("got %+v, want the call's own answer", m)
		}
	})
}

// TestStopTakesWhatWasRead behind a line that took its time.
func TestStopTakesWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c := serveUnread(ctx, t, nil, mcpserver.WithMaxLine(1<<10))
		const pings = 600 // more than are taken while none is read
		var lines strings.Builder
		for i := range pings {
			fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
		}
		lines.WriteString(`{"jsonrpc":"2.0","id":"cut`)
		c.send(lines.String())
		synctest.Wait()
		stop()
		in := bufio.NewScanner(c.out)
		for i := range pings {
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i); !in.Scan() || in.Text() != want {
				t.Fatalf("got %q, want %s", in.Text(), want)
			}
		}
		if err := <-c.ended; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
		c.out.Close()
	})
}

func TestWaitingCallsHoldUpReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))}, mcpserver.WithMaxLine(1<<10))
		var sent atomic.Int64
		go func() {
			for i := range 800 {
				c.call(fmt.Sprint(i), "create_entities")
				sent.Add(1)
			}
			c.in.Close()
		}()
		synctest.Wait()
		if n := sent.Load(); n < 100 || n > 600 {
			t.Errorf("%d calls were read while the first one ran", n)
		}
		close(g.open)
		answers := 0
		for range c.lines {
			answers++
		}
		if answers != 800 {
			t.Errorf("%d answers, want 800", answers)
		}
	})
}

func TestLongLines(t *testing.T) {
	const limit = 100 << 10
	c := serve(t.Context(), t, fakes(), mcpserver.WithMaxLine(limit))
	longest := func(id int) string {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_nodes","arguments":{"query":""}}}`, id)
		return strings.Replace(line, `""`, `"`+strings.Repeat("x", limit-len(line))+`"`, 1)
	}
	c.send(longest(1) + "\n")
	if m := c.receive(); string(m.ID) != "1" || len(m.Result.StructuredContent) < limit-200 {
		t.Errorf("a line as long as is allowed: got %.200v", m)
	}
	c.send(longest(2) + "xxx\n")
	if m := c.receive(); m.Error == nil || m.Error.Code != -32600 || string(m.ID) != "null" {
		t.Errorf("a longer line: got %.200v", m)
	}
	c.send(strings.Repeat("[", 3*limit) + "\r\n")
	if m := c.receive(); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a much longer line: got %.200v", m)
	}
	c.send(longest(3) + "\r\n" + strings.Repeat("y", 2*limit))
	if m := c.receive(); string(m.ID) != "3" {
		t.Errorf("the line after: got %.200v", m)
	}
	if rest := c.close(); len(rest) != 1 || !strings.Contains(rest[0], "-32600") {
		t.Errorf("a long line at the end: got %.200q", rest)
	}
}

func TestFailuresAreLogged(t *testing.T) {
	c := serve(t.Context(), t, fakes())
	c.call("1", "open_nodes")
	c.call("2", "read_graph")
	c.call("3", "delete_entities")
	c.close()
	for _, want := range []string{"no such table: entities", "index out of range", "server_test.go"} {
		if !strings.Contains(c.log.String(), want) {
			t.Errorf("the log does not tell of %q:\n%s", want, c.log)
		}
	}
	if strings.Contains(c.log.String(), "must not be empty") {
		t.Errorf("the log tells of what the caller did wrong:\n%s", c.log)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenOutputEndsServing(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	ended := make(chan error, 1)
	go func() {
		ended <- mcpserver.New("1", fakes(), slog.New(slog.DiscardHandler)).ServeStdio(t.Context(), in, brokenWriter{})
	}()
	if _, err := io.WriteString(out, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("ServeStdio returned %v", err)
	}
}

// TestLineOf64MB has the longest line taken that a server takes unless it is
// told otherwise, one more byte refused, and the session go on.
func TestLineOf64MB(t *testing.T) {
	const limit = 64 << 20
	c := serve(t.Context(), t, []tool.Tool{writing("create_entities", func(_ context.Context, args json.RawMessage) (any, error) {
		return map[string]int{"bytes": len(args)}, nil
	})})
	line := func(id string, length int) string {
		start := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"create_entities","arguments":"`
		const end = `"}}`
		return start + strings.Repeat("x", length-len(start)-len(end)) + end + "\r\n"
	}
	c.send(line("1", limit))
	if m := c.receive(); string(m.ID) != "1" || m.Result == nil || len(m.Result.StructuredContent) != len(`{"bytes":67108864}`) {
		t.Errorf("a line of 64 MB was answered %.200v", m)
	}
	c.send(line("2", limit+1))
	if m := c.receive(); m.Error == nil || m.Error.Message != "the line is too long: at most 64 MB are read" {
		t.Errorf("a longer line was answered %.200v", m)
	}
	c.call("3", "create_entities")
	if m := c.receive(); string(m.ID) != "3" {
		t.Errorf("the line after was answered %.200v", m)
	}
	c.close()
}
