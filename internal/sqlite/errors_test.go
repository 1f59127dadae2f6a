package sqlite_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

func TestMeaningsOfErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		err  sqlite3.Error
		want error
	}{
		"disk full":                   {sqlite3.Error{Code: sqlite3.ErrFull}, memory.ErrFull},
		"quota used up":               {sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EDQUOT}, memory.ErrFull},
		"file larger than allowed":    {sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EFBIG}, memory.ErrFull},
		"no room for the shared file": {sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC}, memory.ErrFull},
		"no room for another file":    {sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.ENOSPC}, memory.ErrFull},
		"disk mounted read-only":      {sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EROFS}, memory.ErrReadOnly},
		"permission lost":             {sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EACCES}, memory.ErrReadOnly},
		"broken disk":                 {sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EIO}, memory.ErrDisk},
		"read-only file":              {sqlite3.Error{Code: sqlite3.ErrReadonly}, memory.ErrReadOnly},
		"busy":                        {sqlite3.Error{Code: sqlite3.ErrBusy}, memory.ErrBusy},
		"not a database":              {sqlite3.Error{Code: sqlite3.ErrNotADB}, memory.ErrCorrupt},
		"a mistake in a statement":    {sqlite3.Error{Code: sqlite3.ErrError}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := sqlite.Translate(fmt.Errorf("write: %w", tc.err))
			if kept, ok := errors.AsType[sqlite3.Error](got); !ok || kept.Code != tc.err.Code {
				t.Errorf("%v has lost SQLite's error", got)
			}
			for _, meaning := range []error{memory.ErrFull, memory.ErrReadOnly, memory.ErrDisk, memory.ErrBusy, memory.ErrCorrupt} {
				if is := errors.Is(got, meaning); is != errors.Is(tc.want, meaning) {
					t.Errorf("%v is %q: %v", got, meaning, is)
				}
			}
		})
	}
}

// Copying pages tells a full disk by its code alone; writing text, by the system's error.
func TestWriteError(t *testing.T) {
	const (
		full  = "the disk is full: nothing was changed; free some space and try again"
		quota = "the disk quota is used up: nothing was changed; free some space and try again"
		limit = "it would be larger than files may be here, by a limit of the system or of ulimit -f: nothing was changed"
	)
	for _, tc := range []struct {
		err  error
		says string
	}{
		{sqlite3.Error{Code: sqlite3.ErrFull}, full},
		{&fs.PathError{Op: "write", Path: "x.part", Err: syscall.ENOSPC}, full},
		{fmt.Errorf("commit: %w", sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EDQUOT}), quota},
		{&fs.PathError{Op: "write", Path: "x.part", Err: syscall.EFBIG}, limit},
	} {
		got := sqlite.WriteError("copy.db", tc.err)
		equal(t, "text", got.Error(), "cannot write copy.db: "+tc.says)
		equal(t, "full", errors.Is(got, memory.ErrFull), true)
	}
	got := sqlite.WriteError("copy.db", sqlite3.Error{Code: sqlite3.ErrBusy})
	if _, ok := errors.AsType[*sqlite.FullError](got); ok {
		t.Errorf("another error became %v", got)
	}
}
