package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"mcp-memory/internal/mcpserver"
)

const (
	headerTimeout  = 10 * time.Second // for a request's head
	idleTimeout    = 2 * time.Minute  // between requests of one connection
	maxHeaderBytes = 32 << 10
	sweepPause     = time.Minute // between looks for idle sessions
	// lastWords is how long after the end of MCP's streams connections may
	// take to close.
	lastWords = time.Second
	// maxBeside is how many requests that are not MCP's run at the same time.
	maxBeside = 32
)

// The server's paths. The page has all others.
const (
	mcpPath     = "/mcp"
	healthPath  = "/healthz"
	metricsPath = "/metrics"
	apiPath     = "/api/"
)

// Server serves one memory to many clients.
type Server struct {
	content Memory
	log     *slog.Logger
	mcp     *mcpserver.HTTP
	limits  mcpserver.HTTPLimits
	metrics *Metrics
	page    http.Handler // nil for none
	token   *token       // nil if none is demanded
	hosts   map[string]bool
	handler func() http.Handler
}

// Option changes a server.
type Option func(*Server)

// WithToken demands this bearer token for /mcp, /metrics and /api/.
func WithToken(secret string) Option { return func(s *Server) { s.token = newToken(secret) } }

// WithHosts also takes requests to these host names, besides those of this
// machine to itself. Ports make no difference.
func WithHosts(names ...string) Option {
	return func(s *Server) {
		for _, name := range names {
			s.hosts[hostName(name)] = true
		}
	}
}

// WithPage answers all paths that are not the server's own. Below /api/ the
// token is demanded; the rest must hold no data.
func WithPage(page http.Handler) Option { return func(s *Server) { s.page = page } }

// WithLimits bounds what MCP's clients hold.
func WithLimits(limits mcpserver.HTTPLimits) Option { return func(s *Server) { s.limits = limits } }

// WithMetrics has the server show these metrics, in which calls are counted
// already. Without, it counts requests only.
func WithMetrics(m *Metrics) Option { return func(s *Server) { s.metrics = m } }

// New makes a server of a memory and of the tools to reach it.
func New(mcp *mcpserver.Server, content Memory, logger *slog.Logger, options ...Option) *Server {
	s := &Server{
		content: content,
		log:     logger,
		limits:  mcpserver.DefaultHTTPLimits,
		hosts:   map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true},
	}
	for _, option := range options {
		option(s)
	}
	if s.metrics == nil {
		s.metrics = NewMetrics()
	}
	s.mcp = mcp.HTTP(s.limits)
	s.handler = sync.OnceValue(s.routes)
	return s
}

// Handler is the whole server as one handler.
func (s *Server) Handler() http.Handler { return s.handler() }

func (s *Server) routes() http.Handler {
	beside := http.NewServeMux()
	beside.Handle(healthPath, reading(http.HandlerFunc(s.health)))
	beside.Handle(metricsPath, reading(s.authorized(s.metrics.handler(s.content, s.mcp.Load))))
	if s.page != nil {
		beside.Handle(apiPath, s.authorized(s.page))
		beside.Handle("/", s.page)
	}
	all := http.NewServeMux()
	for _, path := range []string{mcpPath, mcpPath + "/{$}"} { // as some write it
		all.Handle(path, s.authorized(s.mcp))
	}
	all.Handle("/", limited(beside))
	return s.watched(s.guarded(all))
}

// health tells nothing but whether the memory can be read.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := s.content.Readable(r.Context()); err != nil {
		s.log.Warn("the memory cannot be read", "error", err)
		http.Error(w, "the memory cannot be read", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// reading refuses what is no request to read.
func reading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "use GET", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limited refuses what would be too much at the same time.
func limited(next http.Handler) http.Handler {
	running := make(chan struct{}, maxBeside)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "the server is busy: try again soon", http.StatusServiceUnavailable)
		}
	})
}

// Serve serves on a listener, which it closes, until ctx is done. Then it takes
// no more requests, answers those that run within the time of
// mcpserver.WithDrain, and ends all streams.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	go s.sweep(ctx)
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	select {
	case err := <-served:
		s.mcp.Drain()
		return fmt.Errorf("serving HTTP on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	s.log.Info("ending: no more requests are taken")
	closed := make(chan error, 1)
	go func() { closed <- h.Shutdown(requests) }()
	s.mcp.Drain()
	time.AfterFunc(lastWords, cancelRequests) // ends Shutdown, too
	if err := <-closed; err != nil && !errors.Is(err, context.Canceled) {
		s.log.Warn("closing connections failed", "error", err)
	}
	_ = h.Close() // of what is left, nothing can be saved
	return nil
}

// sweep ends idle sessions until ctx is done.
func (s *Server) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepPause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.mcp.DropIdle(ctx)
		}
	}
}
