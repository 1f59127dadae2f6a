package memory

import (
	"context"
	"encoding/binary"
	"hash/maphash"
)

// Commits returns a number that is another one after anybody, in this process or
// another, has changed the database.
func (s *Service) Commits(ctx context.Context) (int64, error) { return s.store.Commits(ctx) }

// State is a fingerprint: what is the same has the same within this process. Its
// zero value is that of nothing.
type State uint64

var stateSeed = maphash.MakeSeed()

// EntityStates returns for each name the state of what OpenNodes shows of its
// entity, all of one moment.
func (s *Service) EntityStates(ctx context.Context, names []string) (states []State, err error) {
	states = make([]State, len(names))
	if len(names) == 0 {
		return states, nil
	}
	err = s.store.View(ctx, func(r Reader) error {
		known, err := resolve(ctx, r, names)
		if err != nil {
			return err
		}
		for i, name := range names { // one by one: each may be large
			id, ok := known.id(name)
			if !ok {
				continue
			}
			graph, err := graphOf(ctx, r, []int64{id})
			if err != nil {
				return err
			}
			states[i] = stateOf(graph)
		}
		return nil
	})
	return states, err
}

// GraphState returns the state of the graph as a whole. Of changes by other
// programs than this one it may miss a second one within a second.
func (s *Service) GraphState(ctx context.Context) (state State, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		text, err := r.GraphState(ctx)
		state = State(maphash.String(stateSeed, text))
		return err
	})
	return state, err
}

func stateOf(g Graph) State {
	var h maphash.Hash
	h.SetSeed(stateSeed)
	write := func(texts ...string) {
		for _, text := range texts {
			var length [8]byte
			binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
			h.Write(length[:])
			h.WriteString(text)
		}
	}
	for _, e := range g.Entities {
		write(e.Name, e.Type)
		write(e.Observations...)
	}
	write("") // which no name is
	for _, r := range g.Relations {
		write(r.From, r.Type, r.To)
	}
	return State(h.Sum64())
}
