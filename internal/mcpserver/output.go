package mcpserver

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// errUnread says that the client left unread what it asked for.
var errUnread = errors.New("writing to the client: it did not read all its answers")

// output writes whole lines, one at a time and in the order in which they
// come. A goroutine of its own waits for the client, so that who has something
// to say need not: it may hold what others wait for.
type output struct {
	out    io.Writer
	broken func() // called once, when out cannot be written any more

	mu      sync.Mutex
	queue   []outputLine
	writing bool          // the goroutine runs
	last    chan struct{} // closed when the newest line is written
	closed  chan struct{} // closed when nothing is written any more
	err     error
}

type outputLine struct {
	text    []byte
	written func()
	done    chan struct{}
}

func newOutput(out io.Writer, broken func()) *output {
	none := make(chan struct{})
	close(none)
	return &output{out: out, broken: broken, last: none, closed: make(chan struct{})}
}

// line takes one JSON text to be written as a line, after which written is
// called unless it is nil. After close or an error the text is dropped.
func (o *output) line(text []byte, written func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if isClosed(o.closed) {
		return
	}
	o.last = make(chan struct{})
	o.queue = append(o.queue, outputLine{append(text, '\n'), written, o.last})
	if !o.writing {
		o.writing = true
		go o.write()
	}
}

// write writes lines while there are any.
func (o *output) write() {
	for {
		l, ok := o.next()
		if !ok {
			return
		}
		if _, err := o.out.Write(l.text); err != nil {
			o.fail(err)
			return
		}
		if l.written != nil {
			l.written()
		}
		close(l.done)
	}
}

func (o *output) next() (l outputLine, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		o.writing = false
		return outputLine{}, false
	}
	l, o.queue[0] = o.queue[0], outputLine{}
	o.queue = o.queue[1:]
	return l, true
}

func (o *output) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if isClosed(o.closed) {
		return
	}
	o.err = fmt.Errorf("writing to the client: %w", err)
	o.stop()
	o.broken()
}

// stop drops what is not written. The caller holds the lock.
func (o *output) stop() {
	o.queue = nil
	close(o.closed)
}

// wait waits until all lines up to now are written, or none is any more.
func (o *output) wait() {
	o.mu.Lock()
	last := o.last
	o.mu.Unlock()
	select {
	case <-last:
	case <-o.closed:
	}
}

// close makes sure that no line is begun from now on, and returns the error
// that ended the writing before, or errUnread. It does not wait: a write that
// is under way is left behind.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if isClosed(o.closed) {
		return o.err
	}
	if !isClosed(o.last) {
		o.err = errUnread
	}
	o.stop()
	return o.err
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
