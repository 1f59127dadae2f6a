package mcpserver

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/tool"
)

// request is a request that is not answered yet.
type request struct {
	message
	ctx       context.Context
	cancel    context.CancelFunc
	withdrawn bool // the client does not want an answer any more
}

// callParams are the parameters of a tools/call request. Arguments go a way of
// their own.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Meta      json.RawMessage `json:"_meta,omitempty"`
}

// handle takes one message and calls reply once: with the answer, or with nil
// for a message that gets none.
func (c *connection) handle(raw json.RawMessage, reply func(json.RawMessage)) {
	m, refused := parse(raw)
	switch {
	case refused != nil:
		reply(errorReply(m.id, refused.code, refused.text))
	case m.isReply:
		reply(nil)
	case m.id == nil:
		c.notified(m)
		reply(nil)
	case m.method == string(mcp.MethodToolsCall):
		c.call(m, reply)
	default:
		answer := c.ask(c.calls, m)
		c.sendNotifications()
		reply(answer)
	}
}

// notified takes a notification. Only a cancellation changes anything.
func (c *connection) notified(m message) {
	if m.method != string(mcp.MethodNotificationCancelled) {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.params, &params) == nil && len(params.RequestID) > 0 {
		c.withdraw(key(params.RequestID))
	}
}

// call runs a tool in its turn.
func (c *connection) call(m message, reply func(json.RawMessage)) {
	t, params, refused := c.toolOf(m)
	if refused != nil {
		reply(errorReply(m.id, refused.code, refused.text))
		return
	}
	r := c.begin(m)
	ctx := withArguments(r.ctx, params.Arguments)
	stopProgress := func() {}
	if token := progressToken(params.Meta); token != nil {
		var p *progress
		ctx, p = watch(ctx, token, c.out)
		stopProgress = p.end
	}
	r.raw = withoutArguments(m, params)
	c.schedule.start(r.ctx, !t.ReadOnly, func() {
		answer := c.ask(ctx, r.message)
		stopProgress()
		if c.end(r) {
			answer = nil
		}
		reply(answer)
	})
}

// toolOf returns the tool that a request calls.
func (c *connection) toolOf(m message) (tool.Tool, callParams, *protocolError) {
	var params callParams
	if json.Unmarshal(m.params, &params) != nil || params.Name == "" {
		return tool.Tool{}, params, refuse(mcp.INVALID_PARAMS, "params.name must be the name of a tool")
	}
	t, ok := c.server.tools[params.Name]
	if !ok {
		return tool.Tool{}, params, refuse(mcp.INVALID_PARAMS, "Unknown tool: %s", params.Name)
	}
	return t, params, nil
}

// withoutArguments encodes a call for mcp-go, which need not read arguments.
func withoutArguments(m message, params callParams) json.RawMessage {
	params.Arguments = nil
	return encode(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": m.id, "method": m.method, "params": params})
}

// progressToken returns the token of a request that wants to hear of progress.
func progressToken(meta json.RawMessage) json.RawMessage {
	var fields struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if json.Unmarshal(meta, &fields) != nil || len(fields.Token) == 0 || !isID(fields.Token) {
		return nil
	}
	return fields.Token
}

// ask lets mcp-go answer a request, and returns the answer under the very id
// that was sent.
func (c *connection) ask(ctx context.Context, m message) (reply json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.ErrorContext(ctx, "request panicked", "method", m.method, "panic", p, "stack", string(debug.Stack()))
			reply = errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	switch answer := c.server.mcp.HandleMessage(ctx, m.raw).(type) {
	case mcp.JSONRPCResponse:
		return resultReply(m.id, answer.Result)
	case mcp.JSONRPCError:
		if speaksGo(answer.Error) {
			return errorReply(m.id, mcp.INVALID_PARAMS, "invalid params for "+m.method)
		}
		return detailedErrorReply(m.id, answer.Error)
	default:
		return errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
	}
}

// speaksGo reports whether an error tells of mcp-go's decoding rather than of
// the request.
func speaksGo(e mcp.JSONRPCErrorDetails) bool {
	return e.Code == mcp.INVALID_REQUEST || strings.Contains(e.Message, "base64")
}

// sendNotifications writes what mcp-go has to say before an answer.
func (c *connection) sendNotifications() {
	for {
		select {
		case n := <-c.session.notifications:
			c.out.line(encode(n))
		default:
			return
		}
	}
}

// begin notes a request as not answered.
func (c *connection) begin(m message) *request {
	r := &request{message: m}
	r.ctx, r.cancel = context.WithCancel(c.calls)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight[key(m.id)] = append(c.inFlight[key(m.id)], r)
	return r
}

// end forgets a request and reports whether it was withdrawn.
func (c *connection) end(r *request) (withdrawn bool) {
	r.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key(r.id)
	c.inFlight[k] = slices.DeleteFunc(c.inFlight[k], func(other *request) bool { return other == r })
	if len(c.inFlight[k]) == 0 {
		delete(c.inFlight, k)
	}
	return r.withdrawn
}

// withdraw cancels the requests of this id.
func (c *connection) withdraw(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.inFlight[key] {
		r.withdrawn = true
		r.cancel()
	}
}
