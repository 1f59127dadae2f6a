//go:build unix

package model

import (
	"errors"
	"os"
	"syscall"
)

// errDiskFull is ENOSPC here.
var errDiskFull error = syscall.ENOSPC

func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// removeLocked removes a file while it is locked, so that nobody who opens it
// later takes a lock on a name that is about to go.
func removeLocked(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}

// syncDir makes a rename in the folder last through a power cut.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
