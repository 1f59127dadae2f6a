package model

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

var errDiskFull error = windows.ERROR_DISK_FULL

func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// removeLocked closes first: a file that is open, here or elsewhere, cannot be
// removed.
func removeLocked(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

func syncDir(string) {} // NTFS journals renames
