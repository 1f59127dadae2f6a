package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/internal/passage"
)

// anyModel, as a model id, accepts vectors whichever model made them.
const anyModel = ""

// pass embeds all entities that are out of date, batch by batch. One that
// cannot be stored now, because it has changed meanwhile, waits for the next.
func (x *indexer) pass(ctx context.Context) error {
	n, err := x.outOfDate(ctx, anyModel)
	if err != nil {
		return err
	}
	if n == 0 && x.embedder.ModelID() == "" {
		return nil // nothing to do that would justify to load the model
	}
	if err := x.embedder.Load(ctx); err != nil {
		return err
	}
	for after := int64(0); ; {
		batch, err := x.nextBatch(ctx, after)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := x.embedBatch(ctx, batch); err != nil {
			return fmt.Errorf("embedding %d entities from id %d: %w", len(batch), batch[0].id, err)
		}
		after = batch[len(batch)-1].id
		x.announce()
	}
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
		ids, err := r.OutOfDate(ctx, x.embedder.ModelID(), after, embedBatch)
		if err != nil {
			return err
		}
		batch, err = sourcesOf(ctx, r, ids)
		return err
	})
	return batch, err
}

// embedBatch computes and stores the vectors of a batch.
func (x *indexer) embedBatch(ctx context.Context, batch []source) error {
	began := time.Now()
	count := func(texts []string) ([]int, error) { return x.embedder.CountTokens(ctx, texts) }
	texts := make([]string, len(batch))
	ids := make([]int64, len(batch))
	for i, s := range batch {
		var err error
		if texts[i], err = passage.Text(s.entity, count, passage.Budget); err != nil {
			return err
		}
		ids[i] = s.id
	}
	vectors, err := x.embedder.Embed(ctx, Passage, texts)
	if err != nil {
		return err
	}
	x.measured(time.Since(began) / time.Duration(len(batch)))
	return x.storeBatch(ctx, batch, ids, vectors)
}

// storeBatch stores the vectors of those entities that are still as they were
// read. While other writers are busy, it says so to all who wait.
func (x *indexer) storeBatch(ctx context.Context, batch []source, ids []int64, vectors [][]float32) error {
	modelID := x.embedder.ModelID()
	write := func(w Writer) error {
		now, err := sourcesOf(ctx, w, ids)
		if err != nil {
			return err
		}
		hashes := make(map[int64]string, len(now))
		for _, s := range now {
			hashes[s.id] = s.hash
		}
		if err := w.SetModel(ctx, modelID, Dimensions, passage.FormatVersion); err != nil {
			return err
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
	}
	err := x.store.TryUpdate(ctx, writeWait, write)
	if errors.Is(err, ErrBusy) {
		x.setBlocked(true)
		defer x.setBlocked(false)
		err = x.store.Update(ctx, write)
	}
	return err
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

// auditPage is how many entities an audit reads at a time.
const auditPage = 500

// audit repairs the text index, and marks the vectors whose entity another
// program has changed, if any has changed something since the last time.
func (x *indexer) audit(ctx context.Context) error {
	audited, err := x.store.Audited(ctx)
	if err != nil || audited {
		return err
	}
	x.log.Debug("checking text index and vectors")
	repaired, err := x.store.CheckText(ctx)
	if err != nil {
		return fmt.Errorf("checking the text index: %w", err)
	}
	if repaired > 0 {
		x.log.Warn("text index repaired", "entities", repaired)
	}
	for after := int64(0); ; {
		var hashes []TextHash
		var stale []int64
		err := x.store.View(ctx, func(r Reader) (err error) {
			if hashes, err = r.TextHashes(ctx, anyModel, after, auditPage); err != nil {
				return err
			}
			stale, err = differing(ctx, r, hashes)
			return err
		})
		if err != nil {
			return fmt.Errorf("checking vectors: %w", err)
		}
		if len(stale) > 0 {
			x.log.Warn("vectors out of date", "entities", len(stale))
			if err := x.store.Update(ctx, func(w Writer) error { return w.MarkStale(ctx, stale) }); err != nil {
				return err
			}
		}
		if len(hashes) < auditPage {
			return nil
		}
		after = hashes[len(hashes)-1].EntityID
	}
}

// differing returns the entities whose text has another hash than given.
func differing(ctx context.Context, r Reader, hashes []TextHash) ([]int64, error) {
	ids := make([]int64, len(hashes))
	for i, h := range hashes {
		ids[i] = h.EntityID
	}
	sources, err := sourcesOf(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	now := make(map[int64]string, len(sources))
	for _, s := range sources {
		now[s.id] = s.hash
	}
	var stale []int64
	for _, h := range hashes {
		if now[h.EntityID] != h.Hash {
			stale = append(stale, h.EntityID)
		}
	}
	return stale, nil
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
