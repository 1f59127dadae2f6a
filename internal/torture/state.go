package torture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// state is what a memory holds.
type state struct {
	entities  map[string]entity // by name
	relations map[relation]bool
}

type entity struct {
	Type         string   `json:"entityType"`
	Observations []string `json:"observations"`
}

type relation struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"relationType"`
}

func newState() state {
	return state{entities: map[string]entity{}, relations: map[relation]bool{}}
}

// clone copies a state. Lists of observations are never changed, but replaced.
func (s state) clone() state {
	return state{entities: maps.Clone(s.entities), relations: maps.Clone(s.relations)}
}

// size counts what can be compared: entities, observations and relations.
func (s state) size() (n int) {
	for _, e := range s.entities {
		n += 1 + len(e.Observations)
	}
	return n + len(s.relations)
}

// of is the part of a state whose names begin with prefix.
func (s state) of(prefix string) state {
	part := newState()
	for name, e := range s.entities {
		if strings.HasPrefix(name, prefix) {
			part.entities[name] = e
		}
	}
	for r := range s.relations {
		if strings.HasPrefix(r.From, prefix) {
			part.relations[r] = true
		}
	}
	return part
}

// create is what create_entities does with one entity.
func (s state) create(name string, kind *string, observations []string) {
	e, exists := s.entities[name]
	if !exists {
		e.Type = "Generic"
	}
	if kind != nil {
		e.Type = *kind
	}
	e.Observations = with(e.Observations, observations)
	s.entities[name] = e
}

// add is what add_observations does.
func (s state) add(name string, observations []string) {
	e := s.entities[name]
	e.Observations = with(e.Observations, observations)
	s.entities[name] = e
}

// with appends what a list does not have yet.
func with(list, more []string) []string {
	list = slices.Clone(list)
	for _, o := range more {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// forget is what delete_observations does.
func (s state) forget(name string, observations []string) {
	e, exists := s.entities[name]
	if !exists {
		return
	}
	e.Observations = slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return slices.Contains(observations, o) })
	s.entities[name] = e
}

// relate is what create_relations does with one relation.
func (s state) relate(r relation) {
	_, from := s.entities[r.From]
	_, to := s.entities[r.To]
	if from && to {
		s.relations[r] = true
	}
}

// remove is what delete_entities does with one name.
func (s state) remove(name string) {
	delete(s.entities, name)
	maps.DeleteFunc(s.relations, func(r relation, _ bool) bool { return r.From == name || r.To == name })
}

// shownDifferences is how many of them an error lists.
const shownDifferences = 8

// differences lists what tells a memory from what it should be; none if they
// are the same.
func differences(want, got state) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(want.entities)) {
		w := want.entities[name]
		g, there := got.entities[name]
		switch {
		case !there:
			list = append(list, fmt.Sprintf("lost: entity %q", name))
		case g.Type != w.Type:
			list = append(list, fmt.Sprintf("entity %q has type %q, want %q", name, g.Type, w.Type))
		case !slices.Equal(g.Observations, w.Observations):
			list = append(list, fmt.Sprintf("entity %q has observations %.60q, want %.60q", name, g.Observations, w.Observations))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got.entities)) {
		if _, wanted := want.entities[name]; !wanted {
			list = append(list, fmt.Sprintf("surplus: entity %q", name))
		}
	}
	for r := range want.relations {
		if !got.relations[r] {
			list = append(list, fmt.Sprintf("lost: relation %v", r))
		}
	}
	for r := range got.relations {
		if !want.relations[r] {
			list = append(list, fmt.Sprintf("surplus: relation %v", r))
		}
	}
	return list
}

// same returns an error that tells how a memory differs from what it should be.
func same(what string, want, got state) error {
	list := differences(want, got)
	if len(list) == 0 {
		return nil
	}
	more := ""
	if len(list) > shownDifferences {
		more = fmt.Sprintf("\n  and %d more", len(list)-shownDifferences)
		list = list[:shownDifferences]
	}
	return fmt.Errorf("%s:\n  %s%s", what, strings.Join(list, "\n  "), more)
}
