package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// request answers what is no call of a tool, in its turn.
func (p *peer) request(m message, x exchange) {
	turn := p.server.turnOf(m.method)
	switch {
	case turn == untilEnds && x.listens:
		p.listen(m, x)
		return
	case turn == untilEnds && mcp.IsModernProtocol(revisionOf(m.params)):
		x.reply(errorReply(m.id, mcp.INVALID_REQUEST, m.method+" must be sent by itself, with the headers of its revision"))
		return
	case turn == anyTime || turn == untilEnds:
		x.reply(x.ask(p.calls, m, m.params))
		return
	}
	r := p.begin(m, false, x.reply)
	if x.gone != nil {
		context.AfterFunc(x.gone, r.cancel)
	}
	params := members(m.params)
	run := func() {
		p.end(r, x.ask(withAsked(r.ctx, &asked{params: params}), m, p.server.standIn(m.method, params)))
	}
	p.order.Lock()
	defer p.order.Unlock()
	if turn == asWrite {
		p.schedule.write(r.ctx, func(func()) { run() })
		return
	}
	p.schedule.read(r.ctx, m.method, func() {
		run()
		if x.out != nil {
			x.out.wait()
		}
	})
}

// listen serves a client that wants to hear of changes until it has had enough.
func (p *peer) listen(m message, x exchange) {
	r := p.begin(m, false, x.reply)
	if p.countListening() > maxListens {
		p.end(r, errorReply(m.id, mcp.INVALID_REQUEST, fmt.Sprintf("too many subscriptions/listen: at most %d at a time", maxListens)))
		return
	}
	go func() {
		p.end(r, p.server.listen(r.ctx, m, func(message json.RawMessage) {
			x.out.line(message, nil)
			x.out.wait() // what changes while the client does not read is told once
		}))
	}()
}

func (r *request) listens() bool { return r.method == string(mcp.MethodSubscriptionsListen) }

func (p *peer) countListening() (n int) {
	for _, r := range p.open() {
		if r.listens() {
			n++
		}
	}
	return n
}

// endListening ends what has no end of its own.
func (p *peer) endListening() {
	for _, r := range p.open() {
		if r.listens() {
			r.cancel()
		}
	}
}
