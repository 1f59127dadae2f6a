//go:build unix

package sqlite

import (
	"io"
	"os"
	"syscall"
)

// Where SQLite locks files: the bytes that all who have a database open share,
// and in the -shm file the byte of those who have the log open.
const (
	sharedStart  = 1<<30 + 2
	sharedLength = 510
	logStart     = 128
)

// inUse reports whether another process has the database open. SQLite itself
// does not say so of what is no database any more. This process must not have it
// open: it would lose its locks.
func inUse(path string) bool { return isLocked(path, sharedStart, sharedLength) }

// logInUse reports whether another process has the log of the database open,
// which it keeps when the database is moved away. This process must not have it open.
func logInUse(path string) bool { return isLocked(path+"-shm", logStart, 1) }

// isLocked reports whether another process holds a lock on bytes of a file.
func isLocked(path string, start, length int64) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: start, Len: length}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return err == nil && lock.Type != syscall.F_UNLCK
}
