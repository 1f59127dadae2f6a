package mcpserver

import "sync"

// effects are those of one write. It settles, for who gives the write up and who
// commits it, which of them came first.
type effects struct {
	mu    sync.Mutex
	state effectsState
}

type effectsState int

const (
	undecided effectsState = iota
	givenUp
	committing // a commit has begun
	done
)

// mayCommit reports whether a commit may begin: not after giveUp.
func (e *effects) mayCommit() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == undecided {
		e.state = committing
	}
	return e.state != givenUp
}

// committed says that a commit has come to its good end.
func (e *effects) committed() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == committing {
		e.state = done
	}
}

// giveUp has no commit begin from now on, and reports false if one has before.
func (e *effects) giveUp() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == undecided {
		e.state = givenUp
	}
	return e.state == givenUp
}

func (e *effects) areCommitted() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state == done
}
