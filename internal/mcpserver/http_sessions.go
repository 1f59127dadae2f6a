package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// minIdle is how long a session keeps its place while others want it.
const minIdle = time.Minute

// httpSession is a client's from initialize on, until it says goodbye, or is
// forgotten. The handler's mutex guards it.
type httpSession struct {
	peer *peer
	used time.Time // when it began or ended something last
	busy int       // requests and streams

	gone context.Context // ends with the session
	end  context.CancelFunc
}

// sessionIDs lets mcp-go make and look up sessions.
type sessionIDs HTTP

var _ server.SessionIdManager = (*sessionIDs)(nil)

var errNoSession = errors.New("no such session: send initialize for a new one")

// Generate implements server.SessionIdManager.
func (ids *sessionIDs) Generate() string {
	h := (*HTTP)(ids)
	id := rand.Text()
	s := &httpSession{peer: newPeer(h.server, context.Background()), used: time.Now()}
	s.gone, s.end = context.WithCancel(h.streamsEnd)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[id] = s
	return id
}

// Validate implements server.SessionIdManager.
func (ids *sessionIDs) Validate(id string) (isTerminated bool, err error) {
	h := (*HTTP)(ids)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[id] == nil {
		return false, errNoSession
	}
	return false, nil
}

// Terminate implements server.SessionIdManager.
func (ids *sessionIDs) Terminate(id string) (isNotAllowed bool, err error) {
	h := (*HTTP)(ids)
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		s.end()
		delete(h.sessions, id)
	}
	return false, nil
}

// enter keeps a session from being forgotten, until leave is called. It returns
// nil if there is none with this id.
func (h *HTTP) enter(id string) (s *httpSession, leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s = h.sessions[id]
	if s == nil {
		return nil, nil
	}
	s.busy++
	s.used = time.Now()
	return s, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.busy--
		s.used = time.Now()
	}
}

// forget ends a session, with all that mcp-go knows of it.
func (h *HTTP) forget(ctx context.Context, id string) {
	h.transport.Handle(&recorder{}, &server.HTTPRequest{
		Method:  http.MethodDelete,
		Header:  http.Header{mcp.HeaderSessionID: {id}},
		Context: context.WithoutCancel(ctx),
	})
}

// DropIdle ends the sessions that were not used for as long as the limits say.
func (h *HTTP) DropIdle(ctx context.Context) {
	h.mu.Lock()
	var idle []string
	for id, s := range h.sessions {
		if s.busy == 0 && time.Since(s.used) >= h.limits.Idle {
			idle = append(idle, id)
		}
	}
	h.mu.Unlock()
	for _, id := range idle {
		h.forget(ctx, id)
	}
}

// makeRoom has place for one more session, at the expense of the one that was
// not used for longest. It returns errBusy if all are in use.
func (h *HTTP) makeRoom(ctx context.Context) error {
	h.mu.Lock()
	full := len(h.sessions) >= h.limits.Sessions
	var oldest string
	for id, s := range h.sessions {
		if full && s.busy == 0 && time.Since(s.used) >= minIdle && (oldest == "" || s.used.Before(h.sessions[oldest].used)) {
			oldest = id
		}
	}
	h.mu.Unlock()
	switch {
	case !full:
		return nil
	case oldest == "":
		return errBusy
	}
	h.server.log.InfoContext(ctx, "a new session takes the place of the one that was idle for longest", "sessions", h.limits.Sessions)
	h.forget(ctx, oldest)
	return nil
}
