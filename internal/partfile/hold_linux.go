package partfile

import (
	"os"
	"syscall"
)

// hold locks a file until it is closed, in a way that SQLite's own locks have
// nothing to do with. It reports false if another program has, or if the file
// system knows no locks.
func hold(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
