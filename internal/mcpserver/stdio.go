package mcpserver

import (
	"context"
	"errors"
	"io"
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
	lines := s.read(ctx, in)
	for open := true; open; {
		select {
		case <-ctx.Done():
			open = false
		case l, more := <-lines:
			if open = more; more {
				c.receive(ctx, l)
			}
		}
	}
	c.drain(s.drain)
	return c.out.close()
}

// line is what was read, or why it could not be.
type line struct {
	text []byte
	err  error
}

// read reads lines in the background until in ends or ctx is done.
func (s *Server) read(ctx context.Context, in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		reader := newLineReader(in, s.maxLine)
		for {
			text, err := reader.next()
			if err != nil && !errors.Is(err, errLineTooLong) {
				if !errors.Is(err, io.EOF) && ctx.Err() == nil {
					s.log.Warn("reading from the client ended", "error", err)
				}
				return
			}
			select {
			case lines <- line{text, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
