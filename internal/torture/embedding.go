package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// unembedded counts passages that have no vector.
const unembedded = "SELECT count(*) FROM passages WHERE entity_id IS NOT NULL AND model IS NULL"

// callsToEmbed is how many writes each round makes vectors due for.
const callsToEmbed = 15

// embedding kills servers while they compute vectors. The next start goes on, and
// in the end every passage has its vector.
func (r *run) embedding(ctx context.Context, c clock) error {
	if r.ModelDir == "" {
		r.row("left out", "there is no embedding model")
		return nil
	}
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	random := r.random(400)
	w := newWorker(newAuthor("e/", random), setup{db: db, modelDir: r.ModelDir})
	kills, midway := 0, 0
	duration := 3 * time.Second // until everything has a vector, as measured last
	for round := 0; c.goesOn(round); round++ {
		if err := r.revive(ctx, w); err != nil {
			return err
		}
		after := time.Duration(random.Int64N(int64(duration)))
		err := together(
			func() error { return w.write(ctx, callsToEmbed, 8) },
			func() error {
				err := pause(ctx, after)
				w.server.kill()
				w.server = nil
				return err
			})
		if err != nil {
			return err
		}
		kills++
		stored, err := readState(ctx, db)
		if err != nil {
			return err
		}
		if err := w.settle(stored); err != nil {
			return err
		}
		left, err := number(ctx, db, unembedded)
		if err != nil {
			return err
		}
		if left > 0 {
			midway++
		}
		if round%verifyEvery > 0 {
			continue
		}
		began := time.Now()
		if err := r.completeVectors(ctx, w); err != nil {
			return err
		}
		duration = time.Since(began)
	}
	if err := r.completeVectors(ctx, w); err != nil {
		return err
	}
	r.row("servers killed while computing vectors", "%d, of these %d with vectors still due", kills, midway)
	r.row("writes acknowledged", "%d; lost 0", w.acknowledged)
	passages, err := number(ctx, db, "SELECT count(*) FROM passages WHERE entity_id IS NOT NULL")
	r.row("passages without a vector in the end", "0 of %d", passages)
	return err
}

// completeVectors has a new server compute what is due, and verifies the file.
func (r *run) completeVectors(ctx context.Context, w *worker) error {
	if err := r.revive(ctx, w); err != nil {
		return err
	}
	for began := time.Now(); ; {
		raw, err := w.server.call(ctx, "search_semantic", map[string]any{"query": "when does the harbour open?"})
		if err != nil {
			return err
		}
		var reply struct{ Pending int }
		if err := json.Unmarshal(raw, &reply); err != nil {
			return err
		}
		if reply.Pending == 0 {
			break
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%d entities still have no vector after %v%s", reply.Pending, patience, w.server.said())
		}
	}
	if err := w.searchMeaning(ctx); err != nil {
		return err
	}
	err := w.server.stop()
	w.server = nil
	if err != nil {
		return err
	}
	left, err := number(ctx, w.setup.db, unembedded)
	if err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%d passages have no vector, while the server says that none is due", left)
	}
	return verify(ctx, w.setup.db)
}
