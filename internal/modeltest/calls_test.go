package modeltest_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// step is a call and what its answer must be.
type step struct {
	call
	check   func(text string) error // of an answer that is no error; nil if there must be one
	err     func(text string) error // of one that is
	effects int                     // changes of the model
}

// expecting is a step that is answered with exactly this.
func expecting(c call, want any) step {
	text := encode(want)
	same := func(got string) error {
		if got != text {
			return fmt.Errorf("answered %s\nwant     %s", shorten(got), shorten(text))
		}
		return nil
	}
	if _, fails := want.(failed); fails {
		return step{call: c, err: same}
	}
	return step{call: c, check: same}
}

func shorten(s string) string {
	if len(s) > 3000 {
		return fmt.Sprintf("%s… (%d bytes)", s[:3000], len(s))
	}
	return s
}

// writes draw a call that changes the memory, and carry it out on the model.
var writes = map[string]func(*world, *rapid.T) step{
	"create_entities":              (*world).createEntities,
	"create_relations":             (*world).createRelations,
	"add_observations":             (*world).addObservations,
	"add_observations, many":       (*world).addToMany,
	"delete_observations":          (*world).deleteObservations,
	"delete_observations, many":    (*world).deleteFromMany,
	"delete_entities":              (*world).deleteEntities,
	"delete_relations":             (*world).deleteRelations,
	"migrate":                      (*world).migrate,
	"create_entities, once more":   (*world).createEntities,
	"create_relations, once more":  (*world).createRelations,
	"add_observations, once more":  (*world).addObservations,
	"create_entities, once again":  (*world).createEntities,
	"create_relations, once again": (*world).createRelations,
}

// reads draw a call that does not.
var reads = map[string]func(*world, *rapid.T) step{
	"open_nodes":               (*world).openNodes,
	"search_nodes":             (*world).searchNodes,
	"search_nodes, once more":  (*world).searchNodes,
	"search_nodes, once again": (*world).searchNodes,
	"search_nodes, by words":   (*world).searchWords,
	"read_graph":               (*world).readGraph,
	"search_semantic":          (*world).searchSemantic,
}

func (w *world) createEntities(t *rapid.T) step {
	items := make([]item, size(t, 30))
	args := make([]any, len(items))
	for i := range items {
		items[i] = item{name: w.name(t), observations: w.observations(t)}
		if rapid.Bool().Draw(t, "typed") {
			items[i].kind = new(rapid.SampledFrom(kinds).Draw(t, "type"))
		}
		args[i] = items[i].argument(t)
	}
	c := call{"create_entities", arguments(t, map[string]any{"entities": listed(t, args)})}
	return expecting(c, w.graph.createEntities(items))
}

func (w *world) createRelations(t *rapid.T) step {
	links, args := w.links(t, 4)
	c := call{"create_relations", arguments(t, map[string]any{"relations": listed(t, args)})}
	return expecting(c, w.graph.createRelations(links))
}

func (w *world) deleteRelations(t *rapid.T) step {
	links, args := w.links(t, 1)
	c := call{"delete_relations", arguments(t, map[string]any{"relations": listed(t, args)})}
	return expecting(c, w.graph.deleteRelations(links))
}

// links draws relations, mostly between entities that there are; one in so many is
// stored.
func (w *world) links(t *rapid.T, stored int) (links []link, args []any) {
	args = []any{}
	for range size(t, 100) {
		l := link{w.known(t), w.known(t), rapid.SampledFrom(relationTypes).Draw(t, "relation type")}
		if len(w.graph.relations) > 0 && rapid.IntRange(1, stored).Draw(t, "a stored one") == 1 {
			l = rapid.SampledFrom(w.graph.relations).Draw(t, "relation").link()
		}
		links, args = append(links, l), append(args, l.argument(t))
	}
	return links, args
}

// known draws a name, mostly of an entity that there is.
func (w *world) known(t *rapid.T) string {
	if len(w.graph.entities) > 0 && rapid.IntRange(0, 3).Draw(t, "known") > 0 {
		return rapid.SampledFrom(w.graph.entities).Draw(t, "entity").name
	}
	return w.name(t)
}

// facts draws observations of an entity; some it has.
func (w *world) facts(t *rapid.T) facts {
	f := facts{w.known(t), w.observations(t)}
	if e := w.graph.find(f.name); e != nil && len(e.observations) > 0 && rapid.Bool().Draw(t, "stored ones") {
		f.contents = append(f.contents, rapid.SliceOfN(rapid.SampledFrom(e.observations), 1, 4).Draw(t, "stored")...)
	}
	return f
}

// flat encodes the announced form.
func (f facts) flat(t *rapid.T) map[string]any {
	return map[string]any{
		key(t, "name", "entityName", "entity_name"): f.name, key(t, "observations", "contents", "content", "facts"): texts(t, f.contents),
	}
}

// many draws several, in the official server's form with the contents under
// inner.
func (w *world) many(t *rapid.T, inner string) (sets []facts, args []any) {
	args = []any{}
	for range size(t, 30) {
		f := w.facts(t)
		sets = append(sets, f)
		args = append(args, map[string]any{key(t, "entityName", "name", "entity_name"): f.name, key(t, inner, "content", "facts"): texts(t, f.contents)})
	}
	return sets, args
}

func (w *world) addObservations(t *rapid.T) step {
	f := w.facts(t)
	return expecting(call{"add_observations", arguments(t, f.flat(t))}, w.graph.addObservations(f))
}

func (w *world) addToMany(t *rapid.T) step {
	sets, args := w.many(t, "contents")
	c := call{"add_observations", arguments(t, map[string]any{"observations": listed(t, args)})}
	return expecting(c, w.graph.addToMany(sets))
}

func (w *world) deleteObservations(t *rapid.T) step {
	f := w.facts(t)
	return expecting(call{"delete_observations", arguments(t, f.flat(t))}, w.graph.deleteObservations(f))
}

func (w *world) deleteFromMany(t *rapid.T) step {
	sets, args := w.many(t, "observations")
	c := call{"delete_observations", arguments(t, map[string]any{"deletions": listed(t, args)})}
	return expecting(c, w.graph.deleteFromMany(sets))
}

func (w *world) deleteEntities(t *rapid.T) step {
	list := w.names(t, 3)
	c := call{"delete_entities", arguments(t, map[string]any{"entityNames": texts(t, list)})}
	return expecting(c, w.graph.deleteEntities(list))
}

func (w *world) openNodes(t *rapid.T) step {
	list := w.names(t, 5)
	c := call{"open_nodes", arguments(t, map[string]any{"names": texts(t, list)})}
	return expecting(c, w.graph.openNodes(list))
}

// paged draws limit and offset, which may be left out.
func paged(t *rapid.T, fields map[string]any, limit int) (int, int) {
	offset := 0
	if rapid.IntRange(0, 2).Draw(t, "limited") == 0 {
		limit = rapid.IntRange(1, 12).Draw(t, "limit")
		fields["limit"] = rapid.SampledFrom([]any{limit, fmt.Sprint(limit), fmt.Sprintf("%d.0", limit)}).Draw(t, "spelt")
	}
	if rapid.IntRange(0, 2).Draw(t, "moved") == 0 {
		offset = rapid.IntRange(0, 12).Draw(t, "offset")
		fields["offset"] = offset
	}
	return limit, offset
}

func (w *world) readGraph(t *rapid.T) step {
	fields := map[string]any{}
	size := 40_000
	if rapid.Bool().Draw(t, "long") {
		size = 500_000
		fields["maxCharacters"] = size
	}
	limit, offset := paged(t, fields, 1000)
	return fitting(call{"read_graph", arguments(t, fields)}, w.graph.readGraph(limit, offset), size, offset)
}

func (w *world) searchNodes(t *rapid.T) step {
	query := w.piece(t)
	fields := map[string]any{"query": query}
	limit, offset := paged(t, fields, 50)
	c := call{"search_nodes", arguments(t, fields)}
	if len(w.graph.containing(query)) == 0 && strings.TrimSpace(folded(query)) != "" {
		return w.byWords(c, strings.Fields(folded(query)), limit)
	}
	return fitting(c, w.graph.searchNodes(query, limit, offset), 40_000, offset)
}

// searchWords asks for several words, which mostly no text has side by side.
func (w *world) searchWords(t *rapid.T) step {
	asked := rapid.SliceOfN(rapid.SampledFrom(w.stock.vocabulary), 2, 4).Draw(t, "words asked for")
	query := strings.Join(asked, rapid.SampledFrom([]string{" ", ", ", `" OR "`, "? "}).Draw(t, "between"))
	c := call{"search_nodes", arguments(t, map[string]any{"query": query})}
	if len(w.graph.containing(query)) > 0 {
		return fitting(c, w.graph.searchNodes(query, 50, 0), 40_000, 0)
	}
	for i := range asked {
		asked[i] = folded(asked[i])
	}
	return w.byWords(c, asked, 50)
}
