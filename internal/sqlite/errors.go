package sqlite

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
)

// ErrClosed is returned by a database after Close.
var ErrClosed = errors.New("the memory database is closed")

// NewerError is a database of a schema that this program does not know yet.
type NewerError struct {
	Path       string
	Have, Know int64 // schema versions: of the database, of this program
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("the memory database %s has schema version %d, but this mcp-memory knows versions up to %d only: update mcp-memory",
		e.Path, e.Have, e.Know)
}

// OpenError is a file that cannot be used as a memory database. Nothing was
// changed. Its text is one line, written for the user.
type OpenError struct {
	Path   string
	Reason string
	Err    error // may be nil
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("cannot open the memory database %s: %s", e.Path, e.Reason)
}

func (e *OpenError) Unwrap() error { return e.Err }

// meanings tells what SQLite's results mean to the domain.
var meanings = map[sqlite3.ErrNo]error{
	sqlite3.ErrBusy:     memory.ErrBusy,
	sqlite3.ErrLocked:   memory.ErrBusy,
	sqlite3.ErrFull:     memory.ErrFull,
	sqlite3.ErrReadonly: memory.ErrReadOnly,
	sqlite3.ErrPerm:     memory.ErrReadOnly,
	sqlite3.ErrCorrupt:  memory.ErrCorrupt,
	sqlite3.ErrNotADB:   memory.ErrCorrupt,
}

// translate adds to an error what it means to the domain; the original stays
// in the chain.
func translate(err error) error {
	sqliteErr, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	if meaning, ok := meanings[sqliteErr.Code]; ok && !errors.Is(err, meaning) {
		return fmt.Errorf("%w (%w)", meaning, err)
	}
	return err
}

// hasCode reports whether SQLite gave this result.
func hasCode(err error, code sqlite3.ErrNo) bool {
	sqliteErr, ok := errors.AsType[sqlite3.Error](err)
	return ok && sqliteErr.Code == code
}

// openError says in the user's terms why a database cannot be opened.
func openError(path string, err error) error {
	_, newer := errors.AsType[*NewerError](err)
	_, refused := errors.AsType[*OpenError](err)
	switch {
	case err == nil, newer, refused:
		return err
	case hasCode(err, sqlite3.ErrNotADB):
		return &OpenError{Path: path, Reason: "the file is not a database", Err: translate(err)}
	case hasCode(err, sqlite3.ErrCantOpen), hasCode(err, sqlite3.ErrReadonly), hasCode(err, sqlite3.ErrPerm):
		return &OpenError{Path: path, Reason: "the file or its folder cannot be written", Err: translate(err)}
	default:
		err = translate(err)
		return &OpenError{Path: path, Reason: err.Error(), Err: err}
	}
}
