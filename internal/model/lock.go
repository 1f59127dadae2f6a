package model

import (
	"context"
	"os"
	"time"
)

// lockPoll is how often a waiting process looks for the lock.
const lockPoll = 100 * time.Millisecond

// lock takes an exclusive lock on a file, which the system drops when the
// process ends. It calls waiting once if another holds the lock.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		locked, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		if locked {
			return func() { f.Close() }, nil
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}
