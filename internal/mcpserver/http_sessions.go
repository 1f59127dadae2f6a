package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// minIdle is how long a session keeps its place while others want it.
const minIdle = 10 * time.Second

// httpSession is a client's from initialize on, until it says goodbye, or is
// forgotten.
type httpSession struct {
	*session
	peer *peer

	gone context.Context // ends with the session, once it is known
	end  context.CancelFunc

	// Guarded by the handler's mutex.
	used time.Time // when it began or ended something last
	busy int       // requests and streams
}

var errNoSession = errors.New("no such session: send initialize for a new one")

func (h *HTTP) newSession() *httpSession {
	return &httpSession{session: newSession(rand.Text(), h.server.watch), peer: newPeer(h.server, context.Background())}
}

// ofRequest returns the session as one of its requests has it: what mcp-go has
// to say of the request comes apart from what it has to say of itself.
func (s *httpSession) ofRequest() requestSession {
	return requestSession{s.session, make(chan mcp.JSONRPCNotification, cap(s.notifications))}
}

// requestSession is a session with notifications of its own.
type requestSession struct {
	*session
	about chan mcp.JSONRPCNotification
}

// NotificationChannel implements server.ClientSession.
func (s requestSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.about }

// keep makes a session known, in use until leave is called. If all places are
// taken, it takes that of the session that was not used for longest; it returns errBusy if all
// are in use.
func (h *HTTP) keep(ctx context.Context, s *httpSession) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) >= h.limits.Sessions {
		oldest := h.longestIdle()
		if oldest == nil {
			return nil, errBusy
		}
		h.server.log.InfoContext(ctx, "a new session takes the place of the one that was idle for longest", "sessions", len(h.sessions))
		h.forget(ctx, oldest)
	}
	if err := h.server.mcp.RegisterSession(ctx, s); err != nil {
		return nil, err
	}
	s.gone, s.end = context.WithCancel(h.streamsEnd)
	h.sessions[s.id] = s
	return h.use(s), nil
}

// longestIdle returns the session that may lose its place first, nil for none.
// The caller holds the lock.
func (h *HTTP) longestIdle() (oldest *httpSession) {
	for _, s := range h.sessions {
		if s.busy == 0 && time.Since(s.used) >= minIdle && (oldest == nil || s.used.Before(oldest.used)) {
			oldest = s
		}
	}
	return oldest
}

// enter returns the session with this id, in use until leave is called, or nil
// if there is none.
func (h *HTTP) enter(id string) (s *httpSession, leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s = h.sessions[id]
	if s == nil {
		return nil, nil
	}
	return s, h.use(s)
}

// use keeps a session from being forgotten. The caller holds the lock.
func (h *HTTP) use(s *httpSession) (leave func()) {
	s.busy++
	s.used = time.Now()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.busy--
		s.used = time.Now()
	}
}

// forget ends a session: its streams, not its calls. The caller holds the lock.
func (h *HTTP) forget(ctx context.Context, s *httpSession) {
	delete(h.sessions, s.id)
	h.server.mcp.UnregisterSession(ctx, s.id)
	s.subscriptions.end()
	s.end()
}

// DropIdle ends the sessions that were not used for as long as the limits say.
func (h *HTTP) DropIdle(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.busy == 0 && time.Since(s.used) >= h.limits.Idle {
			h.forget(ctx, s)
		}
	}
}
