package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/internal/passage"
)

// pass embeds all entities that are out of date, batch by batch. One that
// cannot be stored now, because it has changed meanwhile, waits for the next.
func (x *indexer) pass(ctx context.Context) error {
	if err := x.texts.refresh(ctx); err != nil {
		return err
	}
	// Before the model was loaded once, vectors of any model will do: to find
	// out is not worth loading it.
	if n, err := x.outOfDate(ctx, x.modelID()); err != nil || n == 0 {
		return err
	}
	if err := x.embedder.Load(ctx); err != nil {
		return err
	}
	if mine, err := x.claim(ctx); err != nil || !mine {
		return err
	}
	for after := int64(0); ; {
		batch, err := x.nextBatch(ctx, after)
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].id
		if err := x.embedAll(ctx, batch); err != nil {
			return err
		}
		x.announce()
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

// modelID names what makes the vectors: the model, and the form of the texts.
// It is empty, which stands for any model, until the model was loaded.
func (x *indexer) modelID() string {
	id := x.embedder.ModelID()
	if id == "" {
		return ""
	}
	return id + "/text" + passage.FormatVersion
}

// writeWait is how long vectors wait to be written before those who wait for
// them are told that it may take long.
const writeWait = 100 * time.Millisecond

// source is what an entity's vector is made from.
type source struct {
	id     int64
	entity passage.Entity
	hash   string
}

// nextBatch reads the next entities without a fresh vector beyond after.
func (x *indexer) nextBatch(ctx context.Context, after int64) (batch []source, err error) {
	err = x.store.View(ctx, func(r Reader) error {
		ids, err := r.OutOfDate(ctx, x.modelID(), after, embedBatch)
		if err != nil {
			return err
		}
		batch, err = sourcesOf(ctx, r, ids)
		return err
	})
	return batch, err
}

// embedAll computes and stores the vectors of a batch. An entity that cannot be
// embedded does not keep the others from it: it is logged and passed over.
func (x *indexer) embedAll(ctx context.Context, batch []source) error {
	vectors, err := x.embed(ctx, batch)
	switch {
	case err == nil:
		return x.storeBatch(ctx, batch, vectors)
	case ctx.Err() != nil, errors.Is(err, ErrNoModel):
		return err
	case len(batch) == 1:
		x.log.Error("an entity cannot be embedded", "entity", batch[0].id, "error", err)
		return nil
	}
	for i := range batch {
		if err := x.embedAll(ctx, batch[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// embed computes the vectors of a batch.
func (x *indexer) embed(ctx context.Context, batch []source) ([][]float32, error) {
	began := time.Now()
	count := func(texts []string) ([]int, error) { return x.embedder.CountTokens(ctx, texts) }
	texts := make([]string, len(batch))
	for i, s := range batch {
		var err error
		if texts[i], err = passage.Text(s.entity, count, passage.Budget); err != nil {
			return nil, err
		}
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

// storeBatch stores the vectors of those entities that are still as they were
// read.
func (x *indexer) storeBatch(ctx context.Context, batch []source, vectors [][]float32) error {
	ids := make([]int64, len(batch))
	for i, s := range batch {
		ids[i] = s.id
	}
	modelID := x.modelID()
	err := x.write(ctx, func(w Writer) error {
		now, err := sourcesOf(ctx, w, ids)
		if err != nil {
			return err
		}
		hashes := make(map[int64]string, len(now))
		for _, s := range now {
			hashes[s.id] = s.hash
		}
		for i, s := range batch {
			if hashes[s.id] != s.hash {
				continue
			}
			if err := w.SetVector(ctx, s.id, modelID, s.hash, vectors[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing vectors of %d entities from id %d: %w", len(ids), ids[0], err)
	}
	return nil
}

// measured smooths the cost of one entity.
func (x *indexer) measured(cost time.Duration) {
	x.mu.Lock()
	x.cost += (cost - x.cost) / 4
	x.mu.Unlock()
}

// outOfDate counts the entities without a fresh vector of that model.
func (x *indexer) outOfDate(ctx context.Context, modelID string) (n int, err error) {
	err = x.store.View(ctx, func(r Reader) error {
		n, err = r.CountOutOfDate(ctx, modelID)
		return err
	})
	return n, err
}

// sourcesOf reads what the vectors of these entities are made from.
func sourcesOf(ctx context.Context, r Reader, ids []int64) ([]source, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	entities, err := r.Entities(ctx, ids)
	if err != nil {
		return nil, err
	}
	edges, err := r.EdgesTouching(ctx, ids)
	if err != nil {
		return nil, err
	}
	outgoing, incoming := map[int64][]passage.Rel{}, map[int64][]passage.Rel{}
	for _, e := range edges {
		outgoing[e.FromID] = append(outgoing[e.FromID], passage.Rel{Type: e.Type, Other: e.To})
		if e.FromID != e.ToID { // a loop is told once
			incoming[e.ToID] = append(incoming[e.ToID], passage.Rel{Type: e.Type, Other: e.From})
		}
	}
	sources := make([]source, len(entities))
	for i, e := range entities {
		p := passage.Entity{
			Name: e.Name, Type: e.Type, Observations: e.Observations,
			Outgoing: outgoing[e.ID], Incoming: incoming[e.ID],
		}
		sources[i] = source{id: e.ID, entity: p, hash: passage.Hash(p)}
	}
	return sources, nil
}
