package modeltest_test

import (
	"fmt"
	"slices"
	"strings"
)

// shownEntity is an entity in a reply.
type shownEntity struct {
	Name         string   `json:"name"`
	Kind         string   `json:"entityType"`
	Observations []string `json:"observations"`
	Omitted      int      `json:"observationsOmitted,omitempty"`
}

func show(e *entity) shownEntity {
	return shownEntity{Name: e.name, Kind: e.kind, Observations: append([]string{}, e.observations...)}
}

func showAll(list []*entity) []shownEntity {
	shown := []shownEntity{}
	for _, e := range list {
		shown = append(shown, show(e))
	}
	return shown
}

// failed is the reply to a call that fails as a whole.
type failed struct {
	Error string `json:"error"`
}

type (
	entitiesReply struct {
		Entities []shownEntity `json:"entities"`
	}
	entityReply struct {
		Entity shownEntity `json:"entity"`
		Errors []string    `json:"errors,omitempty"`
	}
	addedReply struct {
		Results []added `json:"results"`
	}
	added struct {
		Name  string   `json:"entityName"`
		Added []string `json:"addedObservations"`
	}
	removedReply struct {
		Results []removed `json:"results"`
		Errors  []string  `json:"errors,omitempty"`
	}
	removed struct {
		Name    string   `json:"entityName"`
		Removed []string `json:"deletedObservations"`
	}
	namesReply struct {
		Deleted []string `json:"deleted"`
		Errors  []string `json:"errors,omitempty"`
	}
	linksReply struct {
		Deleted []link   `json:"deleted"`
		Errors  []string `json:"errors,omitempty"`
	}
	connectedReply struct {
		Relations []connected `json:"relations"`
		Errors    []string    `json:"errors,omitempty"`
	}
	connected struct {
		*link
		Error string `json:"error,omitempty"`
	}
	nodesReply struct {
		Entities  []shownEntity `json:"entities"`
		Relations []link        `json:"relations"`
	}
	// pageReply is that of search_nodes, and of read_graph with a number of all
	// relations.
	pageReply struct {
		Entities         []shownEntity `json:"entities"`
		Relations        []link        `json:"relations"`
		RelationsOmitted int           `json:"relationsOmitted,omitempty"`
		Total            int           `json:"total"`
		TotalRelations   *int          `json:"totalRelations,omitempty"`
		NextOffset       int           `json:"nextOffset,omitempty"`
	}
	importReply struct {
		Entities  int       `json:"entities_imported"`
		Relations int       `json:"relations_imported"`
		Errors    int       `json:"errors"`
		Skipped   int       `json:"skipped"`
		Problems  []problem `json:"problems"`
	}
	problem struct {
		Line   int    `json:"line"`
		Reason string `json:"reason"`
	}
)

func notFound(name string) string { return "Entity not found: " + name }

// notObserved reports, each once, what was not there to remove.
func notObserved(contents, removed []string) (errors []string) {
	for _, c := range distinct(contents) {
		if slices.Contains(removed, c) {
			continue
		}
		if shown := []rune(c); len(shown) > 200 {
			c = string(shown[:199]) + "…"
		}
		errors = append(errors, "Observation not found: "+c)
	}
	return errors
}

// The tools, each as a change of the graph that returns the reply.

func (g *graph) createEntities(items []item) any { return entitiesReply{g.create(items)} }

func (g *graph) addObservations(s facts) any {
	e := g.find(s.name)
	if e == nil {
		return failed{notFound(s.name)}
	}
	g.add(e, s.contents)
	e.accesses++
	return entityReply{Entity: show(e)}
}

func (g *graph) addToMany(sets []facts) any {
	if name, missing := g.unknown(sets); missing {
		return failed{notFound(name)}
	}
	reply := addedReply{[]added{}}
	for _, s := range sets {
		e := g.find(s.name)
		e.accesses++
		reply.Results = append(reply.Results, added{e.name, g.add(e, s.contents)})
	}
	return reply
}

func (g *graph) deleteObservations(s facts) any {
	e := g.find(s.name)
	if e == nil {
		return failed{notFound(s.name)}
	}
	gone := g.remove(e, s.contents)
	return entityReply{show(e), notObserved(s.contents, gone)}
}

func (g *graph) deleteFromMany(sets []facts) any {
	if name, missing := g.unknown(sets); missing {
		return failed{notFound(name)}
	}
	reply := removedReply{Results: []removed{}}
	for _, s := range sets {
		e := g.find(s.name)
		gone := g.remove(e, s.contents)
		reply.Results = append(reply.Results, removed{e.name, gone})
		reply.Errors = append(reply.Errors, notObserved(s.contents, gone)...)
	}
	return reply
}

func (g *graph) deleteEntities(names []string) any {
	reply := namesReply{Deleted: []string{}}
	for _, name := range names {
		if e := g.find(name); e != nil {
			g.forget(e)
			reply.Deleted = append(reply.Deleted, name)
		} else {
			reply.Errors = append(reply.Errors, notFound(name))
		}
	}
	return reply
}

func (g *graph) createRelations(links []link) any {
	reply := connectedReply{Relations: []connected{}}
	for _, l := range links {
		missing, from, to := "", g.find(l.From), g.find(l.To)
		switch {
		case from == nil:
			missing = notFound(l.From)
		case to == nil:
			missing = notFound(l.To)
		case g.connect(relation{from, to, l.Kind}):
			reply.Relations = append(reply.Relations, connected{link: &l})
			continue
		default:
			reply.Relations = append(reply.Relations, connected{&l, "Relation already exists"})
			continue
		}
		reply.Relations = append(reply.Relations, connected{Error: missing})
		reply.Errors = append(reply.Errors, missing)
	}
	if len(links) > 0 && len(reply.Errors) == len(links) {
		return failed{strings.Join(distinct(reply.Errors), "; ")}
	}
	return reply
}

func (g *graph) deleteRelations(links []link) any {
	reply := linksReply{Deleted: []link{}}
	for _, l := range links {
		from, to := g.find(l.From), g.find(l.To)
		switch {
		case from == nil || to == nil:
			reply.Errors = append(reply.Errors, notFound(l.From+" or "+l.To))
		case g.disconnect(relation{from, to, l.Kind}):
			reply.Deleted = append(reply.Deleted, l)
		default:
			reply.Errors = append(reply.Errors, fmt.Sprintf("Relation not found: %s -> %s (%s)", l.From, l.To, l.Kind))
		}
	}
	return reply
}

func (g *graph) openNodes(names []string) any {
	list := g.named(names)
	g.use(list)
	return nodesReply{showAll(list), g.touching(list)}
}

func (g *graph) readGraph(limit, offset int) pageReply {
	start := min(offset, len(g.entities))
	end := min(start+limit, len(g.entities))
	n := len(g.relations)
	return pageReply{
		Entities: showAll(g.entities[start:end]), Relations: g.completing(start, end),
		Total: len(g.entities), TotalRelations: &n, NextOffset: nextOffset(start, end, len(g.entities)),
	}
}

func nextOffset(start, end, total int) int {
	if end < total && end > start {
		return end
	}
	return 0
}

// distinct returns each value once, in order.
func distinct[T comparable](values []T) []T {
	var list []T
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
