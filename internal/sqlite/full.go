package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"mcp-memory/internal/memory"
)

// FullError is a file that there was no room to write. Its text is one line,
// written for the user; Err is for the log.
type FullError struct {
	Path string
	Err  error
}

func (e *FullError) Error() string { return fmt.Sprintf("cannot write %s: %v", e.Path, memory.ErrFull) }

func (e *FullError) Unwrap() []error { return []error{memory.ErrFull, e.Err} }

// WriteError makes an error of writing a file a *FullError if there was no room,
// and returns any other as it is.
func WriteError(path string, err error) error {
	errno, _ := errors.AsType[syscall.Errno](err)
	if errors.Is(causes[errno], memory.ErrFull) || errors.Is(translate(err), memory.ErrFull) {
		return &FullError{path, err}
	}
	return err
}
