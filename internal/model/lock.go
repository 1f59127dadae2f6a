package model

import (
	"context"
	"os"
	"time"
)

// lockPoll is how often a waiting process looks for the lock.
const lockPoll = 100 * time.Millisecond

// lock takes an exclusive lock by a file, which the system drops when the
// process ends, and which goes when the lock is released. It calls waiting
// once if another holds the lock.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	for first := true; ; first = false {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		locked, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		if locked && isAt(f, path) {
			return func() { removeLocked(f) }, nil
		}
		f.Close()
		if locked {
			continue // its holder has removed this file in the meantime
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// isAt reports whether an open file is the one that has the name now.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}
