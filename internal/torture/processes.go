package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"
)

// servers is how many share a database.
const servers = 8

// hub is an entity that all clients write to.
const hub = "hub"

// crowd starts servers on one new file at the same moment, each with a client.
func (r *run) crowd(ctx context.Context, modelDir string) ([]*worker, error) {
	db, err := r.newDatabase()
	if err != nil {
		return nil, err
	}
	workers := make([]*worker, servers)
	starts := make([]func() error, servers)
	for i := range workers {
		w := newWorker(newAuthor(fmt.Sprintf("p%d/", i), r.random(uint64(i))), setup{db: db, modelDir: modelDir})
		workers[i] = w
		starts[i] = func() (err error) {
			w.server, err = r.serve(ctx, w.setup)
			return err
		}
	}
	return workers, together(starts...)
}

// dismiss ends the servers of all, who must say goodbye, and has the last one
// clean up.
func dismiss(workers []*worker) error {
	var ends []func() error
	for _, w := range workers {
		if w.server != nil {
			ends = append(ends, w.server.stop)
		}
	}
	if err := together(ends...); err != nil {
		return err
	}
	if _, err := os.Stat(workers[0].setup.db + "-wal"); err == nil {
		return errors.New("a -wal file is left after a clean end of all servers")
	}
	return nil
}

// checkAll compares what is stored with what each client knows, and verifies the file.
func checkAll(ctx context.Context, workers []*worker) (compared int, err error) {
	stored, err := readState(ctx, workers[0].setup.db)
	if err != nil {
		return 0, err
	}
	for _, w := range workers {
		if err := w.settle(stored); err != nil {
			return 0, err
		}
		compared += w.settled.size()
	}
	return compared, verify(ctx, workers[0].setup.db)
}

// callsPerRound is how many calls a client makes between two comparisons, with a
// model fewer.
const (
	callsPerRound  = 40
	callsWithModel = 10
)

// processes has eight servers on one database start on a new file at the same
// moment; then each client writes, reads and searches without pause.
func (r *run) processes(ctx context.Context, c clock) error {
	return r.allAtOnce(ctx, c, "", callsPerRound)
}

// meaning does the same where every server has the embedding model, computes
// vectors and searches by meaning.
func (r *run) meaning(ctx context.Context, c clock) error {
	if r.ModelDir == "" {
		r.row("left out", "there is no embedding model")
		return nil
	}
	return r.allAtOnce(ctx, c, r.ModelDir, callsWithModel)
}

func (r *run) allAtOnce(ctx context.Context, c clock, modelDir string, calls int) error {
	workers, err := r.crowd(ctx, modelDir)
	if err != nil {
		return err
	}
	if _, err := workers[0].server.call(ctx, "create_entities", map[string]any{"entities": []newEntity{{Name: hub, Observations: []string{}}}}); err != nil {
		return err
	}
	began, compared := time.Now(), 0
	told := make([][]string, len(workers))
	for round := 0; c.goesOn(round); round++ {
		var work []func() error
		for i, w := range workers {
			work = append(work, func() (err error) {
				for range calls {
					if err := w.mix(ctx, modelDir != "", &told[i]); err != nil {
						return fmt.Errorf("client %s %w", w.prefix, err)
					}
				}
				return nil
			})
		}
		if err := together(work...); err != nil {
			return err
		}
		n, err := checkAll(ctx, workers)
		if err != nil {
			return err
		}
		compared += n
	}
	elapsed := time.Since(began)
	if err := checkHub(ctx, workers[0].setup.db, told); err != nil {
		return err
	}
	writes, reads, heard := 0, 0, 0
	for i, w := range workers {
		writes, reads, heard = writes+w.acknowledged, reads+w.reads, heard+len(told[i])
	}
	r.row("servers on one database, started at once on a new file", "%d", servers)
	r.row("calls acknowledged", "%d writes, %d reads; %.0f a second", writes+heard, reads, float64(writes+heard+reads)/elapsed.Seconds())
	r.row("errors that reached a client", "0")
	r.row("entities, observations and relations compared", "%d; lost 0, surplus 0, twice 0", compared)
	r.row("observations of all clients on one entity", "%d, each once and in order", heard)
	return dismiss(workers)
}

// mix makes one call of any kind.
func (w *worker) mix(ctx context.Context, meaning bool, told *[]string) error {
	var err error
	switch n := w.random.IntN(100); {
	case n < 45:
		err = w.write(ctx, 1, 1)
	case n < 52:
		text := fmt.Sprintf("%ssays %d", w.prefix, len(*told))
		if _, err = w.server.call(ctx, "add_observations", map[string]any{"name": hub, "observations": []string{text}}); err == nil {
			*told = append(*told, text)
		}
	case n < 75:
		_, err = w.openOne(ctx)
	case n < 95 || !meaning:
		_, err = w.searchOne(ctx)
	default:
		_, err = w.searchMeaning(ctx)
	}
	return err
}

// checkHub compares the entity that all wrote to with what was acknowledged.
func checkHub(ctx context.Context, db string, told [][]string) error {
	stored, err := readState(ctx, db)
	if err != nil {
		return err
	}
	got := stored.entities[hub].Observations
	total := 0
	for i, list := range told {
		prefix := fmt.Sprintf("p%d/", i)
		var own []string
		for _, o := range got {
			if len(o) >= len(prefix) && o[:len(prefix)] == prefix {
				own = append(own, o)
			}
		}
		if !slices.Equal(own, list) {
			return fmt.Errorf("client %s was told that %d observations of the common entity are stored; there are %d: %.300q", prefix, len(list), len(own), own)
		}
		total += len(list)
	}
	if len(got) != total {
		return fmt.Errorf("the common entity has %d observations, of which clients know %d", len(got), total)
	}
	return nil
}

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
