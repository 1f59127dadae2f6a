package mcpserver

import (
	"context"
	"sync"
)

// maxReads is how many reads of one tool run at the same time.
const maxReads = 16

// schedule keeps the effects of a connection's calls in the order in which they
// came: a call starts after all earlier writes have had their turn. Reads run
// side by side, and a write does not wait for them.
type schedule struct {
	lastTurn <-chan struct{}          // closed when the last write's turn is over
	reads    map[string]chan struct{} // by tool, a token for each that runs
}

func newSchedule() *schedule {
	none := make(chan struct{})
	close(none)
	return &schedule{lastTurn: none, reads: map[string]chan struct{}{}}
}

// read runs a call of that tool in its turn, or with a done context at once
// when ctx ends before. Neither it nor write may be called by two goroutines
// at the same time.
func (s *schedule) read(ctx context.Context, tool string, call func()) {
	before, tokens := s.lastTurn, s.reads[tool]
	if tokens == nil {
		tokens = make(chan struct{}, maxReads)
		s.reads[tool] = tokens
	}
	go func() {
		select {
		case <-before:
		case <-ctx.Done():
		}
		select {
		case tokens <- struct{}{}:
			defer func() { <-tokens }()
		case <-ctx.Done():
		}
		call()
	}()
}

// write runs a call in its turn, or with a done context at once when ctx ends
// before. The turn is over when the call says so, or else when it ends.
func (s *schedule) write(ctx context.Context, call func(over func())) {
	before, turn := s.lastTurn, make(chan struct{})
	s.lastTurn = turn
	over := sync.OnceFunc(func() { close(turn) })
	go func() {
		defer over()
		select {
		case <-before:
			call(over)
		case <-ctx.Done():
			call(func() {})
			<-before // given up before its turn, it still is no gap in the order
		}
	}()
}
