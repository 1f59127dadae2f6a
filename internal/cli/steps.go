package cli

import (
	"encoding/json"
	"fmt"
	"io"
)

// From how much on work is worth lines of progress: pages of a copy, and records or
// kilobytes of an export or import.
const (
	largeCopy   = 25_000
	largeMemory = 5_000
)

// steps shows how far work of several steps is: each tenth of one, if there is
// much to do. On a terminal it stays on one line a step.
type steps struct {
	w        io.Writer
	large    int
	terminal bool
	step     string
	tenth    int
}

func newSteps(w io.Writer, large int) *steps {
	return &steps{w: w, large: large, terminal: isTerminal(w)}
}

func (s *steps) update(done, total int, step string) {
	if total < s.large {
		return
	}
	if step != s.step {
		s.step, s.tenth = step, 0
	}
	tenth := 10 * done / total
	if tenth <= s.tenth {
		return
	}
	s.tenth = tenth
	switch {
	case !s.terminal:
		fmt.Fprintf(s.w, "%s: %d %%\n", step, 10*tenth)
	case tenth < 10:
		fmt.Fprintf(s.w, "\r%s: %d %%", step, 10*tenth)
	default:
		fmt.Fprintf(s.w, "\r%s: 100 %%\n", step)
	}
}

// end leaves the line of a step that has not come to its end.
func (s *steps) end() {
	if s.terminal && 0 < s.tenth && s.tenth < 10 {
		fmt.Fprintln(s.w)
	}
}

// pages is update for copies of databases.
func (s *steps) pages(step string, done, total int) { s.update(done, total, step) }

// writeJSON prints an answer for programs.
func writeJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
