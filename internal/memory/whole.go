package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mcp-memory/internal/passage"
)

// The documented vector of an entity's whole text serves other programs; our
// search has those of passages. So it is made last: at once where it is that of
// a passage, else when nothing was asked for a while.

const (
	// wholeBatch is how many entities are looked at between two writes.
	wholeBatch = 8
	// quiet is how long nothing must have been asked before whole texts are
	// embedded.
	quiet = 5 * time.Second
)

// wholeTexts makes the vectors of entities' whole texts that are out of date,
// until a pass is asked for.
func (x *indexer) wholeTexts(ctx context.Context, asked int) error {
	if !x.embedder.Ready() {
		return nil
	}
	for after := int64(math.MinInt64); x.undisturbed(ctx, asked, 0); {
		batch, err := x.nextWhole(ctx, after, x.outOfDate)
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].id
		if mine, err := x.claim(ctx); err != nil || !mine {
			return err
		}
		rest, err := x.copyWhole(ctx, batch)
		if err != nil {
			return err
		}
		// In an order of its own, for others may be at the same ones.
		rand.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		for _, s := range rest {
			if !x.undisturbed(ctx, asked, quiet) {
				return ctx.Err()
			}
			switch due, err := x.stillOutOfDate(ctx, s.id); {
			case err != nil:
				return err
			case !due:
				continue
			}
			switch err := x.embedWhole(ctx, s); {
			case ctx.Err() != nil, errors.Is(err, ErrNoModel):
				return err
			case err != nil:
				x.log.Error("an entity cannot be embedded", "entity", s.id, "error", err)
			}
		}
	}
	return ctx.Err()
}

// undisturbed waits until nothing was asked for that long. It reports false
// when a pass is asked for.
func (x *indexer) undisturbed(ctx context.Context, asked int, long time.Duration) bool {
	for {
		x.mu.Lock()
		disturbed, since := x.asked != asked, time.Since(x.used)
		x.mu.Unlock()
		switch {
		case disturbed || ctx.Err() != nil:
			return false
		case since >= long:
			return true
		}
		select {
		case <-ctx.Done():
		case <-time.After(long - since):
		case <-x.wake: // for the loop
			x.wakeAgain()
		}
	}
}

// source is what the vector of an entity's whole text is made from.
type source struct {
	id     int64
	entity passage.Entity
	hash   string
	text   string
}

func (x *indexer) wholeModelID() string { return WholeVectorsOf(x.embedder.ModelID()) }

// WholeVectorsOf names what makes the vectors of whole texts: a model, and the form of
// the texts. No model is none.
func WholeVectorsOf(modelID string) string {
	if modelID == "" {
		return ""
	}
	return modelID + "/text" + passage.FormatVersion
}

// listing lists the next entities beyond one.
type listing func(ctx context.Context, r Reader, after int64) ([]int64, error)

// outOfDate lists those without a fresh vector.
func (x *indexer) outOfDate(ctx context.Context, r Reader, after int64) ([]int64, error) {
	return r.OutOfDate(ctx, x.wholeModelID(), after, wholeBatch)
}

// stillOutOfDate reports whether nobody has made the vector of an entity yet.
func (x *indexer) stillOutOfDate(ctx context.Context, id int64) (due bool, err error) {
	err = x.store.View(ctx, func(r Reader) error {
		ids, err := r.OutOfDate(ctx, x.wholeModelID(), id-1, 1)
		due = slices.Contains(ids, id)
		return err
	})
	return due, err
}

// nextWhole reads the next entities that next lists beyond after, and their texts.
func (x *indexer) nextWhole(ctx context.Context, after int64, next listing) (batch []source, err error) {
	err = x.store.View(ctx, func(r Reader) error {
		ids, err := next(ctx, r, after)
		if err != nil {
			return err
		}
		batch, err = sourcesOf(ctx, r, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	count := func(texts []string) ([]int, error) { return x.embedder.CountTokens(ctx, texts) }
	for i := range batch {
		if batch[i].text, err = passage.Text(batch[i].entity, count, passage.Budget); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

// copyWhole copies the vectors of passages that are the whole text, and returns
// the entities that have none.
func (x *indexer) copyWhole(ctx context.Context, batch []source) (rest []source, err error) {
	err = x.write(ctx, func(w Writer) error {
		rest = nil
		same, err := unchanged(ctx, w, batch)
		if err != nil {
			return err
		}
		for _, s := range same {
			copied, err := w.SetVectorOf(ctx, s.id, x.wholeModelID(), s.hash, passage.Window{Text: s.text}.Hash())
			if err != nil {
				return err
			}
			if !copied {
				rest = append(rest, s)
			}
		}
		return nil
	})
	return rest, err
}

// embedWhole computes and stores the vector of one entity, if it is still as it
// was read.
func (x *indexer) embedWhole(ctx context.Context, s source) error {
	vectors, err := x.embedder.Embed(ctx, Passage, []string{s.text})
	if err != nil {
		return err
	}
	err = x.write(ctx, func(w Writer) error {
		same, err := unchanged(ctx, w, []source{s})
		if err != nil || len(same) == 0 {
			return err
		}
		return w.SetVector(ctx, s.id, x.wholeModelID(), s.hash, vectors[0])
	})
	if err != nil {
		return fmt.Errorf("storing the vector of entity %d: %w", s.id, err)
	}
	return nil
}

// unchanged returns those sources that are still as they were read.
func unchanged(ctx context.Context, r Reader, sources []source) ([]source, error) {
	ids := make([]int64, len(sources))
	for i, s := range sources {
		ids[i] = s.id
	}
	now, err := sourcesOf(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	hashes := make(map[int64]string, len(now))
	for _, s := range now {
		hashes[s.id] = s.hash
	}
	var same []source
	for _, s := range sources {
		if hashes[s.id] == s.hash {
			same = append(same, s)
		}
	}
	return same, nil
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
	sources := make([]source, len(entities))
	for i, p := range Described(entities, edges) {
		sources[i] = source{id: entities[i].ID, entity: p, hash: passage.Hash(p)}
	}
	return sources, nil
}

// Described joins entities with those of the edges that touch them, into what
// their texts are made from. A loop is told once.
func Described(entities []Entity, edges []Edge) []passage.Entity {
	list := make([]passage.Entity, len(entities))
	place := make(map[int64]*passage.Entity, len(entities))
	for i, e := range entities {
		list[i] = passage.Entity{Name: e.Name, Type: e.Type, Observations: e.Observations}
		place[e.ID] = &list[i]
	}
	for _, e := range edges {
		if from := place[e.FromID]; from != nil {
			from.Outgoing = append(from.Outgoing, passage.Rel{Type: e.Type, Other: e.To})
		}
		if to := place[e.ToID]; to != nil && e.FromID != e.ToID {
			to.Incoming = append(to.Incoming, passage.Rel{Type: e.Type, Other: e.From})
		}
	}
	return list
}
