package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// maxSubscriptions is how many resources a session may be subscribed to.
const maxSubscriptions = 64

// subscriptions are those of one session, with the changes that it has not been told
// of: each resource once, however often it changed.
type subscriptions struct {
	watch   *watcher
	changed chan struct{} // has a token when there is something to take

	count int // guarded by the watcher's mutex

	mu      sync.Mutex
	pending []string // URIs as the client wrote them
}

func newSubscriptions(w *watcher) *subscriptions {
	return &subscriptions{watch: w, changed: make(chan struct{}, 1)}
}

// note has the session told that a resource has changed.
func (s *subscriptions) note(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.pending, uri) {
		return
	}
	s.pending = append(s.pending, uri)
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// take returns what the session is to be told.
func (s *subscriptions) take() []mcp.JSONRPCNotification {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]mcp.JSONRPCNotification, len(s.pending))
	for i, uri := range s.pending {
		list[i] = mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationResourceUpdated),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
		}}
	}
	s.pending = nil
	return list
}

// forget drops what is noted of a resource.
func (s *subscriptions) forget(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.DeleteFunc(s.pending, func(noted string) bool { return noted == uri })
}

// end ends all subscriptions of the session.
func (s *subscriptions) end() {
	if s.watch != nil {
		s.watch.leave(s)
	}
}

// subscribed is a session of ours, of whatever transport.
type subscribed interface{ updates() *subscriptions }

// subscribe is a hook that does what mcp-go has nothing for.
func (s *Server) subscribe(ctx context.Context, _ any, _ *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
	s.changeSubscriptions(ctx, s.watch.subscribe)
}

func (s *Server) unsubscribe(ctx context.Context, _ any, _ *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
	s.changeSubscriptions(ctx, s.watch.unsubscribe)
}

func (s *Server) changeSubscriptions(ctx context.Context, change func(context.Context, *subscriptions, string) error) {
	_, _ = own(ctx, s, func(params map[string]json.RawMessage) (none struct{}, err error) {
		uri, err := uriOf(params)
		if err != nil {
			return none, err
		}
		session, ok := server.ClientSessionFromContext(ctx).(subscribed)
		if !ok {
			return none, refuse(mcp.INVALID_REQUEST, "there is no session to subscribe in")
		}
		return none, change(ctx, session.updates(), uri)
	})
}
