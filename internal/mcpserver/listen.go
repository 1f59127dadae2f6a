package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// maxListens is how many listen requests a client on standard input may have open.
const maxListens = 16

// listen serves a request to listen, of revisions without sessions, until ctx is done,
// and returns its answer.
func (s *Server) listen(ctx context.Context, m message, send func(json.RawMessage)) (answer json.RawMessage) {
	l := &listener{session: newSession(rand.Text(), s.watch), server: s, ctx: ctx}
	defer l.subscriptions.end()
	if err := s.mcp.RegisterSession(ctx, l); err != nil {
		return errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
	}
	defer s.mcp.UnregisterSession(ctx, l.id)
	over := make(chan json.RawMessage, 1)
	go func() { over <- s.ask(s.mcp.WithContext(ctx, l), m, m.params) }()
	tell := func(n mcp.JSONRPCNotification) { send(encode(l.tagged(n, m.id))) }
	var changed <-chan struct{} // once the client knows what it has subscribed to
	for {
		select {
		case n := <-l.notifications:
			tell(n)
			changed = l.subscriptions.changed
		case <-changed:
			for _, n := range l.subscriptions.take() {
				tell(n)
			}
		case answer := <-over:
			for len(l.notifications) > 0 {
				tell(<-l.notifications)
			}
			return answer
		}
	}
}

// listener is the session of a stream on which a client hears of what it has
// asked for, and of nothing else.
type listener struct {
	*session
	server *Server
	ctx    context.Context // of the stream

	mu     sync.Mutex
	filter mcp.SubscriptionFilter
}

var (
	_ server.SessionWithSubscriptionFilter       = (*listener)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*listener)(nil)
)

// SetSubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (l *listener) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.filter = filter
}

// SubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (l *listener) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filter, true
}

// SubscribeToResourceErr implements server.SessionWithResourceSubscriptionsErr.
func (l *listener) SubscribeToResourceErr(uri string) error {
	if l.subscriptions.watch == nil {
		return nil
	}
	if err := l.subscriptions.watch.subscribe(l.ctx, l.subscriptions, uri); err != nil {
		return errors.New(l.server.refusalOf(l.ctx, err).Message) // which mcp-go shows as it is
	}
	return nil
}

// SubscribeToResource implements server.SessionWithResourceSubscriptions. It is not
// called where SubscribeToResourceErr is.
func (l *listener) SubscribeToResource(uri string) { _ = l.SubscribeToResourceErr(uri) }

// UnsubscribeFromResource implements server.SessionWithResourceSubscriptions.
func (l *listener) UnsubscribeFromResource(uri string) {
	if l.subscriptions.watch != nil {
		_ = l.subscriptions.watch.unsubscribe(l.ctx, l.subscriptions, uri) // it was understood before
	}
}

// SubscribedResources implements server.SessionWithResourceSubscriptions. What has
// changed is noted by the watch, not by mcp-go: it need not know.
func (l *listener) SubscribedResources() []string { return nil }

// IsSubscribedToResource implements server.SessionWithResourceSubscriptions.
func (l *listener) IsSubscribedToResource(string) bool { return false }

// tagged returns a notification with the id of the request whose stream it is
// on. The original may be others', too.
func (l *listener) tagged(n mcp.JSONRPCNotification, id json.RawMessage) mcp.JSONRPCNotification {
	meta := maps.Clone(n.Params.Meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[mcp.MetaKeySubscriptionID] = id
	n.Params.Meta = meta
	return n
}
