package mcpserver

import (
	"fmt"
	"io"
	"sync"
)

// output writes whole lines, one at a time.
type output struct {
	out    io.Writer
	broken func() // called once, when out cannot be written any more

	mu     sync.Mutex
	closed bool
	err    error
}

// line writes one JSON text as a line. It drops it after close or an error.
func (o *output) line(text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if _, err := o.out.Write(append(text, '\n')); err != nil {
		o.closed, o.err = true, fmt.Errorf("writing to the client: %w", err)
		o.broken()
	}
}

// close makes sure that nothing is written from now on, and returns the error
// that ended the writing before, if one did.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.err
}
