package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// get lets the client of a session listen to what the server has to say of itself.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	s, leave := h.sessionOf(w, r)
	if s == nil {
		return
	}
	defer leave()
	h.listen(w, r, s.gone, func(ctx context.Context, out events) {
		for {
			select {
			case n := <-s.notifications:
				out.send(encode(n))
			case <-ctx.Done():
				return
			}
		}
	})
}

// listen serves a stream of events until its client goes, or gone is done.
func (h *HTTP) listen(w http.ResponseWriter, r *http.Request, gone context.Context, serve func(context.Context, events)) {
	h.mu.Lock()
	err := error(nil)
	switch {
	case h.ending.Err() != nil:
		err = errEnding
	case h.streams >= h.limits.Streams:
		err = errBusy
	}
	if err != nil {
		h.mu.Unlock()
		writeBusy(w, nil, err)
		return
	}
	h.streams++
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.streams--
	}()
	ctx, end := context.WithCancel(r.Context())
	defer end()
	defer context.AfterFunc(gone, end)()
	out := newStream(w)
	out.broken = end
	events{out}.begin()
	out.Flush()
	go out.keepAlive(ctx)
	serve(ctx, events{out})
	out.close()
}

// send writes one message. A client that does not take it loses its stream.
func (e events) send(message json.RawMessage) { _, _ = e.Write(append(message, '\n')) }

// subscribe serves the stream that a client without a session asks for.
func (h *HTTP) subscribe(w http.ResponseWriter, r *http.Request, m message) {
	h.listen(w, r, h.streamsEnd, func(ctx context.Context, out events) {
		s := &subscriber{session: h.newSession().session}
		if err := h.server.mcp.RegisterSession(ctx, s); err != nil {
			out.send(errorReply(m.id, mcp.INTERNAL_ERROR, "internal error"))
			return
		}
		defer h.server.mcp.UnregisterSession(ctx, s.id)
		over := make(chan json.RawMessage, 1)
		go func() { over <- h.server.ask(h.server.mcp.WithContext(ctx, s), m, m.params) }()
		for {
			select {
			case n := <-s.notifications:
				out.send(encode(s.tagged(n, m.id)))
				continue
			case answer := <-over:
				for len(s.notifications) > 0 {
					out.send(encode(s.tagged(<-s.notifications, m.id)))
				}
				out.send(answer)
			}
			return
		}
	})
}

// subscriber is the session of a stream on which a client hears of what it has
// asked for, and of nothing else.
type subscriber struct {
	*session

	mu     sync.Mutex
	filter mcp.SubscriptionFilter
}

var _ server.SessionWithSubscriptionFilter = (*subscriber)(nil)

// SetSubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (s *subscriber) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filter = filter
}

// SubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (s *subscriber) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filter, true
}

// tagged returns a notification with the id of the request whose stream it is
// on. The original may be others', too.
func (s *subscriber) tagged(n mcp.JSONRPCNotification, id json.RawMessage) mcp.JSONRPCNotification {
	meta := maps.Clone(n.Params.Meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[mcp.MetaKeySubscriptionID] = id
	n.Params.Meta = meta
	return n
}
