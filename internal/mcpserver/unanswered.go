package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// request is a call that is not answered yet.
type request struct {
	message
	ctx      context.Context
	cancel   context.CancelFunc
	reply    func(json.RawMessage)
	progress *progress // nil if nobody wants to hear of it
	writes   bool
	effects  effects

	// Guarded by the peer's mutex.
	withdrawn bool // the client does not want an answer any more
	answered  bool
}

// begin notes a request as not answered.
func (p *peer) begin(m message, writes bool, reply func(json.RawMessage)) *request {
	r := &request{message: m, writes: writes, reply: reply}
	r.ctx, r.cancel = context.WithCancel(p.calls)
	p.unanswered.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight[key(m.id)] = append(p.inFlight[key(m.id)], r)
	return r
}

// end answers a request, unless it is answered, and forgets it. One that was
// withdrawn gets no answer.
func (p *peer) end(r *request, answer json.RawMessage) {
	p.mu.Lock()
	first := !r.answered
	r.answered = true
	k := key(r.id)
	p.inFlight[k] = slices.DeleteFunc(p.inFlight[k], func(other *request) bool { return other == r })
	if len(p.inFlight[k]) == 0 {
		delete(p.inFlight, k)
	}
	if r.withdrawn {
		answer = nil
	}
	p.mu.Unlock()
	r.cancel()
	if !first {
		return
	}
	if r.progress != nil {
		r.progress.end()
	}
	r.reply(answer)
	p.unanswered.Done()
}

// withdraw cancels the requests of this id.
func (p *peer) withdraw(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.inFlight[key] {
		r.withdrawn = true
		r.cancel()
	}
}

// giveUp answers what is not answered by saying that the server ends, and
// cancels it. Writes that can be stored by now, or are, it leaves time to say so.
func (p *peer) giveUp() {
	for _, r := range p.open() {
		switch {
		case !r.writes:
			p.end(r, r.ending("this call was not done"))
		case r.effects.giveUp():
			p.end(r, r.ending("nothing of this call was stored"))
		default:
			r.cancel()
		}
	}
}

// abandon answers what giveUp has left time in vain.
func (p *peer) abandon() {
	for _, r := range p.open() {
		if r.effects.areCommitted() {
			p.end(r, r.ending("this call was carried out, but there was no time for its answer"))
		} else {
			p.end(r, r.ending("it is not known whether this call was stored: look when the server runs again"))
		}
	}
}

// open lists the requests that are not answered.
func (p *peer) open() []*request {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*request
	for _, of := range p.inFlight {
		list = append(list, of...)
	}
	return list
}

// ending answers a request that the end of the server has cut off.
func (r *request) ending(text string) json.RawMessage {
	text = "the server is ending: " + text
	if r.method != string(mcp.MethodToolsCall) {
		return errorReply(r.id, codeBusy, text)
	}
	return resultReply(r.id, resultOf(encode(failure{Error: text}), true))
}
