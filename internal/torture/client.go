package torture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// patience is how long a server may take for anything before it counts as
// stuck. Servers wait 30 s for other writers, and 50 s for vectors.
const patience = 90 * time.Second

// errGone says that a server ended before it had answered.
var errGone = errors.New("the server ended without an answer")

// ToolError is a call that failed as a whole (isError).
type ToolError struct{ Tool, Text string }

func (e *ToolError) Error() string { return e.Tool + " failed: " + e.Text }

// answer is a reply, or why there is none.
type answer struct {
	result json.RawMessage // of a tool, the structured content
	err    error
}

// client speaks JSON-RPC, one message a line, and lets any number of requests
// wait for their answers.
type client struct {
	sending sync.Mutex
	in      io.WriteCloser

	mu      sync.Mutex
	waiting map[string]waiting // by the id, to the letter
	ended   error              // set when no more answers come
	lastID  int
}

type waiting struct {
	tool  string // "" for another method
	reply chan answer
}

// newClient reads answers from out until it ends.
func newClient(in io.WriteCloser, out io.Reader) *client {
	c := &client{in: in, waiting: map[string]waiting{}}
	go c.read(out)
	return c
}

// call calls a tool and returns the object that it answers with.
func (c *client) call(ctx context.Context, tool string, arguments any) (json.RawMessage, error) {
	return await(ctx, c.send(tool, arguments))
}

// send calls a tool without waiting for its answer.
func (c *client) send(tool string, arguments any) <-chan answer {
	c.mu.Lock()
	c.lastID++
	id := strconv.Itoa(c.lastID)
	c.mu.Unlock()
	return c.sendAs(id, tool, arguments)
}

// sendAs calls a tool under this id, which is JSON.
func (c *client) sendAs(id, tool string, arguments any) <-chan answer {
	return c.request(id, tool, "tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// await waits for an answer.
func await(ctx context.Context, reply <-chan answer) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	select {
	case a := <-reply:
		return a.result, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// request sends any request.
func (c *client) request(id, tool, method string, params any) <-chan answer {
	w := waiting{tool, make(chan answer, 1)}
	c.mu.Lock()
	if c.ended != nil {
		w.reply <- answer{err: c.ended}
		c.mu.Unlock()
		return w.reply
	}
	c.waiting[id] = w
	c.mu.Unlock()
	// If it cannot be written, the server is gone, and so the reader says.
	_ = c.write(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	return w.reply
}

// write sends one message.
func (c *client) write(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// read hands out answers until out ends or breaks the protocol.
func (c *client) read(out io.Reader) {
	reader := bufio.NewReader(out)
	for {
		line, err := reader.ReadBytes('\n')
		if err == nil {
			err = c.receive(line)
		} else {
			err = errGone // a last line that was cut off says nothing
		}
		if err != nil {
			c.end(err)
			_, _ = io.Copy(io.Discard, reader)
			return
		}
	}
}

// end tells all who wait that there will be no answer.
func (c *client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = err
	for _, w := range c.waiting {
		w.reply <- answer{err: err}
	}
	clear(c.waiting)
}

// receive takes one line of the server's. Anything but the answer to one
// request, or a notification, breaks the protocol.
func (c *client) receive(line []byte) error {
	var m struct {
		JSONRPC string
		ID      json.RawMessage
		Method  string
		Result  json.RawMessage
		Error   *struct{ Message string }
	}
	if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
		return fmt.Errorf("standard output holds something else than the protocol: %.200q", line)
	}
	if m.ID == nil && m.Method != "" {
		return nil
	}
	c.mu.Lock()
	w, known := c.waiting[string(m.ID)]
	delete(c.waiting, string(m.ID))
	c.mu.Unlock()
	switch {
	case !known:
		return fmt.Errorf("an answer that nothing waits for, or a second one: %.200q", line)
	case m.Error != nil:
		w.reply <- answer{err: fmt.Errorf("%s: protocol error: %s", w.tool, m.Error.Message)}
	case w.tool == "":
		w.reply <- answer{result: m.Result}
	default:
		w.reply <- toolAnswer(w.tool, m.Result)
	}
	return nil
}

// toolAnswer takes a tool's result apart: the same object twice, as data and as text.
func toolAnswer(tool string, raw json.RawMessage) answer {
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return answer{err: fmt.Errorf("%s: a result of another shape: %.200q", tool, raw)}
	}
	if len(result.Content) != 1 || !bytes.Equal([]byte(result.Content[0].Text), result.StructuredContent) {
		return answer{err: fmt.Errorf("%s: text and structured content differ: %.300q", tool, raw)}
	}
	if !result.IsError {
		return answer{result: result.StructuredContent}
	}
	var failure struct{ Error string }
	if err := json.Unmarshal(result.StructuredContent, &failure); err != nil || failure.Error == "" {
		return answer{err: fmt.Errorf("%s: failed without a reason: %.200q", tool, raw)}
	}
	return answer{err: &ToolError{tool, failure.Error}}
}
