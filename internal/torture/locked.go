package torture

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// holdTime is for how long at a time an outside program keeps the write lock.
const holdTime = time.Second

// locked measures reads while another program holds the write lock: four clients
// only read, four write and wait for the lock.
func (r *run) locked(ctx context.Context, c clock) error {
	workers, err := r.crowd(ctx, "")
	if err != nil {
		return err
	}
	var fill []func() error
	for _, w := range workers {
		fill = append(fill, func() error { return w.write(ctx, callsPerRound, 8) })
	}
	if err := together(fill...); err != nil {
		return err
	}
	readers, writers := workers[:servers/2], workers[servers/2:]
	measured := make([]map[string]times, len(readers))
	for round := 0; c.goesOn(round); round++ {
		var held atomic.Bool
		work := []func() error{func() error { return holdLock(ctx, workers[0].setup.db, &held) }}
		for _, w := range writers {
			work = append(work, func() error { return w.write(ctx, 4, 1) })
		}
		for i, w := range readers {
			if measured[i] == nil {
				measured[i] = map[string]times{}
			}
			work = append(work, func() error { return w.readWhile(ctx, &held, measured[i]) })
		}
		if err := together(work...); err != nil {
			return err
		}
	}
	if _, err := checkAll(ctx, workers); err != nil {
		return err
	}
	for _, tool := range []string{"open_nodes", "search_nodes"} {
		var all times
		for _, m := range measured {
			all = append(all, m[tool]...)
		}
		r.row(tool+" while an outside program holds the write lock", "%v", all)
	}
	r.row("writes that waited for the lock", "%d; failed 0", writes(writers))
	return dismiss(workers)
}

func writes(workers []*worker) (n int) {
	for _, w := range workers {
		n += w.acknowledged
	}
	return n
}

// holdLock holds the write lock for a while, and says when.
func holdLock(ctx context.Context, path string, held *atomic.Bool) error {
	db, err := open(path, "rw")
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("take the write lock: %w", err)
	}
	held.Store(true)
	err = pause(ctx, holdTime)
	held.Store(false)
	_, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, undo)
}

// readWhile reads until the lock was held and is free again, and measures the
// calls that began and ended in between.
func (w *worker) readWhile(ctx context.Context, held *atomic.Bool, measured map[string]times) error {
	for was := false; ; {
		for tool, read := range map[string]func(context.Context) (time.Duration, error){
			"open_nodes": w.openOne, "search_nodes": w.searchOne,
		} {
			before := held.Load()
			took, err := read(ctx)
			if err != nil {
				return err
			}
			after := held.Load()
			if before && after && took > 0 {
				measured[tool] = append(measured[tool], took)
			}
			was = was || before
			if was && !after {
				return nil
			}
		}
	}
}
