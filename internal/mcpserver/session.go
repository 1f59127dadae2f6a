package mcpserver

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is what mcp-go remembers of a client.
type session struct {
	id            string
	notifications chan mcp.JSONRPCNotification
	subscriptions *subscriptions

	mu           sync.Mutex
	level        mcp.LoggingLevel
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
}

var (
	_ server.SessionWithLogging    = (*session)(nil)
	_ server.SessionWithClientInfo = (*session)(nil)
)

func newSession(id string, w *watcher) *session {
	return &session{
		id: id, notifications: make(chan mcp.JSONRPCNotification, 16),
		subscriptions: newSubscriptions(w), level: mcp.LoggingLevelError,
	}
}

func (s *session) updates() *subscriptions { return s.subscriptions }

// Initialize implements server.ClientSession.
func (s *session) Initialize() {}

// Initialized is always true: requests before the handshake are served too.
func (s *session) Initialized() bool { return true }

// SessionID implements server.ClientSession.
func (s *session) SessionID() string { return s.id }

// NotificationChannel implements server.ClientSession.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// tell writes what mcp-go has had to say until now.
func tell(notifications <-chan mcp.JSONRPCNotification, out *output) {
	for {
		select {
		case n := <-notifications:
			out.line(encode(n), nil)
		default:
			return
		}
	}
}

// SetLogLevel implements server.SessionWithLogging.
func (s *session) SetLogLevel(level mcp.LoggingLevel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = level
}

// GetLogLevel implements server.SessionWithLogging.
func (s *session) GetLogLevel() mcp.LoggingLevel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level
}

// SetClientInfo implements server.SessionWithClientInfo.
func (s *session) SetClientInfo(client mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
}

// GetClientInfo implements server.SessionWithClientInfo.
func (s *session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// SetClientCapabilities implements server.SessionWithClientInfo.
func (s *session) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = capabilities
}

// GetClientCapabilities implements server.SessionWithClientInfo.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}
