package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// losePermission takes a running server's permissions away. It may go on with the
// files that it has open, but not say that it has stored what it has not.
func (r *run) losePermission(ctx context.Context, user uint32) error {
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	folder := filepath.Dir(db)
	if err := os.Chmod(folder, 0o777); err != nil {
		return err
	}
	w := newWorker(newAuthor("r/", r.random(600)), setup{db: db, user: user})
	if err := r.revive(ctx, w); err != nil {
		return err
	}
	if err := w.write(ctx, 10, 1); err != nil {
		return err
	}
	if _, err := checkAll(ctx, []*worker{w}); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(db, 0o444), os.Chmod(folder, 0o555)); err != nil {
		return err
	}
	refused := 0
	for range 20 {
		if _, err := w.openOne(ctx); err != nil {
			return fmt.Errorf("without permission: %w%s", err, w.server.said())
		}
		if _, err := w.searchOne(ctx); err != nil {
			return fmt.Errorf("without permission: %w%s", err, w.server.said())
		}
		before := w.ahead.clone()
		op := w.next()
		_, err := w.server.call(ctx, op.tool, op.arguments)
		failed, isRefusal := errors.AsType[*ToolError](err)
		switch {
		case err == nil:
			op.apply(w.settled)
			w.acknowledged++
		case !isRefusal || unseemly.MatchString(failed.Text):
			return fmt.Errorf("without permission: %w%s", err, w.server.said())
		default:
			w.ahead = before
			refused++
		}
	}
	if err := errors.Join(os.Chmod(folder, 0o777), os.Chmod(db, 0o644)); err != nil {
		return err
	}
	if _, err := checkAll(ctx, []*worker{w}); err != nil {
		return err
	}
	r.row("permissions taken from a running server", "%d writes acknowledged and stored, %d refused with a clear reason; %d reads, failed 0",
		w.acknowledged, refused, w.reads)
	return w.server.stop()
}
