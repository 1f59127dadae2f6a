package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcp-memory/internal/memory"
)

func count(t *testing.T, s memory.Store) (total int) {
	t.Helper()
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		var err error
		_, total, err = r.EntityPage(ctx, 1, 0)
		return err
	})
	return total
}

func testRollback(t *testing.T, s memory.Store) {
	failure := errors.New("failure")
	err := s.Update(t.Context(), func(w memory.Writer) error {
		if _, err := addTo(t.Context(), w, "Alfa", "uno"); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("Update returned %v", err)
	}
	if err := s.View(t.Context(), func(memory.Reader) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("View returned %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_ = s.Update(t.Context(), func(w memory.Writer) error {
			if _, err := addTo(t.Context(), w, "Bravo"); err != nil {
				return err
			}
			panic("at the disco")
		})
	}()
	equal(t, "entities after two undone transactions", count(t, s), 0)
	add(t, s, "Alfa", "uno")
	equal(t, "entities after one that was not", count(t, s), 1)
}

func testOwnChanges(t *testing.T, s memory.Store) {
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		id, err := addTo(ctx, w, "Alfa", "boya")
		if err != nil {
			return err
		}
		if err := embedDue(ctx, w, "m", direction(0)); err != nil {
			return err
		}
		matches, err := w.MatchAny(ctx, memory.Passages, variantsOf("boya"), memory.Filter{}, 10)
		if err != nil {
			return err
		}
		equal(t, "words", matchedIDs(matches), []int64{id})
		nearest, err := w.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 10)
		if err != nil {
			return err
		}
		equal(t, "vectors", entitiesOf(nearest), []int64{id})
		ids, total, err := w.Containing(ctx, "oya", 10, 0)
		equal(t, "substrings", ids, []int64{id})
		equal(t, "total", total, 1)
		return err
	})
}

func testSnapshot(t *testing.T, s memory.Store) {
	add(t, s, "Alfa")
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		for i := range 2 {
			_, total, err := r.EntityPage(ctx, 1, 0)
			if err != nil {
				return err
			}
			equal(t, "entities in the snapshot", total, 1)
			if i == 0 {
				add(t, s, "Bravo")
			}
		}
		return nil
	})
	equal(t, "entities after it", count(t, s), 2)
}

// whileWriting runs fn while an Update is under way.
func whileWriting(t *testing.T, s memory.Store, fn func()) {
	t.Helper()
	started, finish, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Update(t.Context(), func(w memory.Writer) error {
			close(started)
			<-finish
			_, err := addTo(t.Context(), w, "Slow")
			return err
		})
	}()
	select {
	case <-started:
		fn()
	case err := <-done:
		t.Fatalf("the writer ended early: %v", err)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Errorf("the writer: %v", err)
	}
}

func testBusy(t *testing.T, s memory.Store) {
	whileWriting(t, s, func() {
		for _, wait := range []time.Duration{0, time.Millisecond} {
			err := s.TryUpdate(t.Context(), wait, func(memory.Writer) error {
				t.Error("two writers at once")
				return nil
			})
			if !errors.Is(err, memory.ErrBusy) {
				t.Errorf("TryUpdate returned %v", err)
			}
		}
		equal(t, "entities that a reader sees meanwhile", count(t, s), 0)
	})
	err := s.TryUpdate(t.Context(), 0, func(w memory.Writer) error {
		_, err := addTo(t.Context(), w, "Quick")
		return err
	})
	if err != nil {
		t.Errorf("TryUpdate with nobody in the way: %v", err)
	}
	equal(t, "entities", count(t, s), 2)
}

func testCancellation(t *testing.T, s memory.Store) {
	whileWriting(t, s, func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.Update(ctx, func(memory.Writer) error {
			t.Error("a cancelled writer ran")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Update returned %v", err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Update(ctx, func(w memory.Writer) error {
		if _, err := w.InsertEntity(ctx, "Half", "Note"); err != nil {
			return err
		}
		cancel()
		_, err := addTo(ctx, w, "Other half")
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update cancelled half-way returned %v", err)
	}
	equal(t, "entities", count(t, s), 1)
	add(t, s, "Afterwards")
}

// testLateCancellation has writes undone that nobody wants any more when all of
// them is written, and stored those that somebody does.
func testLateCancellation(t *testing.T, s memory.Store) {
	for _, late := range []struct {
		cancelled, consent bool
		stored             int
	}{
		{cancelled: true, consent: true},
		{cancelled: false, consent: false},
		{cancelled: false, consent: true, stored: 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		written := false
		ctx = memory.WithConsent(ctx, func() bool {
			if !written {
				t.Error("asked before all was written")
			}
			return late.consent
		})
		before := count(t, s)
		err := s.Update(ctx, func(w memory.Writer) error {
			_, err := addTo(ctx, w, fmt.Sprint(late))
			if written = true; late.cancelled {
				cancel()
			}
			return err
		})
		cancel()
		if (err == nil) != (late.stored == 1) || late.cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: Update returned %v", late, err)
		}
		equal(t, "entities", count(t, s), before+late.stored)
	}
}

func testConcurrency(t *testing.T, s memory.Store) {
	const workers, rounds = 8, 10
	ctx := t.Context()
	work := func(worker int) error {
		for round := range rounds {
			name := fmt.Sprintf("%d.%d", worker, round)
			err := s.Update(ctx, func(w memory.Writer) error {
				id, err := addTo(ctx, w, name, "shared word")
				if err != nil {
					return err
				}
				return embedDue(ctx, w, "m", direction(float64(id)))
			})
			if err != nil {
				return err
			}
			err = s.View(ctx, func(r memory.Reader) error {
				ids, total, err := r.Containing(ctx, "shared word", 1000, 0)
				if err != nil {
					return err
				}
				matches, err := r.MatchAny(ctx, memory.Entities, variantsOf("shared"), memory.Filter{}, 1000)
				if err != nil {
					return err
				}
				nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 1000)
				if err == nil && (len(ids) != total || len(matches) != total || len(nearest) != total) {
					err = fmt.Errorf("%d by substring of %d, %d by word, %d by vector", len(ids), total, len(matches), len(nearest))
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			if err := work(worker); err != nil {
				t.Errorf("worker %d: %v", worker, err)
			}
		})
	}
	group.Wait()
	equal(t, "entities", count(t, s), workers*rounds)
}

// testTryView nests snapshots until there is no more to be had.
func testTryView(t *testing.T, s memory.Store) {
	add(t, s, "Alfa")
	const plenty = 1_000
	depth := 0
	var nest func(memory.Reader) error
	nest = func(r memory.Reader) error {
		_, total, err := r.EntityPage(t.Context(), 1, 0)
		equal(t, "entities", total, 1)
		if depth++; err != nil || depth == plenty {
			return err
		}
		return s.TryView(t.Context(), nest)
	}
	if err := s.View(t.Context(), nest); !errors.Is(err, memory.ErrBusy) {
		t.Errorf("snapshot %d inside others: %v, want ErrBusy", depth+1, err)
	}
	if err := s.TryView(t.Context(), func(memory.Reader) error { return nil }); err != nil {
		t.Errorf("TryView with nobody in the way: %v", err)
	}
}
