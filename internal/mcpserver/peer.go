package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
)

// peer is what the calls of one client share: the order in which they take
// effect, and that they can be withdrawn.
type peer struct {
	server *Server

	// calls is the context of all calls. It outlives the reading of input.
	calls     context.Context
	stopCalls context.CancelFunc

	unanswered sync.WaitGroup // calls

	order    sync.Mutex // held while a call is put into the schedule
	schedule *schedule

	mu       sync.Mutex
	inFlight map[string][]*request // by key of the id
}

func newPeer(s *Server, calls context.Context) *peer {
	calls, stop := context.WithCancel(calls)
	return &peer{server: s, calls: calls, stopCalls: stop, schedule: newSchedule(), inFlight: map[string][]*request{}}
}

// exchange is how one message is carried out, and where its answer goes.
type exchange struct {
	// ask lets mcp-go answer the message with these parameters.
	ask func(ctx context.Context, m message, params json.RawMessage) json.RawMessage
	// out takes what comes before the answer; nil if nobody reads it.
	out *output
	// gone ends when nobody waits for the answer any more; nil if that makes
	// no difference.
	gone context.Context
	// listens is whether out is read as long as the client lives.
	listens bool
	// stateless is a client that withdraws a write by going away, too.
	stateless bool
	// reply is called once: with the answer, or with nil for a message that
	// gets none.
	reply func(json.RawMessage)
}

// handle takes one message.
func (p *peer) handle(raw json.RawMessage, x exchange) {
	m, refused := parse(raw)
	switch {
	case refused != nil && m.silent:
		p.server.log.Debug("notification ignored", "method", m.method, "reason", refused.text)
		x.reply(nil)
	case refused != nil:
		x.reply(errorReply(m.id, refused.code, refused.text))
	case m.isReply:
		x.reply(nil)
	case m.silent:
		p.notified(m)
		x.reply(nil)
	case m.method == string(mcp.MethodToolsCall) && !p.server.isExtension(m.params):
		p.call(m, x)
	default:
		p.request(m, x)
	}
}

// notified takes a notification. Only a cancellation changes anything.
func (p *peer) notified(m message) {
	if m.method != string(mcp.MethodNotificationCancelled) {
		return
	}
	if id := members(m.params)["requestId"]; len(id) > 0 {
		p.withdraw(key(id))
	}
}

// call runs a tool in its turn.
func (p *peer) call(m message, x exchange) {
	params := members(m.params)
	t, refused := p.server.toolOf(params)
	if refused != nil {
		x.reply(errorReply(m.id, refused.code, refused.text))
		return
	}
	r := p.begin(m, !t.ReadOnly, x.reply)
	if x.gone != nil && (t.ReadOnly || x.stateless) {
		context.AfterFunc(x.gone, r.cancel)
	}
	ctx := withArguments(r.ctx, params["arguments"])
	if token := progressToken(params["_meta"]); token != nil && x.out != nil {
		ctx, r.progress = watch(ctx, token, x.out)
	}
	run := func(ctx context.Context) { p.end(r, x.ask(ctx, m, withoutArguments(params))) }
	p.order.Lock()
	defer p.order.Unlock()
	if t.ReadOnly {
		p.schedule.read(r.ctx, t.Name, func() {
			run(ctx)
			if x.out != nil {
				x.out.wait() // a client that reads no answers gets no more of them
			}
		})
		return
	}
	ctx = memory.WithConsent(ctx, r.effects.mayCommit)
	p.schedule.write(r.ctx, func(over func()) {
		run(memory.WithCommitted(ctx, func() {
			r.effects.committed()
			over()
			p.server.watch.poke()
		}))
	})
}

// toolOf returns the tool that is called with these parameters.
func (s *Server) toolOf(params map[string]json.RawMessage) (tool.Tool, *protocolError) {
	name := text(params["name"])
	if name == "" {
		return tool.Tool{}, refuse(mcp.INVALID_PARAMS, "params.name must be the name of a tool")
	}
	t, ok := s.tools[name]
	if !ok {
		return tool.Tool{}, refuse(mcp.INVALID_PARAMS, "Unknown tool: %s", name)
	}
	return t, nil
}

// isExtension reports whether a tool is one of WithExtension.
func (s *Server) isExtension(params json.RawMessage) bool {
	name := text(members(params)["name"])
	_, ours := s.tools[name]
	return !ours && s.mcp.GetTool(name) != nil
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

// progressToken returns the token of a request that wants to hear of progress; nil for
// one that can't be sent back.
func progressToken(meta json.RawMessage) json.RawMessage {
	token := members(meta)["progressToken"]
	if !isID(token) || !utf8.Valid(token) {
		return nil
	}
	return token
}
