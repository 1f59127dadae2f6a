package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
)

// run is what a fake tool does.
type run func(ctx context.Context, args json.RawMessage) (any, error)

// reading and writing make fake tools under the names of real ones, since each
// tool needs a definition.
func reading(name string, call run) tool.Tool {
	return tool.Tool{Name: name, ReadOnly: true, Call: call}
}

func writing(name string, call run) tool.Tool {
	return tool.Tool{Name: name, Call: call}
}

func answer(_ context.Context, args json.RawMessage) (any, error) {
	return map[string]json.RawMessage{"args": args}, nil
}

// fakes are tools that fail in all ways.
func fakes() []tool.Tool {
	return []tool.Tool{
		reading("search_nodes", func(ctx context.Context, args json.RawMessage) (any, error) {
			if len(args) == 0 {
				args = json.RawMessage(`"none"`)
			}
			return answer(ctx, args)
		}),
		writing("create_entities", answer),
		writing("delete_entities", func(context.Context, json.RawMessage) (any, error) {
			return nil, &memory.InputError{Path: "entityNames[2]", Reason: "must not be empty"}
		}),
		reading("open_nodes", func(context.Context, json.RawMessage) (any, error) {
			return nil, errors.New("sql: no such table: entities")
		}),
		reading("read_graph", func(context.Context, json.RawMessage) (any, error) { panic("index out of range") }),
	}
}

// client is the other end of a served connection.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // what the server wrote; closed when it has ended
	ended chan error  // what ServeStdio returned
	log   *bytes.Buffer
}

// serve serves tools until the client closes its input or ctx ends.
func serve(ctx context.Context, t *testing.T, tools []tool.Tool, options ...mcpserver.Option) *client {
	in, clientOut := io.Pipe()
	clientIn, out := io.Pipe()
	c := &client{t: t, in: clientOut, lines: make(chan string, 1000), ended: make(chan error, 1), log: new(bytes.Buffer)}
	s := mcpserver.New("1.2.3", tools, slog.New(slog.NewTextHandler(c.log, nil)), options...)
	go func() {
		c.ended <- s.ServeStdio(ctx, in, out)
		out.Close()
		in.Close()
	}()
	go func() {
		defer close(c.lines)
		for r := bufio.NewReader(clientIn); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	return c
}

// send writes text as it is.
func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Errorf("sending: %v", err)
	}
}

// request sends a request, or a notification if id is empty.
func (c *client) request(id, method, params string) {
	c.t.Helper()
	if id != "" {
		id = `"id":` + id + `,`
	}
	c.send(`{"jsonrpc":"2.0",` + id + `"method":"` + method + `","params":` + params + "}\n")
}

func (c *client) call(id, name string) {
	c.t.Helper()
	c.request(id, "tools/call", `{"name":"`+name+`","arguments":{}}`)
}

// receive returns the next message from the server.
func (c *client) receive() (m struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result *struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	Error *struct {
		Code    int
		Message string
	}
},
) {
	c.t.Helper()
	line, ok := <-c.lines
	if !ok {
		c.t.Fatal("the server has ended")
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return m
}

// close ends the input and returns the lines that are left.
func (c *client) close() []string {
	c.t.Helper()
	c.in.Close()
	if err := <-c.ended; err != nil {
		c.t.Errorf("ServeStdio: %v", err)
	}
	var rest []string
	for line := range c.lines {
		rest = append(rest, line)
	}
	return rest
}
