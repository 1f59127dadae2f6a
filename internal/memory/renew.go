package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// renewPage is how many entities are indexed anew in one transaction, a fraction of
// a second's work, for which other writers wait.
const renewPage = 50

// RenewOptions say what is to be made anew.
type RenewOptions struct {
	Texts   bool // the index of texts and words
	Vectors bool // needs the model
	Restart bool // also what an earlier call has made that did not come to its end
}

// RenewReport is what was made anew.
type RenewReport struct {
	Resumed  bool // where an earlier call ended
	Texts    int  // entities indexed
	Passages int  // embedded
	Entities int  // of which the documented vector was made
	Failed   int  // vectors that could not be made: the old ones stay

	// What is left to do when the call ends early.
	TextsLeft, PassagesLeft, EntitiesLeft int
}

// Renew makes anew what is made from entities, and reports progress to ctx. What is
// there stays in use until what replaces it is there. Others may use the memory
// meanwhile, and what they make does not have to be made again. When it
// ends early, the next call goes on. Without the model, vectors are refused with
// an error that wraps ErrNoModel, and nothing is done. It is for a service without
// the background work that Start begins.
func (s *Service) Renew(ctx context.Context, o RenewOptions) (RenewReport, error) {
	if o.Vectors {
		if err := s.embedder.Load(ctx); err != nil {
			return RenewReport{}, err
		}
	}
	r := renewal{indexer: s.indexer, RenewOptions: o}
	err := r.run(ctx)
	if err != nil {
		return r.report, errors.Join(err, r.countLeft(context.WithoutCancel(ctx)))
	}
	return r.report, nil
}

// renewal is one call of Renew.
type renewal struct {
	*indexer
	RenewOptions
	report RenewReport
}

func (r *renewal) run(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	if r.Texts {
		if err := r.renewTexts(ctx); err != nil {
			return err
		}
	}
	if !r.Vectors {
		return nil
	}
	if mine, err := r.claim(ctx); err != nil || !mine {
		return errors.Join(err, errors.New("another mcp-memory with another model makes the vectors of this database"))
	}
	if err := r.renewPassages(ctx); err != nil {
		return err
	}
	if err := r.renewEntities(ctx); err != nil {
		return err
	}
	return r.patiently(ctx, func(w Writer) error { return w.UnmarkVectors(ctx) })
}

// begin marks what is to be made, unless there are marks of an earlier call, which
// has made the parts before those.
func (r *renewal) begin(ctx context.Context) error {
	return r.patiently(ctx, func(w Writer) error {
		left, err := w.CountRenewals(ctx)
		if err != nil {
			return err
		}
		vectors := left.Passages+left.Entities > 0
		if r.report.Resumed = !r.Restart && (r.Texts && left.Texts > 0 || r.Vectors && vectors); r.Restart {
			left, vectors = Renewals{}, false
		}
		if r.Texts && left.Texts == 0 && (!r.Vectors || !vectors) {
			err = w.MarkTexts(ctx)
		}
		if err == nil && r.Vectors && !vectors {
			err = errors.Join(w.MarkPassages(ctx, r.modelID()), w.MarkEntities(ctx))
		}
		return err
	})
}

// patiently runs fn in a write transaction, however long others write.
func (r *renewal) patiently(ctx context.Context, fn func(Writer) error) error {
	for {
		if err := r.write(ctx, fn); !errors.Is(err, ErrBusy) {
			return err
		}
	}
}

// left counts the marks.
func (r *renewal) left(ctx context.Context) (left Renewals, err error) {
	err = r.store.View(ctx, func(reader Reader) error {
		left, err = reader.CountRenewals(ctx)
		return err
	})
	return left, err
}

// countLeft notes in the report what is left to do.
func (r *renewal) countLeft(ctx context.Context) error {
	left, err := r.left(ctx)
	if err != nil {
		return err
	}
	r.report.TextsLeft = left.Texts
	if r.Vectors {
		r.report.EntitiesLeft = left.Entities
		due, _, err := r.due(ctx, r.modelID())
		r.report.PassagesLeft = left.Passages + due
		return err
	}
	return nil
}

// countEntities counts all entities.
func (r *renewal) countEntities(ctx context.Context) (n int, err error) {
	err = r.store.View(ctx, func(reader Reader) error {
		_, n, err = reader.EntityPage(ctx, 0, 0)
		return err
	})
	return n, err
}

func (r *renewal) renewTexts(ctx context.Context) error {
	left, err := r.left(ctx)
	if err != nil {
		return err
	}
	total, err := r.countEntities(ctx)
	if err != nil {
		return err
	}
	made := 0
	for before := max(0, total-left.Texts); ; {
		report(ctx, min(before+made, total), total, "indexing texts")
		var ids []int64
		err := r.patiently(ctx, func(w Writer) (err error) {
			if ids, err = w.TextsToRenew(ctx, renewPage); err != nil || len(ids) == 0 {
				return err
			}
			return w.RenewTexts(ctx, ids)
		})
		if err != nil {
			return fmt.Errorf("indexing texts anew: %w", err)
		}
		if len(ids) == 0 {
			return nil
		}
		made += len(ids)
		r.report.Texts = made
	}
}

// renewPassages embeds the passages that are marked, and those that have no vector.
// Again, as long as others change the memory so that something is left.
func (r *renewal) renewPassages(ctx context.Context) error {
	step := func(n int) {
		r.report.Passages += n
		if left, total, err := r.passagesLeft(ctx); err == nil {
			report(ctx, max(0, total-left), total, "computing vectors")
		}
	}
	for before := -1; ; {
		step(0)
		if err := r.texts.refreshAll(ctx, refreshWait, func(int) {}); err != nil {
			return err
		}
		if err := r.embedEach(ctx, markedQueue, step); err != nil {
			return err
		}
		if err := r.embedEach(ctx, r.dueQueue, step); err != nil {
			return err
		}
		left, _, err := r.passagesLeft(ctx)
		if err != nil {
			return err
		}
		if left == 0 || left == before {
			r.report.Failed += left
			return nil
		}
		before = left
	}
}

// passagesLeft counts the passages that are to be embedded yet, and all.
func (r *renewal) passagesLeft(ctx context.Context) (left, total int, err error) {
	err = r.store.View(ctx, func(reader Reader) error {
		marked, err := reader.CountRenewals(ctx)
		if err != nil {
			return err
		}
		due, _, err := reader.CountPassagesDue(ctx, r.modelID())
		if err != nil {
			return err
		}
		left = marked.Passages + due
		total, err = reader.CountPassages(ctx)
		return err
	})
	return left, total, err
}

// markedQueue lists the passages that are marked.
func markedQueue(ctx context.Context, r Reader, after int64, size int) ([]PassageText, error) {
	return r.PassagesToRenew(ctx, after, size)
}

// renewEntities makes the documented vectors that are marked, or came out of date
// since.
func (r *renewal) renewEntities(ctx context.Context) error {
	total, err := r.countEntities(ctx)
	if err != nil {
		return err
	}
	marked := func(ctx context.Context, reader Reader, after int64) ([]int64, error) {
		return reader.EntitiesToRenew(ctx, after, wholeBatch)
	}
	for _, next := range []listing{marked, r.outOfDate} {
		for after := int64(math.MinInt64); ; {
			batch, err := r.nextWhole(ctx, after, next)
			if err != nil {
				return err
			}
			if len(batch) == 0 {
				break
			}
			after = batch[len(batch)-1].id
			if err := r.renewWhole(ctx, batch); err != nil {
				return err
			}
			if left, err := r.left(ctx); err == nil {
				report(ctx, max(0, total-left.Entities), total, "computing vectors of whole entities")
			}
		}
	}
	return nil
}

// renewWhole makes the documented vectors of some entities.
func (r *renewal) renewWhole(ctx context.Context, batch []source) error {
	rest, err := r.copyWhole(ctx, batch)
	if err != nil {
		return err
	}
	r.report.Entities += len(batch)
	for _, s := range rest {
		switch err := r.embedWhole(ctx, s); {
		case ctx.Err() != nil, errors.Is(err, ErrNoModel), errors.Is(err, ErrBusy):
			return err
		case err != nil:
			r.log.Error("an entity cannot be embedded", "entity", s.id, "error", err)
			r.report.Entities--
			r.report.Failed++
		}
	}
	return nil
}
