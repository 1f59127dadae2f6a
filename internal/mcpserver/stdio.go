package mcpserver

import (
	"context"
	"io"
	"sync"
	"time"
)

// ServeStdio reads messages from in, one a line, and writes to out, until in
// ends or ctx is done. Then it answers what it has read, within the time of
// WithDrain, and returns nil. Calls that take longer are cancelled before, and
// answered by an error that says what has become of them; nothing of them is
// stored after it said that nothing was. It returns an error if out cannot be written or
// the client does not read it within that time. A read of in and a write of
// out that are under way at the end are left behind.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := newConnection(ctx, s, newOutput(out, stop))
	ended := sync.OnceValue(time.Now)
	lines := newInput(ctx, in, s.maxLine, s.log, func() { ended() })
	defer lines.leave()
	updates, endUpdates := context.WithCancel(context.WithoutCancel(ctx))
	defer endUpdates()
	go c.tellUpdates(updates)
	defer c.session.subscriptions.end()
	for l, more := lines.next(); more; l, more = lines.next() {
		c.receive(ctx, l)
	}
	c.drain(s.drain, ended())
	return c.out.close()
}
