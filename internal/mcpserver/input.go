package mcpserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
)

// errStopped ends the reading when the server ends.
var errStopped = errors.New("reading has stopped")

// line is what was read, or why it could not be.
type line struct {
	text []byte
	err  error
}

// input reads lines in the background until in ends or ctx is done. What was
// read before has still to be taken then.
type input struct {
	ctx   context.Context
	in    io.Reader
	log   *slog.Logger
	ended func() // called when in or ctx has ended

	lines chan line     // closed when there are no more
	left  chan struct{} // closed when nobody takes lines any more

	mu   sync.Mutex
	idle chan struct{} // closed while all lines that were read are taken, and more are waited for
}

// newInput begins to read. The caller takes lines with next, and then leaves.
func newInput(ctx context.Context, in io.Reader, maxLine int, log *slog.Logger, ended func()) *input {
	i := &input{
		ctx: ctx, in: in, log: log, ended: ended,
		lines: make(chan line), left: make(chan struct{}), idle: make(chan struct{}),
	}
	context.AfterFunc(ctx, ended)
	go i.run(newLineReader(i, maxLine))
	return i
}

func (i *input) run(reader *lineReader) {
	defer close(i.lines)
	for {
		text, err := reader.next()
		if err != nil && !errors.Is(err, errLineTooLong) {
			i.ended()
			if !errors.Is(err, io.EOF) && i.ctx.Err() == nil {
				i.log.Warn("reading from the client ended", "error", err)
			}
			return
		}
		select {
		case i.lines <- line{text, err}:
		case <-i.left:
			return
		}
	}
}

// Read reads more for the lineReader, which asks for it when it has given out
// all whole lines. A read may last as long as the client likes.
func (i *input) Read(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, errStopped
	}
	i.mu.Lock()
	close(i.idle)
	i.mu.Unlock()
	n, err := i.in.Read(p)
	i.mu.Lock()
	i.idle = make(chan struct{})
	i.mu.Unlock()
	return n, err
}

// next returns the next line, or false when there are no more: in has ended, or
// ctx has and what was read is taken.
func (i *input) next() (l line, more bool) {
	select {
	case l, more = <-i.lines:
		return l, more
	case <-i.ctx.Done():
	}
	i.mu.Lock()
	idle := i.idle
	i.mu.Unlock()
	select {
	case l, more = <-i.lines:
		return l, more
	case <-idle:
		return line{}, false
	}
}

// leave lets the reading end, but for a read that is under way.
func (i *input) leave() { close(i.left) }
