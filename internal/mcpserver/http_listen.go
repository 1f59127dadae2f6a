package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
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
			case <-s.subscriptions.changed:
				for _, n := range s.subscriptions.take() {
					out.send(encode(n))
				}
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
		out.send(h.server.listen(ctx, m, out.send))
	})
}
