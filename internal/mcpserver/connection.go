package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"
)

// overhead is what a waiting line is taken to need in memory besides its
// bytes. It bounds the number of short ones: a few hundred.
const overhead = 256 << 10

// connection is the exchange with one client. Its methods are called by one
// goroutine, except reply functions.
type connection struct {
	server   *Server
	session  *session
	out      *output
	schedule *schedule

	// calls is the context of all calls. It outlives the reading of input.
	calls     context.Context
	stopCalls context.CancelFunc

	capacity int64
	waiting  *semaphore.Weighted // bytes of lines that are not answered

	mu       sync.Mutex
	inFlight map[string][]*request // by key of the id
}

func newConnection(ctx context.Context, s *Server, out *output) *connection {
	session := newSession()
	calls, stop := context.WithCancel(s.mcp.WithContext(context.WithoutCancel(ctx), session))
	capacity := int64(2*s.maxLine) + 256*overhead
	return &connection{
		server:    s,
		session:   session,
		out:       out,
		schedule:  newSchedule(),
		calls:     calls,
		stopCalls: stop,
		capacity:  capacity,
		waiting:   semaphore.NewWeighted(capacity),
		inFlight:  map[string][]*request{},
	}
}

// receive takes a line: a message, or a list of messages. While too much waits
// for an answer it holds up the reading.
func (c *connection) receive(ctx context.Context, l line) {
	if l.err != nil {
		c.out.line(errorReply(nil, mcp.INVALID_REQUEST, "the line is too long: at most "+megabytes(c.server.maxLine)+" are read"))
		return
	}
	raw := json.RawMessage(bytes.TrimSpace(l.text))
	if len(raw) == 0 {
		return
	}
	release := c.reserve(ctx, int64(len(raw))+overhead)
	if raw[0] == '[' {
		c.batch(raw, release)
		return
	}
	c.handle(raw, func(reply json.RawMessage) {
		if reply != nil {
			c.out.line(reply)
		}
		release()
	})
}

// reserve waits for room for a line. What was read when ctx ends is still taken.
func (c *connection) reserve(ctx context.Context, size int64) (release func()) {
	size = min(size, c.capacity)
	if c.waiting.Acquire(ctx, size) != nil {
		return func() {}
	}
	return func() { c.waiting.Release(size) }
}

// drain waits until everything is answered, for this time at most; then it
// ends the calls that still run.
func (c *connection) drain(limit time.Duration) {
	defer c.stopCalls()
	answered := make(chan struct{})
	go func() {
		c.schedule.running.Wait()
		close(answered)
	}()
	if within(limit, answered) {
		return
	}
	c.server.log.Warn("ending calls that have not ended by themselves", "after", limit)
	c.stopCalls()
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
