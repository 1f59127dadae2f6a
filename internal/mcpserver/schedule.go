package mcpserver

import (
	"context"
	"sync"
)

// maxReads is how many reads run at the same time.
const maxReads = 16

// schedule keeps the effects of a connection's calls in the order in which they
// came: a call starts after all earlier writes have ended. Reads run side by
// side, and a write does not wait for them.
type schedule struct {
	running   sync.WaitGroup
	lastWrite <-chan struct{} // closed when the last write has ended
	reads     chan struct{}   // a token for each that runs
}

func newSchedule() *schedule {
	none := make(chan struct{})
	close(none)
	return &schedule{lastWrite: none, reads: make(chan struct{}, maxReads)}
}

// start runs call in its turn, or at once with a done context if ctx ends
// before. It must not be called by two goroutines at the same time.
func (s *schedule) start(ctx context.Context, write bool, call func()) {
	before := s.lastWrite
	ended := make(chan struct{})
	if write {
		s.lastWrite = ended
	}
	s.running.Go(func() {
		select {
		case <-before:
		case <-ctx.Done():
		}
		if write {
			call()
			<-before // given up before its turn, it still is no gap in the order
			close(ended)
			return
		}
		select {
		case s.reads <- struct{}{}:
			defer func() { <-s.reads }()
		case <-ctx.Done():
		}
		call()
	})
}
