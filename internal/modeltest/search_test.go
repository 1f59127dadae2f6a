package modeltest_test

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// folded is a text without case and accents, as far as the texts of these tests
// need it. U+001F, which stands between texts in the index, counts as a blank.
func folded(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 0x300 <= r && r <= 0x36F:
			return -1
		case r == 0x1F:
			return ' '
		}
		return r
	}, norm.NFD.String(s))
	return strings.ReplaceAll(norm.NFC.String(cases.Fold().String(s)), "ł", "l") // which Unicode does not take apart
}

// texts are all in which a search looks.
func (e *entity) texts() []string { return append([]string{e.name, e.kind}, e.observations...) }

// containing lists the entities of which a text contains the query: first those
// whose name it is, the one that has it to the letter before the others, then those
// whose name contains it.
func (g *graph) containing(query string) []*entity {
	exact := g.find(query)
	query = folded(query)
	if strings.TrimSpace(query) == "" {
		return nil
	}
	var named, inName, elsewhere []*entity
	for _, e := range g.entities {
		switch name := folded(e.name); {
		case name == query && e == exact:
			named = slices.Insert(named, 0, e)
		case name == query:
			named = append(named, e)
		case strings.Contains(name, query):
			inName = append(inName, e)
		case slices.ContainsFunc(e.texts(), func(s string) bool { return strings.Contains(folded(s), query) }):
			elsewhere = append(elsewhere, e)
		}
	}
	return slices.Concat(named, inName, elsewhere)
}

func (g *graph) searchNodes(query string, limit, offset int) pageReply {
	found := g.containing(query)
	start := min(offset, len(found))
	end := min(start+limit, len(found))
	return pageReply{
		Entities: showAll(found[start:end]), Relations: g.touching(found[start:end]),
		Total: len(found), NextOffset: nextOffset(start, end, len(found)),
	}
}

// holds reports whether the entity has the word as a word of its own.
func (e *entity) holds(word string) bool {
	return slices.ContainsFunc(e.texts(), func(s string) bool {
		return slices.Contains(strings.FieldsFunc(folded(s), func(r rune) bool { return r == ' ' || r == '.' || r == ',' }), word)
	})
}
