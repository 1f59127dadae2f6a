package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	diskSize   = 24 << 20
	spareRoom  = 256 << 10 // what is left free
	readsInAll = 6         // while there is no room
)

// shortage is a way to take room away from a server that runs, and to give it back.
type shortage struct {
	begin func(*server) error
	end   func(*server) error
}

// full fills a small disk while a server writes.
func (r *run) full(ctx context.Context, c clock) (err error) {
	disk := filepath.Join(r.dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		return err
	}
	unmount, err := mountSmallDisk(disk, diskSize)
	if err != nil {
		r.row("left out", "no small disk can be mounted here: %v", err)
		return nil
	}
	defer func() { err = errors.Join(err, unmount()) }()
	ballast := filepath.Join(disk, "ballast")
	refused, err := r.shortOfRoom(ctx, c, setup{db: filepath.Join(disk, "memory.db")}, shortage{
		begin: func(*server) error { return fillDisk(disk, ballast) },
		end:   func(*server) error { return os.Remove(ballast) },
	})
	if err != nil {
		return err
	}
	return r.startOnFullDisk(ctx, disk, ballast, refused)
}

// limited does the same without the rights to mount anything: by a limit on the
// size of files.
func (r *run) limited(ctx context.Context, c clock) error {
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	_, err = r.shortOfRoom(ctx, c, setup{db: db}, shortage{
		begin: func(v *server) error {
			largest, err := largestFile(filepath.Dir(db))
			if err != nil {
				return err
			}
			return limitFileSize(v.process.Pid, uint64(largest+spareRoom))
		},
		end: func(v *server) error { return limitFileSize(v.process.Pid, unlimited) },
	})
	if errors.Is(err, errors.ErrUnsupported) {
		r.row("left out", "the size of files cannot be limited here")
		return nil
	}
	return err
}

// shortOfRoom writes until there is no room, reads on, and writes again when
// there is room, all with one server.
func (r *run) shortOfRoom(ctx context.Context, c clock, s setup, short shortage) (w *worker, err error) {
	w = newWorker(newAuthor("f/", r.random(500)), s)
	if w.server, err = r.serve(ctx, s); err != nil {
		return nil, err
	}
	running := w.server
	defer func() {
		if err != nil {
			running.kill()
		}
	}()
	refusals, reads, rounds := 0, 0, 0
	for ; c.goesOn(rounds); rounds++ {
		if err := short.begin(w.server); err != nil {
			return nil, err
		}
		n, err := w.writeUntilRefused(ctx)
		if err != nil {
			return nil, err
		}
		refusals += n
		for range readsInAll {
			if _, err := w.openOne(ctx); err != nil {
				return nil, fmt.Errorf("without room: %w%s", err, w.server.said())
			}
			if _, err := w.searchOne(ctx); err != nil {
				return nil, fmt.Errorf("without room: %w%s", err, w.server.said())
			}
			reads += 2
		}
		if _, err := checkAll(ctx, []*worker{w}); err != nil {
			return nil, fmt.Errorf("without room: %w", err)
		}
		if err := short.end(w.server); err != nil {
			return nil, err
		}
		if err := w.makeSmaller(ctx); err != nil {
			return nil, fmt.Errorf("with room again: %w", err)
		}
	}
	if _, err := checkAll(ctx, []*worker{w}); err != nil {
		return nil, err
	}
	r.row("times that it was full while writing, with one server", "%d", rounds)
	r.row("calls refused for lack of room", "%d, each with a clear reason; of them stored 0", refusals)
	r.row("writes acknowledged", "%d; lost 0", w.acknowledged)
	r.row("reads while there was no room", "%d, failed 0", reads)
	return w, w.server.stop()
}

// unseemly is what a user should not have to read.
var unseemly = regexp.MustCompile(`(?i)sqlite|\bsql|select |insert |errno|internal error|goroutine|disk i/o`)

// writeUntilRefused writes large observations until some calls in a row were
// refused, and returns how many were.
func (w *worker) writeUntilRefused(ctx context.Context) (refused int, err error) {
	for inARow, calls := 0, 0; inARow < 5; calls++ {
		if calls > 5_000 {
			return refused, errors.New("there is still room after 5000 calls")
		}
		w.count++
		name := w.name()
		text := w.mark(w.count) + strings.Repeat(" the harbour opens at seven", 1+w.random.IntN(1_500))
		_, err := w.server.call(ctx, "create_entities", map[string]any{"entities": []newEntity{{Name: name, Observations: []string{text}}}})
		failed, isRefusal := errors.AsType[*ToolError](err)
		switch {
		case err == nil:
			w.ahead.create(name, nil, []string{text})
			w.settled.create(name, nil, []string{text})
			w.acknowledged++
			inARow = 0
			continue
		case !isRefusal:
			return refused, fmt.Errorf("%w%s", err, w.server.said())
		case !strings.Contains(failed.Text, "disk is full") || unseemly.MatchString(failed.Text):
			return refused, fmt.Errorf("a full disk is called %q%s", failed.Text, w.server.said())
		}
		inARow++
		refused++
	}
	return refused, nil
}

// makeSmaller deletes most of what there is, which needs some room itself.
func (w *worker) makeSmaller(ctx context.Context) error {
	var names []string
	for name := range w.ahead.entities {
		if len(names) < len(w.ahead.entities)-5 {
			names = append(names, name)
		}
	}
	for len(names) > 0 {
		some := names[:min(10, len(names))]
		names = names[len(some):]
		if _, err := w.server.call(ctx, "delete_entities", map[string]any{"entityNames": some}); err != nil {
			return fmt.Errorf("%w%s", err, w.server.said())
		}
		for _, name := range some {
			w.ahead.remove(name)
			w.settled.remove(name)
		}
		w.acknowledged++
	}
	return nil
}
