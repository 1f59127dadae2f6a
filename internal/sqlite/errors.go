package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
)

// ErrClosed is returned by a database after Close.
var ErrClosed = errors.New("the memory database is closed")

// ErrUnfinished is a database that cannot be looked at without being changed: what a
// program wrote that was interrupted is to be undone first, as any start does.
var ErrUnfinished = errors.New("another program was interrupted while it wrote: a server that starts undoes what is unfinished, and so does `mcp-memory list`")

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
// changed. Its text is one line, written for the user; Err is for the log.
type OpenError struct {
	Path   string
	Reason string
	Err    error // may be nil
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("cannot open the memory database %s: %s", e.Path, e.Reason)
}

func (e *OpenError) Unwrap() error { return e.Err }

// meanings tells what SQLite's results mean to the domain, unless the operating
// system said more.
var meanings = map[sqlite3.ErrNo]error{
	sqlite3.ErrBusy:     memory.ErrBusy,
	sqlite3.ErrLocked:   memory.ErrBusy,
	sqlite3.ErrFull:     memory.ErrFull,
	sqlite3.ErrReadonly: memory.ErrReadOnly,
	sqlite3.ErrPerm:     memory.ErrReadOnly,
	sqlite3.ErrCorrupt:  memory.ErrCorrupt,
	sqlite3.ErrNotADB:   memory.ErrCorrupt,
	sqlite3.ErrIoErr:    memory.ErrDisk,
}

// causes tells what the operating system's errors mean to the domain. SQLite
// calls a disk full only if that itself has no room, not a quota or a limit.
var causes = map[syscall.Errno]error{
	syscall.ENOSPC: memory.ErrFull,
	syscall.EDQUOT: memory.ErrFull,
	syscall.EFBIG:  memory.ErrFull,
	syscall.EROFS:  memory.ErrReadOnly,
	syscall.EACCES: memory.ErrReadOnly,
	syscall.EPERM:  memory.ErrReadOnly,
}

// meaningOf returns what an error of SQLite's means to the domain; nil for nothing.
func meaningOf(err sqlite3.Error) error {
	if cause, ok := causes[err.SystemErrno]; ok {
		return cause
	}
	return meanings[err.Code]
}

// unsound are results that our own statements never have on tables and indexes
// that are as they should be.
var unsound = []sqlite3.ErrNo{
	sqlite3.ErrError, sqlite3.ErrInternal, sqlite3.ErrConstraint, sqlite3.ErrMismatch, sqlite3.ErrFormat, sqlite3.ErrRange,
}

// corruptIndex is the result of a virtual table of which the tables that it keeps its
// rows in are damaged (SQLITE_CORRUPT_VTAB).
var corruptIndex = sqlite3.ErrCorrupt.Extend(1)

// meant is an error with what it means to the domain.
type meant struct{ meaning, err error }

func (m *meant) Error() string { return m.meaning.Error() + m.cause() }

// cause is the end of its text, which is for the log.
func (m *meant) cause() string { return " (" + m.err.Error() + ")" }

func (m *meant) Unwrap() []error { return []error{m.meaning, m.err} }

// Plainly is the text of an error without what of it belongs into the log: it does
// not say how SQLite put it.
func Plainly(err error) string {
	text := err.Error()
	for m, ok := errors.AsType[*meant](err); ok; m, ok = errors.AsType[*meant](m.err) {
		text = strings.Replace(text, m.cause(), "", 1)
	}
	return text
}

// translate adds to an error what it means to the domain; the original stays
// in the chain.
func translate(err error) error {
	if isMisfit(err) && !errors.Is(err, memory.ErrUnsound) {
		return &meant{memory.ErrOddValue, err}
	}
	sqliteErr, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	if sqliteErr.ExtendedCode == corruptIndex && !errors.Is(err, memory.ErrIndexDamaged) {
		return &meant{memory.ErrIndexDamaged, err}
	}
	if meaning := meaningOf(sqliteErr); meaning != nil && !errors.Is(err, meaning) {
		return &meant{meaning, err}
	}
	if slices.Contains(unsound, sqliteErr.Code) && !errors.Is(err, memory.ErrUnsound) {
		return &meant{memory.ErrUnsound, err}
	}
	return err
}

// isMisfit reports whether a row held what its column cannot: NULL, or text for a
// number. database/sql has no type for that.
func isMisfit(err error) bool {
	switch wraps := err.(type) { //nolint:errorlint // each is looked at
	case nil:
		return false
	case interface{ Unwrap() error }:
		if isMisfit(wraps.Unwrap()) {
			return true
		}
	case interface{ Unwrap() []error }:
		if slices.ContainsFunc(wraps.Unwrap(), isMisfit) {
			return true
		}
	}
	return strings.HasPrefix(err.Error(), "sql: Scan error on column index ")
}

// hasCode reports whether SQLite gave this result.
func hasCode(err error, code sqlite3.ErrNo) bool {
	sqliteErr, ok := errors.AsType[sqlite3.Error](err)
	return ok && sqliteErr.Code == code
}

// openError says in the user's terms why a database cannot be opened. What
// else there is to know stays in the chain, for the log.
func openError(path string, err error) error {
	_, newer := errors.AsType[*NewerError](err)
	_, refused := errors.AsType[*OpenError](err)
	_, inUse := errors.AsType[*InUseError](err)
	_, full := errors.AsType[*FullError](err)
	if err == nil || newer || refused || inUse || full {
		return err
	}
	if hasCode(err, sqlite3.ErrReadonly) && isUnfinished(path) {
		return &OpenError{Path: path, Reason: ErrUnfinished.Error(), Err: fmt.Errorf("%w (%w)", ErrUnfinished, err)}
	}
	err = translate(err)
	cause := explain(err)
	failed, migrating := errors.AsType[*migrationError](err)
	switch {
	case migrating && cause == "":
		cause = failed.what()
	case migrating:
		cause = failed.what() + " (" + cause + ")"
	case cause == "":
		cause = "it is not what this program expects; --log-level debug tells more"
	}
	return &OpenError{Path: path, Reason: cause, Err: err}
}

// isUnfinished reports whether a journal lies beside a database that may be written: who
// only reads is refused for no other reason then.
func isUnfinished(path string) bool {
	info, err := os.Stat(path + "-journal")
	return err == nil && info.Size() > 0 && checkWritable(path) == nil
}

// isDamage reports whether an error says that a database is damaged, other than
// that it is none.
func isDamage(err error) bool {
	return errors.Is(translate(err), memory.ErrCorrupt) && !hasCode(err, sqlite3.ErrNotADB)
}

// explain puts an error in the user's terms; "" when there are none for it.
func explain(err error) string {
	if hasCode(err, sqlite3.ErrNotADB) {
		return "the file is not a database"
	}
	for _, code := range []sqlite3.ErrNo{sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrPerm} {
		if hasCode(err, code) {
			return "the file or its folder cannot be written"
		}
	}
	if errors.Is(err, memory.ErrIndexDamaged) {
		return memory.ErrIndexDamaged.Error()
	}
	for _, meaning := range meanings {
		if errors.Is(err, meaning) {
			return meaning.Error()
		}
	}
	_, migrating := errors.AsType[*migrationError](err)
	pathErr, ofFile := errors.AsType[*fs.PathError](err)
	sqliteErr, ofSQLite := errors.AsType[sqlite3.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "it was interrupted"
	case ofFile:
		return pathErr.Path + ": " + pathErr.Err.Error()
	case ofSQLite && sqliteErr.Code != sqlite3.ErrError:
		return sqliteErr.Code.Error()
	case ofSQLite && !migrating: // SQL that does not fit the tables
		return "it is the database of another program, or its tables were changed"
	case errors.Is(err, memory.ErrOddValue):
		return memory.ErrOddValue.Error()
	case errors.Is(err, memory.ErrUnsound):
		return memory.ErrUnsound.Error()
	}
	return ""
}

// migrationError is a change of the schema that failed and was undone.
type migrationError struct {
	from schemaState
	err  error
}

func (e *migrationError) Error() string {
	return fmt.Sprintf("migrate from schema version %v: %v", e.from, e.err)
}

func (e *migrationError) Unwrap() error { return e.err }

// what says what failed, without the cause.
func (e *migrationError) what() string {
	what := "taking it over from the Python server"
	switch {
	case e.from.versioned:
		what = fmt.Sprintf("changing its schema from version %d", e.from.version)
	case e.from.empty:
		what = "making its tables"
	}
	return what + " failed; nothing was changed"
}
