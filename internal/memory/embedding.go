package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mcp-memory/internal/neutral"
	"mcp-memory/internal/passage"
)

// pass embeds all passages that are due, batch by batch. One that cannot be
// stored now, because it has changed meanwhile, waits for the next.
func (x *indexer) pass(ctx context.Context) error {
	if err := x.texts.watchOthers(ctx); err != nil {
		return err
	}
	if err := x.texts.refreshAll(ctx, refreshWait, func(int) {}); err != nil {
		return err
	}
	// Before the model was loaded once, vectors of any model will do: to find
	// out is not worth loading it.
	if n, _, err := x.due(ctx, x.modelID()); err != nil || n == 0 {
		return err
	}
	if err := x.embedder.Load(ctx); err != nil {
		return err
	}
	if mine, err := x.claim(ctx); err != nil || !mine {
		return err
	}
	told, done := time.Now(), 0
	return x.embedEach(ctx, x.dueQueue, func(n int) {
		x.announce()
		done += n
		if time.Since(told) > tellAfter {
			told = time.Now()
			x.tell(ctx, done)
		}
	})
}

// queue lists the next passages that are to be embedded beyond an id.
type queue func(ctx context.Context, r Reader, after int64, size int) ([]PassageText, error)

// dueQueue lists those that have no vector of this model.
func (x *indexer) dueQueue(ctx context.Context, r Reader, after int64, size int) ([]PassageText, error) {
	return r.PassagesDue(ctx, x.modelID(), after, size)
}

// embedEach embeds the passages of a queue, batch by batch, and calls onStep with
// how many were embedded. Where another process has embedded the same ones
// meanwhile, it goes on elsewhere and comes back later, so that several processes
// share the work instead of doing all of it in step.
func (x *indexer) embedEach(ctx context.Context, q queue, onStep func(n int)) error {
	way := newItinerary()
	for {
		batch, err := x.nextBatch(ctx, q, way.at())
		if err != nil {
			return err
		}
		if batch = way.within(batch); len(batch) == 0 {
			if way.end() {
				return nil
			}
			continue
		}
		n, met, err := x.embedAll(ctx, q, batch)
		if err != nil {
			return err
		}
		way.advance(batch[len(batch)-1].ID)
		onStep(n)
		if met {
			left, _, err := x.due(ctx, x.modelID())
			if err != nil {
				return err
			}
			way.leap(rand.Int64N(int64(left) + 1))
		}
	}
}

// tell logs how far a long pass is.
func (x *indexer) tell(ctx context.Context, done int) {
	if left, _, err := x.due(ctx, x.modelID()); err == nil {
		x.log.Info("computing embeddings", "passages", done, "left", left)
	}
}

// reclaimAfter is how long a process leaves the vectors to another model.
const reclaimAfter = 10 * time.Minute

// claim notes, when it was loaded, that the vectors are to be made by this
// process's model. It reports false while a process with another model has done
// so since: two that recompute at once what the other made would never end.
func (x *indexer) claim(ctx context.Context) (mine bool, err error) {
	modelID := x.embedder.ModelID()
	if x.claimed == modelID {
		var current string
		err = x.store.View(ctx, func(r Reader) (err error) {
			current, err = r.Model(ctx)
			return err
		})
		if err != nil || current == modelID {
			return err == nil, err
		}
		if x.lost.IsZero() {
			x.lost = time.Now()
			x.log.Warn("another mcp-memory uses this database with another model: no vectors are made here for a while",
				"mine", modelID, "other", current, "while", reclaimAfter)
		}
		if time.Since(x.lost) < reclaimAfter {
			return false, nil
		}
	}
	err = x.write(ctx, func(w Writer) error {
		return w.SetModel(ctx, modelID, Dimensions, passage.FormatVersion)
	})
	if err != nil {
		return false, err
	}
	x.claimed, x.lost = modelID, time.Time{}
	return true, nil
}

// modelID is VectorsOf the model, empty until that was loaded.
func (x *indexer) modelID() string { return VectorsOf(x.embedder.ModelID()) }

// VectorsOf names what makes the vectors of passages: a model, and how language
// is taken from what it makes. No model is none.
func VectorsOf(modelID string) string {
	if modelID == "" {
		return ""
	}
	return modelID + "/neutral" + neutral.Version
}

// passageVector is what is stored of a vector that the model made.
func passageVector(exact []float32) PassageVector {
	space := neutral.E5Small()
	free := space.Passage(exact)
	return PassageVector{Exact: exact, Neutral: free, Length: space.Length(exact, free)}
}

// queryVector is what is searched with.
func queryVector(exact []float32) QueryVector {
	space := neutral.E5Small()
	free := space.Query(exact)
	return QueryVector{Exact: exact, Neutral: free, Offset: space.Offset(free)}
}

// writeWait is how long vectors wait to be written before those who wait for
// them are told that it may take long.
const writeWait = 100 * time.Millisecond

func (x *indexer) nextBatch(ctx context.Context, q queue, after int64) (batch []PassageText, err error) {
	err = x.store.View(ctx, func(r Reader) error {
		batch, err = q(ctx, r, after, embedBatch)
		return err
	})
	return batch, err
}

// embedAll computes and stores the vectors of a batch, and returns of how many
// passages, and whether it met another process that has done so meanwhile. One that
// cannot be embedded does not keep the others from it: it is logged and passed over.
func (x *indexer) embedAll(ctx context.Context, q queue, batch []PassageText) (n int, met bool, err error) {
	vectors, err := x.embed(ctx, batch)
	switch {
	case err == nil:
		met, err = x.storeBatch(ctx, q, batch, vectors)
		return len(batch), met, err
	case ctx.Err() != nil, errors.Is(err, ErrNoModel):
		return 0, false, err
	case len(batch) == 1:
		x.log.Error("a passage cannot be embedded", "entity", batch[0].Entity.ID, "passage", batch[0].ID, "error", err)
		return 0, false, nil
	}
	for i := range batch {
		one, metHere, err := x.embedAll(ctx, q, batch[i:i+1])
		if err != nil {
			return n, met, err
		}
		n += one
		met = met || metHere
	}
	return n, met, nil
}

// embed computes the vectors of a batch.
func (x *indexer) embed(ctx context.Context, batch []PassageText) ([][]float32, error) {
	began := time.Now()
	texts := make([]string, len(batch))
	for i, p := range batch {
		texts[i] = p.Window.Text
	}
	vectors, err := x.embedder.Embed(ctx, Passage, texts)
	x.measured(time.Since(began) / time.Duration(len(batch)))
	return vectors, err
}

// write runs fn in a write transaction. While other writers are busy, it says so
// to all who wait.
func (x *indexer) write(ctx context.Context, fn func(Writer) error) error {
	err := x.store.TryUpdate(ctx, writeWait, fn)
	if errors.Is(err, ErrBusy) {
		x.setBlocked(true)
		defer x.setBlocked(false)
		err = x.store.Update(ctx, fn)
	}
	return err
}

// storeBatch stores the vectors of those passages that are still as they were
// read. It reports whether the first of them was not in the queue any more.
func (x *indexer) storeBatch(ctx context.Context, q queue, batch []PassageText, vectors [][]float32) (met bool, err error) {
	modelID := x.modelID()
	err = x.write(ctx, func(w Writer) error {
		first, err := q(ctx, w, batch[0].ID-1, 1)
		if err != nil {
			return err
		}
		met = len(first) == 0 || first[0].ID != batch[0].ID
		for i, p := range batch {
			if err := w.SetPassageVector(ctx, p.ID, modelID, p.Window.Hash(), passageVector(vectors[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("storing vectors of %d passages from id %d: %w", len(batch), batch[0].ID, err)
	}
	return met, nil
}

// measured smooths the cost of one passage.
func (x *indexer) measured(cost time.Duration) {
	x.mu.Lock()
	x.cost += (cost - x.cost) / 4
	x.mu.Unlock()
}

// due counts the passages without a vector of that model, and their entities.
func (x *indexer) due(ctx context.Context, modelID string) (passages, entities int, err error) {
	err = x.store.View(ctx, func(r Reader) error {
		passages, entities, err = r.CountPassagesDue(ctx, modelID)
		return err
	})
	return passages, entities, err
}
