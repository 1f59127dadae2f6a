//go:build unix

package sqlite

import (
	"io"
	"os"
	"syscall"
)

// Where SQLite locks a file: the bytes that all who have it open share.
const (
	sharedStart  = 1<<30 + 2
	sharedLength = 510
)

// lockedByOthers reports whether another process has the database open. SQLite
// itself does not say so of what is no database any more. This process must not
// have it open: it would lose its locks.
func lockedByOthers(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: sharedStart, Len: sharedLength}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return err == nil && lock.Type != syscall.F_UNLCK
}
