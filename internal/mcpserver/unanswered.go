package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
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

	// Guarded by the connection's mutex.
	withdrawn bool // the client does not want an answer any more
	answered  bool
}

// begin notes a request as not answered.
func (c *connection) begin(m message, writes bool, reply func(json.RawMessage)) *request {
	r := &request{message: m, writes: writes, reply: reply}
	r.ctx, r.cancel = context.WithCancel(c.calls)
	c.unanswered.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight[key(m.id)] = append(c.inFlight[key(m.id)], r)
	return r
}

// end answers a request, unless it is answered, and forgets it. One that was
// withdrawn gets no answer.
func (c *connection) end(r *request, answer json.RawMessage) {
	c.mu.Lock()
	first := !r.answered
	r.answered = true
	k := key(r.id)
	c.inFlight[k] = slices.DeleteFunc(c.inFlight[k], func(other *request) bool { return other == r })
	if len(c.inFlight[k]) == 0 {
		delete(c.inFlight, k)
	}
	if r.withdrawn {
		answer = nil
	}
	c.mu.Unlock()
	r.cancel()
	if !first {
		return
	}
	if r.progress != nil {
		r.progress.end()
	}
	r.reply(answer)
	c.unanswered.Done()
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

// giveUp answers what is not answered by saying that the server ends, and
// cancels it. Writes that can be stored by now, or are, it leaves time to say so.
func (c *connection) giveUp() {
	for _, r := range c.open() {
		switch {
		case !r.writes:
			c.end(r, ending(r.id, "this call was not done"))
		case r.effects.giveUp():
			c.end(r, ending(r.id, "nothing of this call was stored"))
		default:
			r.cancel()
		}
	}
}

// abandon answers what giveUp has left time in vain.
func (c *connection) abandon() {
	for _, r := range c.open() {
		if r.effects.areCommitted() {
			c.end(r, ending(r.id, "this call was carried out, but there was no time for its answer"))
		} else {
			c.end(r, ending(r.id, "it is not known whether this call was stored: look when the server runs again"))
		}
	}
}

// open lists the requests that are not answered.
func (c *connection) open() []*request {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*request
	for _, of := range c.inFlight {
		list = append(list, of...)
	}
	return list
}

// ending answers a call that the end of the server has cut off.
func ending(id json.RawMessage, text string) json.RawMessage {
	return resultReply(id, resultOf(encode(failure{Error: "the server is ending: " + text}), true))
}
