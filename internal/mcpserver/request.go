package mcpserver

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
)

// handle takes one message and calls reply once: with the answer, or with nil
// for a message that gets none.
func (c *connection) handle(raw json.RawMessage, reply func(json.RawMessage)) {
	m, refused := parse(raw)
	switch {
	case refused != nil && m.silent:
		c.server.log.Debug("notification ignored", "method", m.method, "reason", refused.text)
		reply(nil)
	case refused != nil:
		reply(errorReply(m.id, refused.code, refused.text))
	case m.isReply:
		reply(nil)
	case m.silent:
		c.notified(m)
		reply(nil)
	case m.method == string(mcp.MethodToolsCall):
		c.call(m, reply)
	default:
		answer := c.ask(c.calls, m, m.params)
		c.sendNotifications()
		reply(answer)
	}
}

// notified takes a notification. Only a cancellation changes anything.
func (c *connection) notified(m message) {
	if m.method != string(mcp.MethodNotificationCancelled) {
		return
	}
	if id := members(m.params)["requestId"]; len(id) > 0 {
		c.withdraw(key(id))
	}
}

// call runs a tool in its turn.
func (c *connection) call(m message, reply func(json.RawMessage)) {
	params := members(m.params)
	t, refused := c.toolOf(params)
	if refused != nil {
		reply(errorReply(m.id, refused.code, refused.text))
		return
	}
	r := c.begin(m, !t.ReadOnly, reply)
	ctx := withArguments(r.ctx, params["arguments"])
	if token := progressToken(params["_meta"]); token != nil {
		ctx, r.progress = watch(ctx, token, c.out)
	}
	run := func(ctx context.Context) { c.end(r, c.ask(ctx, m, withoutArguments(params))) }
	if t.ReadOnly {
		c.schedule.read(r.ctx, t.Name, func() {
			run(ctx)
			c.out.wait() // a client that reads no answers gets no more of them
		})
		return
	}
	ctx = memory.WithConsent(ctx, r.effects.mayCommit)
	c.schedule.write(r.ctx, func(over func()) {
		run(memory.WithCommitted(ctx, func() {
			r.effects.committed()
			over()
		}))
	})
}

// toolOf returns the tool that is called with these parameters.
func (c *connection) toolOf(params map[string]json.RawMessage) (tool.Tool, *protocolError) {
	name := text(params["name"])
	if name == "" {
		return tool.Tool{}, refuse(mcp.INVALID_PARAMS, "params.name must be the name of a tool")
	}
	t, ok := c.server.tools[name]
	if !ok {
		return tool.Tool{}, refuse(mcp.INVALID_PARAMS, "Unknown tool: %s", name)
	}
	return t, nil
}

// withoutArguments encodes a call's parameters for mcp-go, which need not read
// arguments.
func withoutArguments(params map[string]json.RawMessage) json.RawMessage {
	fields := map[string]json.RawMessage{"name": params["name"]}
	if meta, ok := params["_meta"]; ok {
		fields["_meta"] = meta
	}
	return encode(fields)
}

// progressToken returns the token of a request that wants to hear of progress.
func progressToken(meta json.RawMessage) json.RawMessage {
	token := members(meta)["progressToken"]
	if !isID(token) {
		return nil
	}
	return token
}

// ask lets mcp-go answer a request with these parameters, and returns the
// answer under the very id that was sent.
func (c *connection) ask(ctx context.Context, m message, params json.RawMessage) (reply json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.ErrorContext(ctx, "request panicked", "method", m.method, "panic", p, "stack", string(debug.Stack()))
			reply = errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	switch answer := c.server.mcp.HandleMessage(ctx, m.with(params)).(type) {
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
	return e.Code == mcp.INVALID_REQUEST || e.Code == mcp.PARSE_ERROR || strings.Contains(e.Message, "base64")
}

// sendNotifications writes what mcp-go has to say before an answer.
func (c *connection) sendNotifications() {
	for {
		select {
		case n := <-c.session.notifications:
			c.out.line(encode(n), nil)
		default:
			return
		}
	}
}
