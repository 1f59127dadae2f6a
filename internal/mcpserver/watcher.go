package mcpserver

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/resource"
)

const (
	// lookout is how often a watcher looks for what other processes have committed.
	lookout = time.Second
	// burst is how long changes are gathered after one was told.
	burst = 250 * time.Millisecond
	// idleShare is how much longer a watcher rests than its last look took.
	idleShare = 10
)

// watcher notices changes of the resources that sessions have subscribed to, whoever
// makes them. It rests while there are none.
type watcher struct {
	resources *resource.Catalog
	log       *slog.Logger
	poked     chan struct{} // has a token when something was just written here

	look sync.Mutex // held while states are read, so that none is compared with an older one
	seen int64      // commits up to which states are known

	mu      sync.Mutex
	targets map[resource.URI]*target
	stop    context.CancelFunc // nil while it rests
}

// target is a resource with those who want to hear of it, by the URI that they wrote.
type target struct {
	state memory.State
	of    map[*subscriptions]string
}

func newWatcher(r *resource.Catalog, log *slog.Logger) *watcher {
	return &watcher{resources: r, log: log, poked: make(chan struct{}, 1), targets: map[resource.URI]*target{}}
}

// subscribe has a session told when a resource changes from now on.
func (w *watcher) subscribe(ctx context.Context, s *subscriptions, text string) error {
	uri, err := resource.Parse(text)
	if err != nil {
		return err
	}
	w.look.Lock()
	defer w.look.Unlock()
	states, err := w.resources.States(ctx, []resource.URI{uri})
	if err != nil {
		return err
	}
	if states[0] == 0 {
		return &resource.NotFoundError{Entity: uri.Entity}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.targets[uri]
	if t == nil {
		t = &target{state: states[0], of: map[*subscriptions]string{}}
	}
	if _, already := t.of[s]; !already {
		if s.count >= maxSubscriptions {
			return refuse(mcp.INVALID_REQUEST, "too many subscriptions: at most %d; unsubscribe from some first", maxSubscriptions)
		}
		s.count++
	}
	w.targets[uri] = t
	t.now(states[0])
	t.of[s] = text
	if w.stop == nil {
		var loop context.Context
		loop, w.stop = context.WithCancel(context.Background())
		go w.run(loop)
	}
	return nil
}

// unsubscribe ends a subscription, if there is one.
func (w *watcher) unsubscribe(_ context.Context, s *subscriptions, text string) error {
	uri, err := resource.Parse(text)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(uri, s)
	return nil
}

// leave ends all subscriptions of a session.
func (w *watcher) leave(s *subscriptions) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.targets {
		if s.count == 0 {
			return
		}
		w.drop(uri, s)
	}
}

// drop ends a subscription. The caller holds the lock.
func (w *watcher) drop(uri resource.URI, s *subscriptions) {
	t := w.targets[uri]
	if t == nil {
		return
	}
	text, ok := t.of[s]
	if !ok {
		return
	}
	delete(t.of, s)
	s.count--
	s.forget(text)
	if len(t.of) == 0 {
		delete(w.targets, uri)
	}
	if len(w.targets) == 0 {
		w.stop()
		w.stop = nil
	}
}

// now notes a state, and tells of it if it is another.
func (t *target) now(state memory.State) {
	if t.state == state {
		return
	}
	t.state = state
	for s, uri := range t.of {
		s.note(uri)
	}
}

// poke says that something was written.
func (w *watcher) poke() {
	if w == nil {
		return
	}
	select {
	case w.poked <- struct{}{}:
	default:
	}
}

// run looks for changes until ctx is done.
func (w *watcher) run(ctx context.Context) {
	ticker := time.NewTicker(lookout)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.poked:
		case <-ticker.C:
		}
		began := time.Now()
		if err := w.check(ctx); err != nil && ctx.Err() == nil {
			w.log.Debug("subscribed resources could not be looked at", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(burst, idleShare*time.Since(began))):
		}
	}
}

// check compares the states of all targets if there was a commit.
func (w *watcher) check(ctx context.Context) error {
	w.look.Lock()
	defer w.look.Unlock()
	commits, err := w.resources.Commits(ctx)
	if err != nil || commits == w.seen {
		return err
	}
	w.mu.Lock()
	uris := slices.Collect(maps.Keys(w.targets))
	w.mu.Unlock()
	for some := range slices.Chunk(uris, maxSubscriptions) {
		states, err := w.resources.States(ctx, some)
		if err != nil {
			return err
		}
		w.mu.Lock()
		for i, uri := range some {
			if t := w.targets[uri]; t != nil { // nobody subscribes meanwhile
				t.now(states[i])
			}
		}
		w.mu.Unlock()
	}
	w.seen = commits
	return nil
}
