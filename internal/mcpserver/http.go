package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/semaphore"
)

// HTTPLimits bound what the clients of one HTTP handler hold at the same time.
type HTTPLimits struct {
	Requests int           // that are carried out
	Sessions int           // that clients have begun and not ended
	Streams  int           // on which clients listen
	Idle     time.Duration // after which a session without a request or a stream is over
}

// DefaultHTTPLimits are enough for a team.
var DefaultHTTPLimits = HTTPLimits{Requests: 64, Sessions: 256, Streams: 512, Idle: 4 * time.Hour}

// HTTP serves tools by the Streamable HTTP transport, on one path: any number
// of clients of those revisions of the protocol that know sessions, and of
// those without. The transport is mcp-go's. What it answers to a message, and in which
// order calls take effect, is the same as on standard input and output.
type HTTP struct {
	server    *Server
	transport *server.StreamableHTTPServer
	limits    HTTPLimits
	bodies    *semaphore.Weighted // bytes of messages whose answer is not written

	streamsEnd context.Context
	endStreams context.CancelFunc

	active sync.WaitGroup // POST requests

	mu       sync.Mutex
	ending   bool
	requests int
	streams  int
	sessions map[string]*httpSession
	peers    map[*peer]int // how many requests each has
}

// HTTP makes a handler for the path of MCP. Who may ask is for others to settle.
func (s *Server) HTTP(limits HTTPLimits) *HTTP {
	h := &HTTP{
		server:   s,
		limits:   limits,
		bodies:   semaphore.NewWeighted(int64(2 * s.maxLine)),
		sessions: map[string]*httpSession{},
		peers:    map[*peer]int{},
	}
	h.streamsEnd, h.endStreams = context.WithCancel(context.Background())
	h.transport = server.NewStreamableHTTPServer(s.mcp,
		server.WithSessionIdManager((*sessionIDs)(h)),
		server.WithStreamableHTTPLogger(s.log),
	)
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
	defer h.endStreams()
	end := time.Now()
	h.mu.Lock()
	h.ending = true
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

// errBusy refuses what would be too much at the same time.
var errBusy = errors.New("the server is busy: try again soon")

// errEnding refuses requests while the server ends.
var errEnding = errors.New("the server is ending")

// begin notes a request of a peer, until over is called.
func (h *HTTP) begin(p *peer) (over func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ending:
		return nil, errEnding
	case h.requests >= h.limits.Requests:
		return nil, errBusy
	}
	h.requests++
	h.peers[p]++
	h.active.Add(1)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.requests--
		if h.peers[p]--; h.peers[p] == 0 {
			delete(h.peers, p)
		}
		h.active.Done()
	}, nil
}

// Load is what the clients of a handler hold.
type Load struct{ Requests, Sessions, Streams int }

// Load returns it as it is now.
func (h *HTTP) Load() Load {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Load{h.requests, len(h.sessions), h.streams}
}
