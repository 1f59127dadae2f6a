package modeltest_test

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// graph is the memory as its documents describe it. Entities and relations are
// in the order in which they came.
type graph struct {
	entities  []*entity
	relations []relation
	together  map[[2]*entity]int // how often two were used together, the older first
	effects   int                // entities, types, observations and relations that came, changed or went
}

type entity struct {
	name, kind   string
	observations []string
	accesses     int

	// Since the times of what is stored were set back:
	made, touched bool
	noted         map[string]bool // observations
}

type relation struct {
	from, to *entity
	kind     string
}

// item is an entity to create; a nil kind is left out.
type item struct {
	name         string
	kind         *string
	observations []string
}

// link is a relation by the names of its ends.
type link struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"relationType"`
}

// facts are observations to add to an entity or to delete from it.
type facts struct {
	name     string
	contents []string
}

func newGraph() *graph { return &graph{together: map[[2]*entity]int{}} }

// canonical is the form in which names are stored.
func canonical(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }

func (g *graph) find(name string) *entity {
	name = canonical(name)
	for _, e := range g.entities {
		if e.name == name {
			return e
		}
	}
	return nil
}

// create merges entities and returns each as it is right after that.
func (g *graph) create(items []item) []shownEntity {
	shown := []shownEntity{}
	for _, it := range items {
		e := g.merge(it)
		if e.accesses == 0 {
			e.accesses = 1
		}
		shown = append(shown, show(e))
	}
	return shown
}

func (g *graph) merge(it item) *entity {
	typed := it.kind != nil && strings.TrimSpace(*it.kind) != ""
	e := g.find(it.name)
	if e == nil {
		e = &entity{name: canonical(it.name), kind: "Generic", made: true, noted: map[string]bool{}}
		g.entities = append(g.entities, e)
		g.effects++
	}
	if typed && e.kind != *it.kind {
		e.kind = *it.kind
		g.effects++
	}
	e.touched = true // even if it brings nothing new
	g.add(e, it.observations)
	return e
}

// add returns the contents that the entity did not have.
func (g *graph) add(e *entity, contents []string) []string {
	added := []string{}
	for _, c := range contents {
		if !slices.Contains(e.observations, c) {
			e.observations = append(e.observations, c)
			e.touched, e.noted[c] = true, true
			added = append(added, c)
		}
	}
	g.effects += len(added)
	return added
}

// remove returns the contents that the entity had.
func (g *graph) remove(e *entity, contents []string) []string {
	removed := []string{}
	for _, c := range contents {
		if i := slices.Index(e.observations, c); i >= 0 {
			e.observations = slices.Delete(e.observations, i, i+1)
			e.touched = true
			delete(e.noted, c)
			removed = append(removed, c)
		}
	}
	g.effects += len(removed)
	return removed
}

// unknown returns the first name that no entity has.
func (g *graph) unknown(sets []facts) (name string, found bool) {
	for _, s := range sets {
		if g.find(s.name) == nil {
			return s.name, true
		}
	}
	return "", false
}

// use notes that entities were returned together.
func (g *graph) use(used []*entity) {
	for i, e := range used {
		e.accesses++
		for _, other := range used[:i] {
			pair := [2]*entity{e, other}
			if slices.Index(g.entities, other) < slices.Index(g.entities, e) {
				pair = [2]*entity{other, e}
			}
			g.together[pair]++
		}
	}
}

// named returns the entities of these names, each once.
func (g *graph) named(names []string) []*entity {
	var list []*entity
	for _, name := range names {
		if e := g.find(name); e != nil && !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// forget deletes an entity with all that belongs to it.
func (g *graph) forget(e *entity) {
	g.effects++
	g.entities = slices.DeleteFunc(g.entities, func(other *entity) bool { return other == e })
	g.relations = slices.DeleteFunc(g.relations, func(r relation) bool { return r.from == e || r.to == e })
	for pair := range g.together {
		if pair[0] == e || pair[1] == e {
			delete(g.together, pair)
		}
	}
}

// connect reports whether the relation is new.
func (g *graph) connect(r relation) bool {
	if slices.Contains(g.relations, r) {
		return false
	}
	g.relations = append(g.relations, r)
	g.effects++
	return true
}

// disconnect reports whether the relation was there.
func (g *graph) disconnect(r relation) bool {
	i := slices.Index(g.relations, r)
	if i >= 0 {
		g.relations = slices.Delete(g.relations, i, i+1)
		g.effects++
	}
	return i >= 0
}

// touching lists the relations from or to any of these.
func (g *graph) touching(list []*entity) []link {
	links := []link{}
	for _, r := range g.relations {
		if slices.Contains(list, r.from) || slices.Contains(list, r.to) {
			links = append(links, r.link())
		}
	}
	return links
}

// completing lists the relations of which the later end is one of the entities
// from start to end.
func (g *graph) completing(start, end int) []link {
	links := []link{}
	for _, r := range g.relations {
		later := max(slices.Index(g.entities, r.from), slices.Index(g.entities, r.to))
		if start <= later && later < end {
			links = append(links, r.link())
		}
	}
	return links
}

func (r relation) link() link { return link{r.from.name, r.to.name, r.kind} }
