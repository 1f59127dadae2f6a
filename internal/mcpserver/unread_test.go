package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/tool"
)

// unread is a connection whose client reads nothing until it wants to.
type unread struct {
	*client
	out *io.PipeReader
}

func serveUnread(ctx context.Context, t *testing.T, tools []tool.Tool, options ...mcpserver.Option) unread {
	in, clientOut := io.Pipe()
	clientIn, out := io.Pipe()
	c := &client{t: t, in: clientOut, ended: make(chan error, 1)}
	go func() {
		c.ended <- mcpserver.New("1", tools, slog.New(slog.DiscardHandler), options...).ServeStdio(ctx, in, out)
		in.Close()
	}()
	return unread{c, clientIn}
}

// TestEndWhileNothingIsRead holds the end to its time whatever waits for the
// client.
func TestEndWhileNothingIsRead(t *testing.T) {
	for name, send := range map[string]func(c unread){
		"one answer": func(c unread) { c.request("1", "ping", "{}") },
		"many answers": func(c unread) {
			for i := range 200 {
				c.request(fmt.Sprint(i), "tools/list", "{}")
			}
		},
		"calls": func(c unread) {
			for i := range 100 {
				c.call(fmt.Sprint(i), "search_nodes")
				c.call(fmt.Sprint(1000+i), "create_entities")
			}
		},
		"a batch": func(c unread) { c.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n") },
		"refused": func(c unread) { c.send("not JSON\nnor this\n[]\n") },
	} {
		for _, signal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, signal %v", name, signal), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, stop := context.WithCancel(t.Context())
					defer stop()
					c := serveUnread(ctx, t, []tool.Tool{reading("search_nodes", answer), writing("create_entities", answer)})
					defer c.out.Close() // ends the write that is left behind
					send(c)
					synctest.Wait()
					began := time.Now()
					if signal {
						stop()
					} else {
						c.in.Close()
					}
					err := <-c.ended
					if err == nil || !strings.Contains(err.Error(), "did not read") {
						t.Errorf("ServeStdio returned %v", err)
					}
					if took := time.Since(began); took > 11*time.Second {
						t.Errorf("the end took %v", took)
					}
				})
			})
		}
	}
}

// TestSignalWhileReadingIsHeldUp ends a server that takes no more lines before
// its client reads.
func TestSignalWhileReadingIsHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c := serveUnread(ctx, t, nil)
		defer c.out.Close()
		go func() {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
			}
		}()
		synctest.Wait() // returns only when the lines are not taken any more
		began := time.Now()
		stop()
		if err := <-c.ended; err == nil || !strings.Contains(err.Error(), "did not read") {
			t.Errorf("ServeStdio returned %v", err)
		}
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

// TestLateReaderGetsEverything also at the end, when the answers have waited.
func TestLateReaderGetsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serveUnread(t.Context(), t, []tool.Tool{reading("search_nodes", answer), writing("create_entities", answer)})
		const each = 60
		for i := range each {
			c.request(fmt.Sprint(i), "tools/list", "{}")
			c.call(fmt.Sprint(1000+i), "create_entities")
			c.call(fmt.Sprint(2000+i), "search_nodes")
		}
		c.in.Close()
		synctest.Wait()
		time.Sleep(9 * time.Second)
		lists, writes, seen := 0, 1000, map[int]bool{}
		for in := bufio.NewReader(c.out); len(seen) < 3*each; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			var m struct{ ID int }
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			switch {
			case seen[m.ID]:
				t.Errorf("%d was answered twice", m.ID)
			case m.ID == lists:
				lists++
			case m.ID == writes:
				writes++
			case m.ID < 2000:
				t.Errorf("%d was answered out of order", m.ID)
			}
			seen[m.ID] = true
		}
		if err := <-c.ended; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
	})
}

// TestEffectsDoNotWaitForTheClient has writes carried out whose answers nobody
// reads yet.
func TestEffectsDoNotWaitForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		close(g.open)
		c := serveUnread(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))})
		for i := range 20 {
			c.call(fmt.Sprint(i), "create_entities")
		}
		synctest.Wait()
		if n := len(g.started); n != 20 {
			t.Errorf("%d of 20 writes were carried out", n)
		}
		c.out.Close()
		if err := <-c.ended; err == nil {
			t.Error("the output broke, and nobody heard of it")
		}
	})
}
