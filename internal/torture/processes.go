package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
	r.row("calls acknowledged", "%d writes, %d reads; %.1f a second", writes+heard, reads, float64(writes+heard+reads)/elapsed.Seconds())
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
		err = w.searchMeaning(ctx)
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
