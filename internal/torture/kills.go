package torture

import (
	"context"
	"fmt"
	"time"
)

// verifyEvery is after how many kills the whole file is verified.
const verifyEvery = 5

// Most servers live shorter than shortLife before they are killed, one in ten up
// to longLife.
const (
	shortLife = 150 * time.Millisecond
	longLife  = time.Second
)

// kills has two servers on one database write random work, kills one of them or
// both at a random moment, and compares what is stored with what was acknowledged.
func (r *run) kills(ctx context.Context, c clock) error {
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	var workers []*worker
	for i := range 2 {
		workers = append(workers, newWorker(newAuthor(fmt.Sprintf("k%d/", i), r.random(uint64(100+i))), setup{db: db}))
	}
	random := r.random(99)
	kills, compared := 0, 0
	for round := 0; c.goesOn(round); round++ {
		for _, w := range workers {
			if err := r.revive(ctx, w); err != nil {
				return err
			}
		}
		victims := workers
		if random.IntN(3) > 0 {
			victims = workers[random.IntN(2):][:1]
		}
		life := shortLife
		if round%10 == 9 {
			life = longLife
		}
		if err := killWhileWriting(ctx, workers, victims, time.Duration(random.Int64N(int64(life)))); err != nil {
			return err
		}
		kills += len(victims)
		stored, err := readState(ctx, db)
		if err != nil {
			return fmt.Errorf("after kill %d: %w", kills, err)
		}
		for _, w := range workers {
			if err := w.settle(stored); err != nil {
				return fmt.Errorf("after kill %d: %w", kills, err)
			}
			compared += w.settled.size()
		}
		if round%verifyEvery == 0 {
			if err := verify(ctx, db); err != nil {
				return fmt.Errorf("after kill %d: %w", kills, err)
			}
		}
	}
	partial := 0
	for _, w := range workers {
		partial += w.partial
		if err := r.revive(ctx, w); err != nil {
			return err
		}
	}
	r.row("servers killed while writing", "%d", kills)
	r.row("writes acknowledged", "%d; lost 0", writes(workers))
	r.row("calls without an answer", "%d were there whole, the others not at all", partial)
	r.row("entities, observations and relations compared", "%d; lost 0, surplus 0, twice 0", compared)
	if err := dismiss(workers); err != nil {
		return err
	}
	return verify(ctx, db)
}

// revive starts a server for a worker that has none, and reads through it what
// must be there.
func (r *run) revive(ctx context.Context, w *worker) (err error) {
	if w.server == nil {
		if w.server, err = r.serve(ctx, w.setup); err != nil {
			return err
		}
	}
	for range 3 {
		if _, err := w.openOne(ctx); err != nil {
			return err
		}
		if _, err := w.searchOne(ctx); err != nil {
			return err
		}
	}
	return nil
}

// killWhileWriting has all workers write, and kills the victims' servers after
// that time. The others come to an end with all their answers.
func killWhileWriting(ctx context.Context, workers, victims []*worker, after time.Duration) error {
	var work []func() error
	for i, w := range workers {
		w.stopped.Store(false)
		work = append(work, func() error { return w.write(ctx, 1<<30, 1+7*i) })
	}
	work = append(work, func() error {
		err := pause(ctx, after)
		for _, w := range victims {
			w.server.kill()
		}
		for _, w := range workers {
			w.stopped.Store(true)
		}
		return err
	})
	err := together(work...)
	for _, w := range victims {
		w.server = nil
	}
	return err
}
