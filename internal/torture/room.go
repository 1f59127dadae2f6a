package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// largestFile is the size of the largest file in a folder.
func largestFile(folder string) (size int64, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		info, infoErr := e.Info()
		if infoErr != nil {
			return 0, infoErr
		}
		size = max(size, info.Size())
	}
	return size, err
}

// fillDisk writes ballast until little is free.
func fillDisk(disk, ballast string) error {
	free, err := freeBytes(disk)
	if err != nil || free <= spareRoom {
		return err
	}
	return os.WriteFile(ballast, make([]byte, free-spareRoom), 0o600)
}

// startOnFullDisk starts a server where there is no room at all. It may serve, or
// else end with one line that says why.
func (r *run) startOnFullDisk(ctx context.Context, disk, ballast string, w *worker) error {
	free, err := freeBytes(disk)
	if err != nil {
		return err
	}
	if err := os.WriteFile(ballast, make([]byte, free), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	outcome := "it serves"
	w.server, err = r.serve(ctx, w.setup)
	switch {
	case err == nil:
		_, read := w.openOne(ctx)
		_, search := w.searchOne(ctx)
		if err := errors.Join(read, search); err != nil {
			return fmt.Errorf("started on a full disk: %w%s", err, w.server.said())
		}
		if err := w.server.stop(); err != nil {
			return fmt.Errorf("started on a full disk: %w", err)
		}
	default:
		line, err := r.refusedStart(w.setup)
		if err != nil || !strings.Contains(line, "disk is full") {
			return fmt.Errorf("start on a full disk: %q, %w", line, err)
		}
		outcome = line
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if _, err := checkAll(ctx, []*worker{w}); err != nil {
		return err
	}
	if err := r.revive(ctx, w); err != nil {
		return err
	}
	r.row("start on a full disk", "%s", outcome)
	return w.server.stop()
}
