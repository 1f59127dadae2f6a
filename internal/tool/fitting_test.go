package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcp-memory/internal/memory"
)

func long(s string, n int) string { return strings.Repeat(s, n) }

// graph is a page of n entities in a row, each related to the next one.
func graph(n int, observations func(i int) []string) memory.Page {
	var p memory.Page
	for i := range n {
		p.Entities = append(p.Entities, memory.Entity{Name: fmt.Sprint("E", i), Type: "T", Observations: observations(i)})
		p.Relations = append(p.Relations, memory.Relation{From: fmt.Sprint("E", i), To: fmt.Sprint("E", i+1), Type: "next"})
	}
	p.Total = n
	return p
}

// reply is what search_nodes and read_graph answer.
type reply struct {
	Entities []struct {
		Name                string
		Observations        []string
		ObservationsOmitted int
	}
	Relations                           []map[string]string
	RelationsOmitted, Total, NextOffset int
	size                                int
}

func replyTo(t *testing.T, tl Tool, args string) (r reply) {
	t.Helper()
	text := call(t, tl, args)
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	r.size = utf8.RuneCountInString(text)
	return r
}

// pages answers searches and reads out of one page.
func pages(p memory.Page) (search, read Tool) {
	window := func(limit, offset int) memory.Page {
		w := p
		w.Entities = p.Entities[min(offset, len(p.Entities)):min(offset+limit, len(p.Entities))]
		return w
	}
	return searchNodes(func(_ context.Context, _ string, limit, offset int) (memory.Page, error) {
			return window(limit, offset), nil
		}),
		readGraph(func(_ context.Context, limit, offset int) (memory.GraphPage, error) {
			page := window(limit, offset)
			page.Relations = upTo(page)
			return memory.GraphPage{Page: page, TotalRelations: 7}, nil
		})
}

// upTo leaves of a page's relations those whose later end is on it.
func upTo(p memory.Page) []memory.Relation {
	place := map[string]int{}
	for i, e := range p.Entities {
		place[e.Name] = i + 1
	}
	number := func(name string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "E"))
		if err != nil {
			return math.MaxInt
		}
		return n
	}
	relations := []memory.Relation{}
	for _, r := range p.Relations {
		later := r.From
		if number(r.To) > number(r.From) {
			later = r.To
		}
		if place[later] > 0 {
			relations = append(relations, r)
		}
	}
	return relations
}

func TestSmallPagesAreWhole(t *testing.T) {
	search, read := pages(graph(2, func(int) []string { return []string{"x"} }))
	entities := `"entities":[{"name":"E0","entityType":"T","observations":["x"]},{"name":"E1","entityType":"T","observations":["x"]}]`
	check(t, search, map[string]string{
		`{"query": "x"}`: `{` + entities + `,"relations":[{"from":"E0","to":"E1","relationType":"next"},{"from":"E1","to":"E2","relationType":"next"}],"total":2}`,
		`{"query": "x", "limit": "1"}`: `{"entities":[{"name":"E0","entityType":"T","observations":["x"]}],` +
			`"relations":[{"from":"E0","to":"E1","relationType":"next"}],"total":2,"nextOffset":1}`,
		`{"query": "x", "offset": 5}`:    `{"entities":[],"relations":[],"total":2}`,
		`{"query": "x", "offset": 1e99}`: `{"entities":[],"relations":[],"total":2}`,
		`{"query": "x", "offset": -1}`:   "offset: must be at least 0",
		`{"query": "x", "limit": 0}`:     "limit: must be at least 1",
		`{}`:                             "query: is required",
	})
	check(t, read, map[string]string{
		`{}`:                     `{` + entities + `,"relations":[{"from":"E0","to":"E1","relationType":"next"}],"total":2,"totalRelations":7}`,
		`{"limit": 2000}`:        `{` + entities + `,"relations":[{"from":"E0","to":"E1","relationType":"next"}],"total":2,"totalRelations":7}`,
		`{"maxCharacters": "0"}`: "maxCharacters: must be at least 1",
	})
	empty, all := pages(memory.Page{})
	check(t, empty, map[string]string{`{"query": ""}`: `{"entities":[],"relations":[],"total":0}`})
	check(t, all, map[string]string{``: `{"entities":[],"relations":[],"total":0,"totalRelations":7}`})
}

func TestLongPagesArePaged(t *testing.T) {
	const n = 400
	search, read := pages(graph(n, func(i int) []string { return []string{long("é", 150), long("🌲", 20), fmt.Sprint(i)} }))
	for _, test := range []struct {
		tool  Tool
		args  string
		bound int
	}{
		{search, `{"query": "x", "limit": 1000, "offset": %d}`, 40_000},
		{read, `{"offset": %d}`, 40_000},
		{read, `{"offset": %d, "maxCharacters": 200000}`, 200_000},
		{read, `{"offset": %d, "maxCharacters": 5000}`, 5_000},
	} {
		var seen []string
		relations := map[string]int{}
		for offset, replies := 0, 0; ; replies++ {
			r := replyTo(t, test.tool, fmt.Sprintf(test.args, offset))
			if r.size > test.bound || r.Total != n || len(r.Entities) == 0 || replies > n {
				t.Fatalf("%s: a reply of %d characters and %d of %d entities", test.args, r.size, len(r.Entities), r.Total)
			}
			if r.NextOffset != 0 && r.size < test.bound/2 {
				t.Errorf("%s: a reply of only %d characters leaves entities out", test.args, r.size)
			}
			for _, e := range r.Entities {
				seen = append(seen, e.Name)
				if len(e.Observations) != 3 || e.ObservationsOmitted != 0 {
					t.Errorf("%s: %s is not whole", test.args, e.Name)
				}
			}
			shown := map[string]bool{"": true}
			for _, name := range seen[len(seen)-len(r.Entities):] {
				shown[name] = true
			}
			for _, relation := range r.Relations {
				if !shown[relation["from"]] && !shown[relation["to"]] {
					t.Errorf("%s: a relation between entities that are not shown: %v", test.args, relation)
				}
				relations[relation["from"]]++
			}
			if offset = r.NextOffset; offset == 0 {
				break
			}
		}
		for i := range n - 1 {
			if times := relations[fmt.Sprint("E", i)]; times == 0 || test.tool.Name == "read_graph" && times != 1 {
				t.Errorf("%s: the relation from E%d is on %d pages", test.args, i, times)
			}
		}
		if len(seen) != n || !slices.Equal(seen[:2], []string{"E0", "E1"}) {
			t.Errorf("%s: %d entities on all pages, want %d", test.args, len(seen), n)
		}
	}
}

// However dense a graph is, all pages together give all of it, each relation once.
func TestAllPagesTogetherAreTheGraph(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "entities")
		p := graph(n, func(i int) []string { return []string{long("x", i%50)} })
		p.Relations = nil
		for range rapid.IntRange(0, 300).Draw(rt, "relations") {
			p.Relations = append(p.Relations, memory.Relation{
				From: fmt.Sprint("E", rapid.IntRange(0, n-1).Draw(rt, "from")),
				To:   fmt.Sprint("E", rapid.IntRange(0, n-1).Draw(rt, "to")),
				Type: fmt.Sprint("r", len(p.Relations)),
			})
		}
		_, read := pages(p)
		limit, size := rapid.IntRange(1, 70).Draw(rt, "limit"), rapid.IntRange(8_000, 60_000).Draw(rt, "size")
		entities, relations := map[string]int{}, map[string]int{}
		for offset := 0; ; {
			r := replyTo(t, read, fmt.Sprintf(`{"limit": %d, "offset": %d, "maxCharacters": %d}`, limit, offset, size))
			for _, e := range r.Entities {
				entities[e.Name]++
			}
			for _, relation := range r.Relations {
				relations[relation["relationType"]]++
			}
			// Only an entity with more relations than fit may lack some.
			if r.RelationsOmitted > 0 && len(r.Entities) > 1 || r.size > size {
				rt.Fatalf("%d relations omitted beside %d entities in %d characters", r.RelationsOmitted, len(r.Entities), r.size)
			}
			for range r.RelationsOmitted {
				relations[fmt.Sprint("omitted ", offset, len(relations))]++
			}
			if offset = r.NextOffset; offset == 0 {
				break
			}
		}
		if len(entities) != n || len(relations) != len(p.Relations) {
			rt.Fatalf("%d of %d entities, %d of %d relations", len(entities), n, len(relations), len(p.Relations))
		}
		for name, times := range relations {
			if times != 1 {
				rt.Fatalf("relation %s is on %d pages", name, times)
			}
		}
	})
}

func TestLongEntitiesAreShortened(t *testing.T) {
	p := graph(5, func(i int) []string {
		if i != 2 {
			return []string{"short"}
		}
		many := make([]string, 3000)
		for j := range many {
			many[j] = fmt.Sprintf("fact %d of many that are of no interest", j)
		}
		many[1500], many[2500] = "the CANCIÓN itself", "about a canción"
		return append(many, long("canción ", 125_000))
	})
	search, read := pages(p)
	r := replyTo(t, search, `{"query": "cancion"}`)
	if len(r.Entities) != 5 || r.size > 40_000 || r.NextOffset != 0 {
		t.Fatalf("%d entities in %d characters", len(r.Entities), r.size)
	}
	e := r.Entities[2]
	if len(e.Observations)+e.ObservationsOmitted != 3001 || len(e.Observations) < 100 {
		t.Errorf("%d observations shown, %d omitted", len(e.Observations), e.ObservationsOmitted)
	}
	if !slices.Contains(e.Observations, "the CANCIÓN itself") || !slices.Contains(e.Observations, "about a canción") {
		t.Error("the observations that were looked for were left out")
	}
	wild := replyTo(t, search, `{"query": "*cancio*"}`).Entities[2]
	if !slices.Contains(wild.Observations, "the CANCIÓN itself") || !slices.Contains(wild.Observations, "about a canción") {
		t.Error("the observations that were looked for with asterisks were left out")
	}
	if e.Observations[0] != "fact 0 of many that are of no interest" {
		t.Errorf("the order has changed: first is %q", e.Observations[0])
	}
	if r.Entities[1].ObservationsOmitted != 0 {
		t.Error("a short entity was shortened")
	}

	twice := memory.Page{Graph: memory.Graph{Entities: []memory.Entity{p.Entities[2], p.Entities[2]}}, Total: 2}
	search, _ = pages(twice)
	r = replyTo(t, search, `{"query": "itself interest"}`)
	if len(r.Entities) != 2 || len(r.Entities[0].Observations) < 300 || len(r.Entities[1].Observations) < 300 || r.size > 40_000 {
		t.Errorf("two long entities do not share a reply: %d entities in %d characters", len(r.Entities), r.size)
	}
	if r := replyTo(t, read, `{"maxCharacters": 500000}`); len(r.Entities[2].Observations) != 3000 || r.Entities[2].ObservationsOmitted != 1 {
		t.Errorf("in a longer reply %d observations are omitted, want the one that is too long", r.Entities[2].ObservationsOmitted)
	}
}

func TestManyRelationsAreCounted(t *testing.T) {
	p := graph(3, func(int) []string { return []string{"x"} })
	for i := range 5000 {
		p.Relations = append(p.Relations, memory.Relation{From: "E1", To: fmt.Sprint("other ", i), Type: "touches"})
	}
	search, read := pages(p)
	r := replyTo(t, search, `{"query": "x"}`)
	if len(r.Entities) != 3 || len(r.Relations) < 400 || len(r.Relations)+r.RelationsOmitted != 5003 || r.size > 40_000 {
		t.Errorf("%d entities, %d relations and %d omitted in %d characters", len(r.Entities), len(r.Relations), r.RelationsOmitted, r.size)
	}
	if r := replyTo(t, read, `{}`); len(r.Relations) != 2 || r.RelationsOmitted != 0 {
		t.Errorf("%d relations among the entities, %d omitted", len(r.Relations), r.RelationsOmitted)
	}
}

func TestEveryPageHasAnEntity(t *testing.T) {
	p := graph(2, func(int) []string { return []string{long("x", 100)} })
	p.Entities[0].Name = long("n", 1000) // as older databases may have
	_, read := pages(p)
	r := replyTo(t, read, `{"maxCharacters": 300}`)
	if len(r.Entities) != 1 || r.Entities[0].ObservationsOmitted != 1 || r.NextOffset != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestLongSemanticResultsAreShortened(t *testing.T) {
	hits := make([]memory.Hit, 40)
	for i := range hits {
		hits[i].Entity = memory.Entity{Name: fmt.Sprint("E", i), Type: "T", Observations: []string{"short"}}
	}
	for i := range 10_000 {
		hits[3].Entity.Observations = append(hits[3].Entity.Observations, fmt.Sprint("fact ", i))
	}
	hits[3].Entity.Observations = append(hits[3].Entity.Observations, "what was asked for")
	tool := searchSemantic(func(context.Context, memory.Question) (memory.SemanticResult, error) {
		return memory.SemanticResult{Hits: hits}, nil
	})
	text := call(t, tool, `{"query": "asked for", "limit": 40}`)
	var r struct {
		Results []struct {
			Observations        []string
			ObservationsOmitted int
		}
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if len(text) > 40_000 || len(text) < 35_000 || len(r.Results) != 40 {
		t.Errorf("%d results in %d characters", len(r.Results), len(text))
	}
	long := r.Results[3]
	if len(long.Observations)+long.ObservationsOmitted != 10_002 || !slices.Contains(long.Observations, "what was asked for") {
		t.Errorf("%d observations and %d omitted, want what was asked for among them", len(long.Observations), long.ObservationsOmitted)
	}
	if r.Results[4].ObservationsOmitted != 0 {
		t.Error("a short result was shortened")
	}
}

func TestSemanticResultsThatAreTooManyAreCut(t *testing.T) {
	hits := make([]memory.Hit, 400)
	for i := range hits {
		hits[i].Entity = memory.Entity{Name: fmt.Sprint("E", i), Type: "T", Observations: []string{strings.Repeat("o", 100)}}
		hits[i].Match = strings.Repeat("m", 200)
	}
	tool := searchSemantic(func(context.Context, memory.Question) (memory.SemanticResult, error) {
		return memory.SemanticResult{Hits: hits}, nil
	})
	text := call(t, tool, `{"query": "q", "limit": 400, "explain": true}`)
	var r struct {
		Results        []struct{ Name string }
		ResultsOmitted int
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if len(text) > 40_000 || len(text) < 35_000 || len(r.Results)+r.ResultsOmitted != 400 || r.Results[0].Name != "E0" {
		t.Errorf("%d results and %d omitted in %d characters, want the best that fit", len(r.Results), r.ResultsOmitted, len(text))
	}
}
