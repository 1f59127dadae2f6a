package mcpserver

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// sendTimeout is how long a client may leave a piece of an answer unread.
	sendTimeout = 30 * time.Second
	sendPiece   = 64 << 10 // bytes
	// keepAlive is how often a silent stream says that it lives, so that
	// proxies keep it, and that a client which is gone is noticed.
	keepAlive = 25 * time.Second
)

// stream writes to a client in pieces, each within a time.
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

// WriteHeader implements http.ResponseWriter.
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

// Flush sends what is written.
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
