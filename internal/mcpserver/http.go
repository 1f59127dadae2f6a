package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"
)

// HTTPLimits bound what the clients of one HTTP handler hold at the same time.
type HTTPLimits struct {
	Requests int           // that are carried out
	Sessions int           // that clients have begun and not ended
	Streams  int           // on which clients listen
	Idle     time.Duration // after which a session without a request or a stream is over
}

const (
	// waitingPerTurn bounds the requests that wait, by those that are carried out.
	waitingPerTurn = 16
	// turnPatience is how long a request waits for its turn.
	turnPatience = 5 * time.Second
)

// DefaultHTTPLimits are enough for a team.
var DefaultHTTPLimits = HTTPLimits{Requests: 64, Sessions: 256, Streams: 512, Idle: 4 * time.Hour}

// HTTP serves tools by the Streamable HTTP transport, on one path: any number
// of clients of those revisions of the protocol that know sessions, and of
// those without. What it answers to a message, and in which order calls take
// effect, is the same as on standard input and output.
type HTTP struct {
	server *Server
	limits HTTPLimits
	bodies *semaphore.Weighted // bytes of messages whose answer is not written

	streamsEnd context.Context
	endStreams context.CancelFunc

	active sync.WaitGroup // POST requests

	turns  *semaphore.Weighted // of requests
	ending context.Context     // is done when no more requests are taken
	end    context.CancelFunc

	mu       sync.Mutex
	requests int // that are carried out, or wait for their turn
	streams  int
	sessions map[string]*httpSession
	peers    map[*peer]int // how many requests each has
}

// HTTP makes a handler for the path of MCP. Who may ask is for others to settle.
func (s *Server) HTTP(limits HTTPLimits) *HTTP {
	h := &HTTP{
		server:   s,
		limits:   limits,
		turns:    semaphore.NewWeighted(int64(limits.Requests)),
		bodies:   semaphore.NewWeighted(int64(2 * s.maxLine)),
		sessions: map[string]*httpSession{},
		peers:    map[*peer]int{},
	}
	h.ending, h.end = context.WithCancel(context.Background())
	h.streamsEnd, h.endStreams = context.WithCancel(context.Background())
	return h
}

// ServeHTTP implements http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		writeError(w, http.StatusMethodNotAllowed, nil, mcp.INVALID_REQUEST, "use POST for messages, GET to listen, DELETE to end a session")
	}
}

// Drain takes no more requests, and waits until what runs is answered, for this time
// at most; in the last tenth it gives up what still runs, and answers so. Then
// it ends all streams.
func (h *HTTP) Drain() {
	defer h.endSessions()
	end := time.Now()
	h.mu.Lock()
	h.end()
	peers := make([]*peer, 0, len(h.peers))
	for p := range h.peers {
		peers = append(peers, p)
	}
	h.mu.Unlock()
	answered := make(chan struct{})
	go func() {
		h.active.Wait()
		close(answered)
	}()
	h.server.drainPeers(h.server.drain, end, answered, peers...)
}

// endSessions ends all streams and subscriptions.
func (h *HTTP) endSessions() {
	h.endStreams()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		s.subscriptions.end()
	}
}

// errBusy refuses what would be too much at the same time.
var errBusy = errors.New("the server is busy: try again soon")

// errEnding refuses requests while the server ends.
var errEnding = errors.New("the server is ending")

// begin waits for a request's turn to be carried out for a peer, and notes it
// until over is called. Turns are given in the order in which requests came.
func (h *HTTP) begin(ctx context.Context, p *peer) (over func(), err error) {
	h.mu.Lock()
	switch {
	case h.ending.Err() != nil:
		h.mu.Unlock()
		return nil, errEnding
	case h.requests >= waitingPerTurn*h.limits.Requests:
		h.mu.Unlock()
		return nil, errBusy
	}
	h.requests++
	h.active.Add(1)
	h.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	defer context.AfterFunc(h.ending, cancel)()
	err = h.turns.Acquire(ctx, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ending.Err() != nil && err == nil:
		h.turns.Release(1)
		fallthrough
	case err != nil:
		h.requests--
		h.active.Done()
		if h.ending.Err() != nil {
			return nil, errEnding
		}
		return nil, errBusy
	}
	h.peers[p]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.turns.Release(1)
		h.requests--
		if h.peers[p]--; h.peers[p] == 0 {
			delete(h.peers, p)
		}
		h.active.Done()
	}, nil
}

// Load is what the clients of a handler hold.
type Load struct {
	Requests          int // that are carried out, or wait for their turn
	Sessions, Streams int
}

// Load returns it as it is now.
func (h *HTTP) Load() Load {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Load{h.requests, len(h.sessions), h.streams}
}

// delete ends a session.
func (h *HTTP) delete(w http.ResponseWriter, r *http.Request) {
	s, leave := h.sessionOf(w, r)
	if s == nil {
		return
	}
	leave()
	h.mu.Lock()
	h.forget(r.Context(), s)
	h.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// sessionOf returns the session of a request without a message, or nil if the
// request is answered.
func (h *HTTP) sessionOf(w http.ResponseWriter, r *http.Request) (s *httpSession, leave func()) {
	if isModern(r.Header, nil) {
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, nil, mcp.INVALID_REQUEST, "this revision of the protocol has no sessions: listen by "+string(mcp.MethodSubscriptionsListen))
		return nil, nil
	}
	if refuseRevision(w, r, nil) {
		return nil, nil
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	if s, leave = h.enter(id); s == nil {
		writeNoSession(w, nil, id)
		return nil, nil
	}
	note(r, "", "", id)
	return s, leave
}
