package memory

import (
	"context"
	"errors"
	"runtime"

	"mcp-memory/internal/fold"
)

// worded is what the words of a question find.
type worded struct {
	entities int       // in the memory
	texts    textHits  // all that is known of words
	found    []textHit // the best of them
	exact    []int64   // entities whose name is the question
}

// findWords looks for a question's words in one snapshot.
func (s semanticSearch) findWords(ctx context.Context, r Reader, f Filter) (w worded, err error) {
	if w.texts, w.entities, err = matchWords(ctx, r, s.words, f, s.ranking, max(textDepth, s.depth()), affordable); err != nil {
		return w, err
	}
	w.found = w.texts.best(s.ranking, s.depth())
	w.exact, err = s.named(ctx, r, f)
	return w, err
}

// wordSearch returns what a search for words has found or finds now.
type wordSearch func(context.Context, Reader, Filter) (worded, error)

// manyEntities are so many that to look for words takes long: in 100,000, 13 ms,
// and 38 on a connection that has none of the pages that it needs.
const manyEntities = 20_000

// early begins to look for the words while the model computes the question's
// vector, where that is worth while; else it returns nil. The model keeps two
// processors busy alone: words that are found in a millisecond or two would hold
// it up by more than that.
func (s semanticSearch) early(ctx context.Context) wordSearch {
	if runtime.GOMAXPROCS(0) <= 2 && s.entities.Load() < manyEntities {
		return nil
	}
	return s.atOnce(ctx, func(ctx context.Context, r Reader) (worded, error) {
		f, possible, err := filterOf(ctx, r, s.Question)
		if err != nil || !possible {
			return worded{}, err
		}
		return s.findWords(ctx, r, f)
	})
}

// beside begins to look for the words while the caller looks for something else.
func (s semanticSearch) beside(ctx context.Context, f Filter) wordSearch {
	if runtime.GOMAXPROCS(0) == 1 {
		return s.findWords
	}
	return s.atOnce(ctx, func(ctx context.Context, r Reader) (worded, error) { return s.findWords(ctx, r, f) })
}

// atOnce looks for words in a snapshot of its own, which may be another one than
// the search's, or if none can be had, in the search's when it asks for them.
func (s semanticSearch) atOnce(ctx context.Context, find func(context.Context, Reader) (worded, error)) wordSearch {
	var (
		w    worded
		err  error
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		err = safely(func() error {
			return s.store.TryView(ctx, func(r Reader) (err error) {
				w, err = find(context.WithoutCancel(ctx), r)
				return err
			})
		})
	}()
	return func(ctx context.Context, r Reader, f Filter) (worded, error) {
		<-done
		if errors.Is(err, ErrBusy) {
			return s.findWords(ctx, r, f)
		}
		return w, err
	}
}

// named finds the entities whose name is the query: to the letter, or but for
// case and accents.
func (s semanticSearch) named(ctx context.Context, r Reader, f Filter) ([]int64, error) {
	known, err := resolve(ctx, r, []string{s.Query})
	if err != nil {
		return nil, err
	}
	var ids []int64
	if id, ok := known.id(s.Query); ok {
		ids = append(ids, id)
	} else if ids, err = r.Named(ctx, fold.Text(CanonicalName(s.Query))); err != nil {
		return nil, err
	}
	entities, err := r.EntityHeads(ctx, ids)
	if err != nil {
		return nil, err
	}
	var exact []int64
	for _, e := range entities {
		if f.passes(e) {
			exact = append(exact, e.ID)
		}
	}
	return exact, nil
}
