package torture

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// operation is a call that writes, and what it does to a state.
type operation struct {
	tool      string
	arguments any
	apply     func(state)
}

// author makes up work for one client, whose names no other client has. What
// it asks for always succeeds, given that all of its earlier work does.
type author struct {
	prefix string // of all names
	random *rand.Rand
	ahead  state // when everything is done that was asked for
	count  int   // of things named so far
}

func newAuthor(prefix string, random *rand.Rand) *author {
	return &author{prefix: prefix, random: random, ahead: newState()}
}

// comfortable is how many entities an author likes to have; beyond, more are deleted.
const comfortable = 60

// next makes up an operation and takes it as done.
func (a *author) next() operation {
	op := a.choose()
	op.apply(a.ahead)
	return op
}

func (a *author) choose() operation {
	if len(a.ahead.entities) < 3 {
		return a.create()
	}
	deleting := 6
	if len(a.ahead.entities) > comfortable {
		deleting = 30
	}
	switch n := a.random.IntN(70 + deleting); {
	case n < 25:
		return a.create()
	case n < 45:
		return a.add()
	case n < 60:
		return a.relate()
	case n < 65:
		return a.unrelate()
	case n < 70:
		return a.forget()
	default:
		return a.remove()
	}
}

// newEntity is an entity as create_entities takes it.
type newEntity struct {
	Name         string   `json:"name"`
	Type         *string  `json:"entityType,omitempty"`
	Observations []string `json:"observations"`
}

// create makes a few entities, some of them of names that exist.
func (a *author) create() operation {
	list := make([]newEntity, 1+a.random.IntN(3))
	for i := range list {
		list[i] = newEntity{Name: a.name(), Observations: a.texts(a.random.IntN(4))}
		if a.random.IntN(4) > 0 {
			list[i].Type = new([]string{"Person", "Проект", "日記"}[a.random.IntN(3)])
		}
		if len(a.ahead.entities) > 0 && a.random.IntN(4) == 0 {
			list[i].Name = a.known()
		}
	}
	return operation{"create_entities", map[string]any{"entities": list}, func(s state) {
		for _, e := range list {
			s.create(e.Name, e.Type, e.Observations)
		}
	}}
}

// add adds observations to one entity or, in the official form, to several.
func (a *author) add() operation {
	if a.random.IntN(2) == 0 {
		name, texts := a.known(), a.texts(1+a.random.IntN(3))
		return operation{"add_observations", map[string]any{"name": name, "observations": texts}, func(s state) {
			s.add(name, texts)
		}}
	}
	type set struct {
		EntityName string   `json:"entityName"`
		Contents   []string `json:"contents"`
	}
	sets := []set{{a.known(), a.texts(1)}, {a.known(), a.texts(2)}}
	return operation{"add_observations", map[string]any{"observations": sets}, func(s state) {
		for _, one := range sets {
			s.add(one.EntityName, one.Contents)
		}
	}}
}

// forget deletes some observations of an entity.
func (a *author) forget() operation {
	name := a.known()
	texts := []string{"what nobody has said"}
	for _, o := range a.ahead.entities[name].Observations {
		if a.random.IntN(2) == 0 {
			texts = append(texts, o)
		}
	}
	return operation{"delete_observations", map[string]any{"name": name, "observations": texts}, func(s state) {
		s.forget(name, texts)
	}}
}

// relate relates entities; the second relation may lack an end.
func (a *author) relate() operation {
	list := []relation{{a.known(), a.known(), "knows"}, {a.known(), a.prefix + "nobody", "misses"}}
	list = list[:1+a.random.IntN(2)]
	return operation{"create_relations", map[string]any{"relations": list}, func(s state) {
		for _, r := range list {
			s.relate(r)
		}
	}}
}

// unrelate deletes a relation, if there is one, and one that is not there.
func (a *author) unrelate() operation {
	list := []relation{{a.known(), a.known(), "never met"}}
	for _, r := range sortedRelations(a.ahead) {
		if a.random.IntN(4) == 0 {
			list = append(list, r)
			break
		}
	}
	return operation{"delete_relations", map[string]any{"relations": list}, func(s state) {
		for _, r := range list {
			delete(s.relations, r)
		}
	}}
}

// remove deletes entities, and one that is not there.
func (a *author) remove() operation {
	names := []string{a.known(), a.prefix + "nobody"}
	if len(a.ahead.entities) > comfortable {
		names = append(names, a.known(), a.known())
	}
	return operation{"delete_entities", map[string]any{"entityNames": names}, func(s state) {
		for _, name := range names {
			s.remove(name)
		}
	}}
}

// name makes up a name.
func (a *author) name() string {
	a.count++
	return fmt.Sprintf("%s%s %d", a.prefix, []string{"note", "Ærø", "笔记"}[a.random.IntN(3)], a.count)
}

// known is the name of an entity that exists.
func (a *author) known() string {
	names := slices.Sorted(maps.Keys(a.ahead.entities))
	return names[a.random.IntN(len(names))]
}

// words are what observations are made of, besides a mark of their own.
var words = strings.Fields("the harbour opens at seven über l'été канал мост 東京の天気 %like_ \"quoted\" NEAR( 🚲 café")

// texts makes up observations that nothing else says.
func (a *author) texts(n int) []string {
	list := make([]string, n)
	for i := range list {
		a.count++
		text := []string{a.mark(a.count)}
		length := 2 + a.random.IntN(12)
		if a.random.IntN(20) == 0 {
			length = 600
		}
		for range length {
			text = append(text, words[a.random.IntN(len(words))])
		}
		list[i] = strings.Join(text, " ")
	}
	return list
}

// mark is a word that begins one observation and is found nowhere else.
func (a *author) mark(n int) string {
	return fmt.Sprintf("zq%sx%dqz", strings.Trim(a.prefix, "/"), n)
}

func sortedRelations(s state) []relation {
	return slices.SortedFunc(maps.Keys(s.relations), func(a, b relation) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}
