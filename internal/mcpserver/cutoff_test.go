package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

const (
	notDone     = "the server is ending: this call was not done"
	notStored   = "the server is ending: nothing of this call was stored"
	notAnswered = "the server is ending: this call was carried out, but there was no time for its answer"
	unknown     = "the server is ending: it is not known whether this call was stored: look when the server runs again"
)

// TestEndCutsOffWhatTakesTooLong and answers everything within its time,
// whether or not tools heed that they are cancelled.
func TestEndCutsOffWhatTakesTooLong(t *testing.T) {
	var heedless chan struct{} // one a test
	wait := func(context.Context) { <-heedless }
	untilCancelled := func(ctx context.Context) { <-ctx.Done() }
	// write begins its commit before it waits.
	write := func(wait func(context.Context)) run {
		return func(ctx context.Context, args json.RawMessage) (any, error) {
			if err := memory.MayCommit(ctx); err != nil {
				return nil, err
			}
			wait(ctx)
			return answer(ctx, args)
		}
	}
	// tooLate waits before it begins its commit.
	tooLate := func(wait func(context.Context)) run {
		return func(ctx context.Context, args json.RawMessage) (any, error) {
			wait(ctx)
			if memory.MayCommit(ctx) == nil {
				t.Error("a call that was given up may commit")
			}
			return answer(ctx, args)
		}
	}
	read := func(wait func(context.Context)) run {
		return func(ctx context.Context, _ json.RawMessage) (any, error) {
			wait(ctx)
			return nil, ctx.Err()
		}
	}
	for name, c := range map[string]struct {
		tool tool.Tool
		want string // "" is its own answer
	}{
		"read":                          {reading("search_nodes", read(untilCancelled)), notDone},
		"heedless read":                 {reading("search_nodes", read(wait)), notDone},
		"write":                         {writing("create_entities", tooLate(untilCancelled)), notStored},
		"heedless write":                {writing("create_entities", tooLate(wait)), notStored},
		"write that may have committed": {writing("create_entities", write(untilCancelled)), ""},
		"write that sticks in a commit": {writing("create_entities", write(wait)), unknown},
	} {
		for _, signal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, signal %v", name, signal), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					heedless = make(chan struct{})
					ctx, stop := context.WithCancel(t.Context())
					defer stop()
					client := serve(ctx, t, []tool.Tool{c.tool, writing("add_observations", answer), reading("open_nodes", answer)})
					client.call("1", c.tool.Name)
					synctest.Wait()
					client.send(`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + c.tool.Name + `"}}]` + "\n")
					client.request("3", "ping", "{}")
					if m := client.receive(); string(m.ID) != "3" {
						t.Errorf("answered %s, want the ping at once", m.ID)
					}
					began := time.Now()
					if signal {
						stop()
						synctest.Wait()
					}
					rest := strings.Join(client.close(), "")
					if took := time.Since(began); took > 10*time.Second {
						t.Errorf("the end took %v", took)
					}
					close(heedless)
					synctest.Wait()
					for _, id := range []string{"1", "2"} {
						if n := strings.Count(rest, `"id":`+id+`,`); n != 1 {
							t.Errorf("call %s was answered %d times: %s", id, n, rest)
						}
					}
					first, _, _ := strings.Cut(rest[strings.Index(rest, `"id":1,`):], "\n")
					if isError := strings.Contains(first, `"isError":true`); isError != (c.want != "") || !strings.Contains(first, c.want) {
						t.Errorf("answered %s, want %q", first, c.want)
					}
				})
			})
		}
	}
}

// TestEndWithoutTimeForAnAnswer of a write that is stored.
func TestEndWithoutTimeForAnAnswer(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := memory.New(db, noModel{}, memory.Options{})
	stored, heedless, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var tools []tool.Tool
	for _, real := range tool.Catalog(service) {
		if call := real.Call; real.Name == "create_entities" {
			real.Call = func(ctx context.Context, args json.RawMessage) (any, error) {
				defer close(over)
				out, err := call(ctx, args)
				close(stored)
				<-heedless
				return out, err
			}
			tools = append(tools, real)
		}
	}
	t.Cleanup(func() {
		close(heedless)
		<-over
		service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := serve(t.Context(), t, tools, mcpserver.WithDrain(100*time.Millisecond))
	c.request("1", "tools/call", `{"name":"create_entities","arguments":{"entities":[{"name":"Aspen"}]}}`)
	<-stored
	if rest := c.close(); len(rest) != 1 || !strings.Contains(rest[0], notAnswered) {
		t.Errorf("answered %q, want that the call was carried out", rest)
	}
}
