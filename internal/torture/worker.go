package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// worker is a client that writes and reads without pause, and knows what it has
// been promised.
type worker struct {
	*author
	setup  setup
	server *server

	settled state           // all that had been acknowledged when we looked last
	sent    []sentOperation // since
	stopped atomic.Bool

	acknowledged, reads, partial int // counters
}

// sentOperation is an operation that was sent.
type sentOperation struct {
	operation
	reply        <-chan answer
	acknowledged bool
}

func newWorker(a *author, s setup) *worker {
	return &worker{author: a, setup: s, settled: newState()}
}

// write sends operations, up to that many of them unanswered, until it is
// stopped, the server is gone, or n are sent. It fails if a call does.
func (w *worker) write(ctx context.Context, n, window int) error {
	open := 0
	for i := 0; i < n && !w.stopped.Load(); i++ {
		op := w.next()
		w.sent = append(w.sent, sentOperation{operation: op, reply: w.server.send(op.tool, op.arguments)})
		if open++; open < window {
			continue
		}
		if ok, err := w.take(ctx, len(w.sent)-open); !ok {
			return err
		}
		open--
	}
	for ; open > 0; open-- {
		if _, err := w.take(ctx, len(w.sent)-open); err != nil {
			return err
		}
	}
	return nil
}

// take waits for an answer. It reports false if the server is gone.
func (w *worker) take(ctx context.Context, i int) (ok bool, err error) {
	_, err = await(ctx, w.sent[i].reply)
	if errors.Is(err, errGone) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("an error reached a client: %w%s", err, w.server.said())
	}
	w.sent[i].acknowledged = true
	w.acknowledged++
	return true, nil
}

// settle compares what is stored with what was acknowledged. An operation that
// had no answer may be there whole, together with all before it, or not at all.
func (w *worker) settle(stored state) error {
	for i := range w.sent { // answers that came while nobody waited
		select {
		case a := <-w.sent[i].reply:
			if a.err == nil {
				w.sent[i].acknowledged = true
				w.acknowledged++
			}
		default:
		}
	}
	last := -1
	for i, op := range w.sent {
		if op.acknowledged {
			last = i
		}
	}
	got, want := stored.of(w.prefix), w.settled.clone()
	for _, op := range w.sent[:last+1] {
		op.apply(want)
	}
	acknowledged := want.clone()
	for i := last + 1; ; i++ {
		if len(differences(want, got)) == 0 {
			w.partial += i - last - 1
			w.settled, w.ahead, w.sent = want, want.clone(), nil
			return nil
		}
		if i >= len(w.sent) {
			break
		}
		w.sent[i].apply(want)
	}
	return same(fmt.Sprintf("%s: what is stored is not what was acknowledged, nor with some of the %d calls that had no answer",
		w.prefix, len(w.sent)-last-1), acknowledged, got)
}

// pick picks an entity that must be there.
func (w *worker) pick() (name string, e entity, ok bool) {
	names := slices.Sorted(maps.Keys(w.ahead.entities))
	if len(names) == 0 {
		return "", entity{}, false
	}
	name = names[w.random.IntN(len(names))]
	return name, w.ahead.entities[name], true
}

// opened is an entity as replies show it.
type opened struct {
	Name string `json:"name"`
	entity
}

type found struct {
	Entities  []opened   `json:"entities"`
	Relations []relation `json:"relations"`
	Results   []opened   `json:"results"`
}

// ask calls a tool that reads and decodes what it finds.
func (w *worker) ask(ctx context.Context, tool string, arguments any) (f found, took time.Duration, err error) {
	began := time.Now()
	raw, err := w.server.call(ctx, tool, arguments)
	took = time.Since(began)
	if err != nil {
		return f, took, err
	}
	w.reads++
	return f, took, json.Unmarshal(raw, &f)
}

// openOne opens an entity by its name, which must be as it was acknowledged.
func (w *worker) openOne(ctx context.Context) (time.Duration, error) {
	name, want, ok := w.pick()
	if !ok {
		return 0, nil
	}
	f, took, err := w.ask(ctx, "open_nodes", map[string]any{"names": []string{name}})
	if err != nil {
		return took, err
	}
	got, expected := newState(), newState()
	for _, e := range f.Entities {
		if _, twice := got.entities[e.Name]; twice {
			return took, fmt.Errorf("open_nodes shows %q twice", e.Name)
		}
		got.entities[e.Name] = e.entity
	}
	for _, r := range f.Relations {
		got.relations[r] = true
	}
	expected.entities[name] = want
	for r := range w.ahead.relations {
		if r.From == name || r.To == name {
			expected.relations[r] = true
		}
	}
	return took, same("open_nodes", expected, got)
}

// searchOne searches for the first word of an observation, which is unique, and
// must find its entity and no other.
func (w *worker) searchOne(ctx context.Context) (time.Duration, error) {
	name, e, ok := w.pick()
	if !ok || len(e.Observations) == 0 {
		return 0, nil
	}
	mark, _, _ := strings.Cut(e.Observations[w.random.IntN(len(e.Observations))], " ")
	f, took, err := w.ask(ctx, "search_nodes", map[string]any{"query": mark})
	if err != nil {
		return took, err
	}
	if len(f.Entities) != 1 || f.Entities[0].Name != name {
		return took, fmt.Errorf("search_nodes for %s finds %d entities, want only %q", mark, len(f.Entities), name)
	}
	return took, nil
}

// searchMeaning asks for an entity by its name, which then comes first.
func (w *worker) searchMeaning(ctx context.Context) error {
	name, _, ok := w.pick()
	if !ok {
		return nil
	}
	f, _, err := w.ask(ctx, "search_semantic", map[string]any{"query": name, "limit": 3})
	if err != nil {
		return err
	}
	if len(f.Results) == 0 || f.Results[0].Name != name {
		return fmt.Errorf("search_semantic for the name %q doesn't find it first: %.300q", name, fmt.Sprint(f.Results))
	}
	return nil
}
