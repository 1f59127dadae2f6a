package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
)

// FullError is a file that there was no room to write. Its text is one line,
// written for the user; Err is for the log.
type FullError struct {
	Path string
	Err  error
}

func (e *FullError) Error() string { return fmt.Sprintf("cannot write %s: %s", e.Path, e.reason()) }

// reason says which room there was none of.
func (e *FullError) reason() string {
	errno, _ := errors.AsType[syscall.Errno](e.Err)
	if sqliteErr, ok := errors.AsType[sqlite3.Error](e.Err); ok && errno == 0 {
		errno = sqliteErr.SystemErrno
	}
	switch errno {
	case syscall.EFBIG:
		return "it would be larger than files may be here, by a limit of the system or of ulimit -f: nothing was changed"
	case syscall.EDQUOT:
		return "the disk quota is used up: nothing was changed; free some space and try again"
	}
	return memory.ErrFull.Error()
}

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
