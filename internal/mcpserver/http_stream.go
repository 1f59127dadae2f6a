package mcpserver

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	// sendTimeout is how long a client may leave a piece of an answer unread.
	sendTimeout = 30 * time.Second
	sendPiece   = 64 << 10 // bytes
	// keepAlive is how often a silent stream says that it lives, so that
	// proxies keep it, and that a client which is gone is noticed.
	keepAlive = 25 * time.Second
)

// get lets a client listen to what the server has to say of itself.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if isModern(r.Header, nil) {
		h.transport.Handle(newStream(w), &server.HTTPRequest{Method: r.Method, Header: r.Header, Context: r.Context()})
		return
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	s, leave := h.enter(id)
	if s == nil {
		writeNoSession(w, nil, id)
		return
	}
	defer leave()
	note(r, "", "", id)
	h.listen(w, r, s.gone, nil)
}

// listen serves a stream until its client goes, or gone is done.
func (h *HTTP) listen(w http.ResponseWriter, r *http.Request, gone context.Context, body []byte) {
	h.mu.Lock()
	if h.ending || h.streams >= h.limits.Streams {
		h.mu.Unlock()
		writeBusy(w, nil, errBusy)
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
	go out.keepAlive(ctx)
	h.transport.Handle(out, &server.HTTPRequest{Method: r.Method, Header: r.Header, Body: body, Context: ctx})
	out.close()
}

// delete ends a session.
func (h *HTTP) delete(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(mcp.HeaderSessionID)
	if isModern(r.Header, nil) {
		h.transport.Handle(newStream(w), &server.HTTPRequest{Method: r.Method, Header: r.Header, Context: r.Context()})
		return
	}
	h.mu.Lock()
	known := h.sessions[id] != nil
	h.mu.Unlock()
	if !known {
		writeNoSession(w, nil, id)
		return
	}
	note(r, "", "", id)
	h.forget(r.Context(), id)
	w.WriteHeader(http.StatusNoContent)
}

// stream writes to a client in pieces, each within a time. It implements
// server.HTTPResponseWriter.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	broken  func() // called when the client does not read; may be nil

	mu     sync.Mutex
	begun  bool // as events
	closed bool
}

func newStream(w http.ResponseWriter) *stream {
	return &stream{ResponseWriter: w, control: http.NewResponseController(w)}
}

// CanStream implements server.HTTPResponseWriter.
func (s *stream) CanStream() bool { return true }

// WriteHeader implements server.HTTPResponseWriter.
func (s *stream) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = s.Header().Get("Content-Type") == eventStream
	s.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer. What it gets is whole: one event at least.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(p)
}

func (s *stream) write(p []byte) (written int, err error) {
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	for len(p) > 0 && err == nil {
		var n int
		_ = s.control.SetWriteDeadline(time.Now().Add(sendTimeout))
		n, err = s.ResponseWriter.Write(p[:min(len(p), sendPiece)])
		written, p = written+n, p[n:]
	}
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil && s.broken != nil {
		s.broken()
	}
	return written, err
}

// Flush implements server.HTTPResponseWriter.
func (s *stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		_ = s.control.SetWriteDeadline(time.Now().Add(sendTimeout))
		_ = s.control.Flush()
	}
}

// close lets nothing be written any more: the response is at its end.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	_ = s.control.SetWriteDeadline(time.Time{})
}

// keepAlive writes comments, which clients skip, until ctx is done.
func (s *stream) keepAlive(ctx context.Context) {
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.mu.Lock()
			if s.begun {
				_, _ = s.write([]byte(": alive\n\n"))
			}
			s.mu.Unlock()
		}
	}
}
