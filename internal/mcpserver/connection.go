package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"
)

// overhead is what a waiting message is taken to need in memory besides its
// bytes. It bounds the number of short ones: a few hundred.
const overhead = 256 << 10

// connection is the exchange with one client on its input and output. Its
// methods are called by one goroutine, except reply functions.
type connection struct {
	*peer
	session *session
	out     *output

	capacity int64
	waiting  *semaphore.Weighted // bytes of lines whose answer is not written
}

func newConnection(ctx context.Context, s *Server, out *output) *connection {
	session := newSession("stdio", s.watch) // one client a connection
	capacity := int64(2*s.maxLine) + 256*overhead
	return &connection{
		peer:     newPeer(s, s.mcp.WithContext(context.WithoutCancel(ctx), session)),
		session:  session,
		out:      out,
		capacity: capacity,
		waiting:  semaphore.NewWeighted(capacity),
	}
}

// receive takes a line: a message, or a list of messages. While too much waits
// for an answer it holds up the reading.
func (c *connection) receive(ctx context.Context, l line) {
	raw := trimmed(l.text)
	switch {
	case l.err != nil:
		tooLong := "the line is too long: at most " + megabytes(c.server.maxLine) + " are read"
		c.answer(errorReply(nil, mcp.INVALID_REQUEST, tooLong), c.reserve(ctx, 0, 1))
	case len(raw) == 0:
	case raw[0] == '[':
		c.batch(ctx, raw)
	default:
		release := c.reserve(ctx, len(raw), 1)
		c.handle(raw, c.exchange(func(reply json.RawMessage) { c.answer(reply, release) }))
	}
}

func (c *connection) exchange(reply func(json.RawMessage)) exchange {
	return exchange{ask: c.ask, out: c.out, listens: true, reply: reply}
}

// tellUpdates tells the client of changes that it has subscribed to until ctx is
// done. What changes while it does not read is told once.
func (c *connection) tellUpdates(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.session.subscriptions.changed:
		}
		for _, n := range c.session.subscriptions.take() {
			c.out.line(encode(n), nil)
		}
		c.out.wait()
	}
}

// answer writes a reply, if it is one, and then gives back the room of what it
// answers.
func (c *connection) answer(reply json.RawMessage, release func()) {
	if reply == nil {
		release()
		return
	}
	c.out.line(reply, release)
}

// reserve waits for room for a line of so many bytes and messages. What was
// read when ctx ends is still taken.
func (c *connection) reserve(ctx context.Context, length, messages int) (release func()) {
	size := min(int64(length)+int64(messages)*overhead, c.capacity)
	if c.waiting.Acquire(ctx, size) != nil {
		return func() {}
	}
	return func() { c.waiting.Release(size) }
}

// drain waits until everything is answered and the answers are written, for
// this time at most after the end.
func (c *connection) drain(limit time.Duration, end time.Time) {
	c.endListening()
	answered := make(chan struct{})
	go func() {
		c.unanswered.Wait()
		c.out.wait()
		close(answered)
	}()
	c.server.drainPeers(limit, end, answered, c.peer)
}

// drainPeers waits until what these peers asked for is answered, for this time at
// most after the end. What is not done when nine tenths of it are over is given
// up, and answered so.
func (s *Server) drainPeers(limit time.Duration, end time.Time, answered <-chan struct{}, peers ...*peer) {
	defer func() {
		for _, p := range peers {
			p.stopCalls()
		}
	}()
	lastWords := limit / 20
	if within(limit-2*lastWords-time.Since(end), answered) {
		return
	}
	s.log.Warn("the end gives up calls that still run, or waits for a client that does not read", "limit", limit)
	for _, p := range peers {
		p.giveUp()
	}
	if within(lastWords, answered) {
		return
	}
	for _, p := range peers {
		p.abandon()
	}
	within(lastWords, answered)
}

// within reports whether done is closed before the time is up.
func within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
