package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"mcp-memory/internal/mcpserver"
)

const (
	headerTimeout  = 10 * time.Second // for a request's head
	idleTimeout    = 2 * time.Minute  // between requests of one connection
	maxHeaderBytes = 32 << 10
)

// Server serves one memory to many clients.
type Server struct {
	mcp   *mcpserver.Server
	log   *slog.Logger
	page  http.Handler // nil for none
	token *token       // nil if none is demanded
	hosts map[string]bool
}

// Option changes what a server does beyond MCP.
type Option func(*Server)

// WithToken demands this bearer token for /mcp, /metrics and /api/.
func WithToken(secret string) Option { return func(s *Server) { s.token = newToken(secret) } }

// WithHosts also takes requests to these host names, besides those of this
// machine itself.
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

// New makes a server.
func New(mcp *mcpserver.Server, logger *slog.Logger, options ...Option) *Server {
	s := &Server{
		mcp:   mcp,
		log:   logger,
		hosts: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true},
	}
	for _, option := range options {
		option(s)
	}
	return s
}

// Handler is the whole server as one handler.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	if s.page != nil {
		mux.Handle("/api/", s.authorized(s.page))
		mux.Handle("/", s.page)
	}
	return s.guarded(mux)
}

// Serve serves on a listener, which it closes, until ctx is done.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	context.AfterFunc(ctx, func() { _ = h.Close() })
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving HTTP on %s: %w", l.Addr(), err)
	}
	return nil
}
