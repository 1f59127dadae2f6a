package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
)

const (
	// replySize is the length of a reply in characters beyond which clients
	// file it away or cut it.
	replySize = 40_000
	// frame is room for a reply's other members, such as total.
	frame = 200
	// crowd is among how many entities at least a reply that is too long is
	// shared, so that one with a very long list does not push out all others.
	crowd = 4
)

// excerpt is an entity of which observations may be left out.
type excerpt struct {
	entityOutput
	ObservationsOmitted int `json:"observationsOmitted,omitempty" jsonschema_description:"Observations left out for length; open_nodes shows them"`
}

// fitting makes a page fit into a reply.
type fitting struct {
	size  int    // of the reply, in characters
	query string // observations that contain it are the last to be left out
	// complete has each relation shown with the later one of its ends, so that
	// all pages together show it once. Otherwise a page shows all relations of
	// its entities.
	complete bool
}

// fitted is what of a page fits.
type fitted struct {
	entities         []excerpt
	relations        []relationOutput
	relationsOmitted int
}

// page keeps whole entities as far as they fit, at least one, shortening long
// lists of observations, and then relations of those that are kept.
func (f fitting) page(p memory.Page) fitted {
	entities, sizes := excerptsOf(p.Entities)
	places := make(map[string]int, len(entities))
	for i, e := range entities {
		places[e.Name] = i
	}
	room, reserved := f.size-frame, 0 // reserved for relations
	if !f.complete {
		reserved = min(sizeOf(relationsOf(p.Relations)), room/4)
	}
	f.shortenLong(entities, sizes, room-reserved)
	needs := sizes
	if f.complete {
		needs = withRelations(sizes, p.Relations, places)
	}
	n := countFitting(needs, room-reserved)
	for _, size := range sizes[:n] {
		room -= size
	}
	fit := fitted{entities: entities[:n], relations: []relationOutput{}}
	fit.addRelations(p.Relations, func(r memory.Relation) bool { return f.shows(r, places, n) }, room)
	return fit
}

// shortenLong shortens entities that take more than their share, if all do not
// fit into room.
func (f fitting) shortenLong(entities []excerpt, sizes []int, room int) {
	total := 0
	for _, size := range sizes {
		total += size
	}
	share := room / min(max(len(entities), 1), crowd)
	for i := range entities {
		others := total - sizes[i]
		if total > room && sizes[i] > share {
			entities[i] = f.shorten(entities[i], max(share, room-others))
			sizes[i] = sizeOf(entities[i]) + 1
			total = others + sizes[i]
		}
	}
}

// countFitting counts how many, in order, fit into room: one at least.
func countFitting(needs []int, room int) (n int) {
	for ; n < len(needs); n++ {
		if room -= needs[n]; room < 0 && n > 0 {
			break
		}
	}
	return n
}

// excerptsOf shows entities whole, with the size of each.
func excerptsOf(entities []memory.Entity) (list []excerpt, sizes []int) {
	list, sizes = make([]excerpt, len(entities)), make([]int, len(entities))
	for i, e := range entities {
		list[i] = excerpt{entityOutput: entityOf(e)}
		sizes[i] = sizeOf(list[i]) + 1 // a comma
	}
	return list, sizes
}

// shorten leaves out observations until an entity takes at most size
// characters: those that the query does not ask for first, the later ones first.
func (f fitting) shorten(e excerpt, size int) excerpt {
	all := e.Observations
	e.Observations, e.ObservationsOmitted = []string{}, len(all)
	left := size - sizeOf(e) - 1
	keep := make([]bool, len(all))
	for _, i := range f.byRelevance(all) {
		if cost := sizeOf(all[i]) + 1; cost <= left {
			left -= cost
			keep[i] = true
		}
	}
	for i, content := range all {
		if keep[i] {
			e.Observations = append(e.Observations, content)
		}
	}
	e.ObservationsOmitted = len(all) - len(e.Observations)
	return e
}

// byRelevance orders the indexes of observations: those that contain the query
// first, then by how many of its words they contain.
func (f fitting) byRelevance(contents []string) []int {
	order := make([]int, len(contents))
	scores := make([]int, len(contents))
	query := fold.Text(f.query)
	words := strings.Fields(memory.WithoutWildcards(query))
	for i, content := range contents {
		order[i] = i
		if len(words) == 0 {
			continue
		}
		folded := fold.Text(content)
		if strings.Contains(folded, query) {
			scores[i] = len(words) + 1
			continue
		}
		for _, word := range words {
			if strings.Contains(folded, word) {
				scores[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// withRelations adds to the size of each entity that of the relations of which
// it is the later end. places are those of the entities on the page.
func withRelations(sizes []int, relations []memory.Relation, places map[string]int) []int {
	needs := slices.Clone(sizes)
	for _, r := range relations {
		later := -1
		for _, end := range []string{r.From, r.To} {
			if place, here := places[end]; here {
				later = max(later, place)
			}
		}
		if later >= 0 {
			needs[later] += sizeOf(relationOf(r)) + 1
		}
	}
	return needs
}

// shows reports whether a relation belongs to a page that keeps the first n of
// the entities in places.
func (f fitting) shows(r memory.Relation, places map[string]int, n int) bool {
	from, fromHere := places[r.From]
	to, toHere := places[r.To]
	if f.complete {
		return (!fromHere || from < n) && (!toHere || to < n)
	}
	return fromHere && from < n || toHere && to < n
}

// addRelations adds the relations to show while there is room for them, and
// counts the others.
func (fit *fitted) addRelations(relations []memory.Relation, shows func(memory.Relation) bool, room int) {
	for _, r := range relations {
		if !shows(r) {
			continue
		}
		item := relationOf(r)
		if room -= sizeOf(item) + 1; room < 0 {
			fit.relationsOmitted++
			continue
		}
		fit.relations = append(fit.relations, item)
	}
}

// nextOffset is where the page after one with shown entities begins, or 0.
func nextOffset(p memory.Page, offset, shown int) int {
	if next := offset + shown; shown > 0 && next < p.Total {
		return next
	}
	return 0
}

// sizeOf is the length of a value's JSON in UTF-16 units, as most clients count
// characters. It is never less than the number of code points.
func sizeOf(v any) int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return 0
	}
	n := -1 // the encoder's line feed
	for _, r := range b.String() {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
