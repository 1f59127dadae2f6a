package resource_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/resource"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// noModel is an embedder without its model.
type noModel struct{}

func (noModel) Ready() bool                                          { return false }
func (noModel) Warm()                                                {}
func (noModel) Load(context.Context) error                           { return memory.ErrNoModel }
func (noModel) ModelID() string                                      { return "" }
func (noModel) CountTokens(context.Context, []string) ([]int, error) { return nil, memory.ErrNoModel }

func (noModel) Embed(context.Context, memory.Kind, []string) ([][]float32, error) {
	return nil, memory.ErrNoModel
}

// newService makes a service on the database at path, as each process has one.
func newService(t *testing.T, path string) *memory.Service {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := memory.New(db, noModel{}, memory.Options{})
	t.Cleanup(func() {
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t *testing.T, s *memory.Service, items ...memory.NewEntity) {
	t.Helper()
	if _, err := s.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
}

// walk lists all resources page by page, and does something after each page.
func walk(t *testing.T, c *resource.Catalog, after func(page int)) (uris []string) {
	t.Helper()
	cursor := ""
	for page := 0; ; page++ {
		items, next, err := c.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			uris = append(uris, item.URI)
		}
		if next == "" {
			return uris
		}
		cursor = next
		after(page)
	}
}

// TestListWhileOthersWrite has all that is there all the time once, whatever others use, make,
// change and delete meanwhile.
func TestListWhileOthersWrite(t *testing.T) {
	const count = 1_000
	path := filepath.Join(t.TempDir(), "memory.db")
	mine, other := newService(t, path), newService(t, path)
	items := make([]memory.NewEntity, count)
	for i := range items {
		items[i] = memory.NewEntity{Name: "entity " + strconv.Itoa(i)}
	}
	create(t, mine, items...)
	deleted := map[string]bool{}
	uris := walk(t, resource.New(mine), func(page int) {
		create(t, other, memory.NewEntity{Name: fmt.Sprint("new ", page)})
		create(t, other, memory.NewEntity{Name: items[page].Name, Observations: []string{"changed"}})
		if _, err := other.OpenNodes(t.Context(), []string{items[count-1-page].Name, items[page*7].Name}); err != nil {
			t.Fatal(err)
		}
		name := items[200+page].Name
		if _, _, err := other.DeleteEntities(t.Context(), []string{name}); err != nil {
			t.Fatal(err)
		}
		deleted[name] = true
	})
	seen := map[string]int{}
	for _, uri := range uris {
		seen[uri]++
	}
	for uri, n := range seen {
		if n > 1 {
			t.Errorf("%s is listed %d times", uri, n)
		}
	}
	for _, item := range items {
		if uri := (resource.URI{Entity: item.Name}).String(); !deleted[item.Name] && seen[uri] != 1 {
			t.Errorf("%s is listed %d times", uri, seen[uri])
		}
	}
	if uris[0] != resource.Graph {
		t.Errorf("the list begins with %s", uris[0])
	}
}

// TestListBeginsWithWhatWasUsed last, and then goes on to the newest.
func TestListBeginsWithWhatWasUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := newService(t, path)
	var items []memory.NewEntity
	for i := range 250 {
		items = append(items, memory.NewEntity{Name: strconv.Itoa(i)})
	}
	create(t, s, items...)
	old, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.ExecContext(t.Context(), `UPDATE entities SET updated_at = '2020-01-01 00:00:00'; UPDATE entity_access SET last_access = '2020-01-01 00:00:00'`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OpenNodes(t.Context(), []string{"3"}); err != nil {
		t.Fatal(err)
	}
	create(t, s, memory.NewEntity{Name: "7", Observations: []string{"changed"}})
	first, next, err := resource.New(s).List(t.Context(), "")
	if err != nil || len(first) != 101 || next == "" {
		t.Fatalf("%d resources, next is %q, %v", len(first), next, err)
	}
	var names []string
	for _, item := range first[:5] {
		names = append(names, item.Name)
	}
	slices.Sort(names[1:3]) // they may be of the same second
	if diff := cmp.Diff([]string{"graph", "3", "7", "249", "248"}, names); diff != "" {
		t.Errorf("the list begins otherwise (-want +got):\n%s", diff)
	}
}

func TestListRefusesCursors(t *testing.T) {
	s := newService(t, filepath.Join(t.TempDir(), "memory.db"))
	create(t, s, memory.NewEntity{Name: "a"})
	for _, cursor := range []string{"x", "\n", "=", "gICAgICAgICAgAE", "AAEA", strings.Repeat("AC", 10_000)} {
		if items, next, err := resource.New(s).List(t.Context(), cursor); err == nil || !strings.HasPrefix(err.Error(), "cursor: must be") {
			t.Errorf("cursor %.20q: %v, %q, %v", cursor, items, next, err)
		}
	}
}

// names are those of all kinds.
var names = []string{
	"Ana", "Ana Müller", "東京タワー", "عربى", "हिन्दी", "🦊👨‍👩‍👧", "a/b/../c", "../..", "100%", "%41", "what?", "#1", "a+b c", `"quoted" \ back`, "<tag>&amp;", "a\tb\nc",
	"memory://graph", "ﬁ", "é", "x\u200by", strings.Repeat("ü", memory.MaxNameLength),
}

func TestNamesRoundTrip(t *testing.T) {
	s := newService(t, filepath.Join(t.TempDir(), "memory.db"))
	c := resource.New(s)
	var items []memory.NewEntity
	for _, name := range names {
		items = append(items, memory.NewEntity{Name: name, Observations: []string{"of " + name}})
	}
	create(t, s, items...)
	read := map[string]bool{}
	for _, uri := range walk(t, c, func(int) {})[1:] {
		content, err := c.Read(t.Context(), uri)
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		var e struct {
			Name         string
			Observations []string
		}
		if err := json.Unmarshal(content, &e); err != nil {
			t.Fatal(err)
		}
		read[e.Name] = len(e.Observations) == 1
	}
	for _, name := range names {
		if !read[name] {
			t.Errorf("%q is not what is listed and read", name)
		}
	}
	// Spelled as it looks the same.
	if content, err := c.Read(t.Context(), "memory://entity/%20Ana%20Mu%CC%88ller%20"); err != nil || !strings.Contains(string(content), `"name":"Ana Müller"`) {
		t.Errorf("another spelling: %s, %v", content, err)
	}
}

// TestReadShowsWhatToolsShow, in one object, and the graph with where to go on.
func TestReadShowsWhatToolsShow(t *testing.T) {
	s := newService(t, filepath.Join(t.TempDir(), "memory.db"))
	create(t, s, memory.NewEntity{Name: "Ana", Observations: []string{"leads <Faro>", "ü"}}, memory.NewEntity{Name: "Faro"}, memory.NewEntity{Name: "Lis"})
	if _, err := s.CreateRelations(t.Context(), []memory.Relation{{From: "Ana", To: "Faro", Type: "leads"}, {From: "Faro", To: "Faro", Type: "is"}}); err != nil {
		t.Fatal(err)
	}
	c := resource.New(s)
	for uri, want := range map[string]string{
		"memory://entity/Ana":            `{"name":"Ana","entityType":"Generic","observations":["leads <Faro>","ü"],"relations":[{"from":"Ana","to":"Faro","relationType":"leads"}]}`,
		"memory://entity/Lis":            `{"name":"Lis","entityType":"Generic","observations":[],"relations":[]}`,
		"memory://graph?limit=1":         `{"entities":[{"name":"Ana","entityType":"Generic","observations":["leads <Faro>","ü"]}],"relations":[],"total":3,"totalRelations":2,"nextOffset":1,"next":"memory://graph?limit=1&offset=1"}`,
		"memory://graph?offset=2":        `{"entities":[{"name":"Lis","entityType":"Generic","observations":[]}],"relations":[],"total":3,"totalRelations":2}`,
		"memory://graph?offset=9&limit=": `{"entities":[],"relations":[],"total":3,"totalRelations":2}`,
	} {
		got, err := c.Read(t.Context(), uri)
		if err != nil || string(got) != want {
			t.Errorf("%s is\n%s, %v\nwant\n%s", uri, got, err, want)
		}
	}
	var opened struct {
		Entities, Relations json.RawMessage
	}
	for _, tl := range tool.Catalog(s) {
		if tl.Name == "open_nodes" {
			out, err := tl.Call(t.Context(), json.RawMessage(`{"names":["Ana"]}`))
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := tool.JSON(out)
			if err != nil || json.Unmarshal(encoded, &opened) != nil {
				t.Fatal(err)
			}
		}
	}
	content, err := c.Read(t.Context(), "memory://entity/Ana")
	if err != nil {
		t.Fatal(err)
	}
	var alone map[string]json.RawMessage
	if err := json.Unmarshal(content, &alone); err != nil {
		t.Fatal(err)
	}
	if string(alone["relations"]) != string(opened.Relations) || !strings.Contains(string(opened.Entities), string(alone["observations"])) {
		t.Errorf("a resource shows %s, open_nodes %s and %s", content, opened.Entities, opened.Relations)
	}
	for uri, want := range map[string]string{
		"memory://entity/ana":      `Resource not found: no entity is named "ana". The tool search_nodes finds names by what is in them`,
		"memory://graph?limit=x":   "limit: must be a whole number",
		"memory://graph?offset=-1": "offset: must be at least 0",
	} {
		if _, err := c.Read(t.Context(), uri); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", uri, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := newService(t, path)
	c := resource.New(s)
	var items []memory.NewEntity
	for _, name := range []string{"Canción", "Mi canción", "CANCIONERO", "Faro", "東京タワー", "ماهی"} {
		items = append(items, memory.NewEntity{Name: name, Observations: []string{"zzz"}})
	}
	create(t, s, items...)
	for _, tc := range []struct {
		typed string
		limit int
		want  []string
		total int
	}{
		{"cancion", 9, []string{"Canción", "CANCIONERO", "Mi canción"}, 3},
		{"CANCIÓN", 2, []string{"Canción", "CANCIONERO"}, 3},
		{"京", 9, []string{"東京タワー"}, 1},
		{"aro", 9, []string{"Faro"}, 1},
		{"zzz", 9, []string{}, 0}, // what is observed is no name
		{"Generic", 9, []string{}, 0},
		{"%", 9, []string{}, 0},
	} {
		names, total, err := c.Names(t.Context(), tc.typed, tc.limit)
		if diff := cmp.Diff(tc.want, names); diff != "" || total != tc.total || err != nil {
			t.Errorf("%q: %d, %v (-want +got)\n%s", tc.typed, total, err, diff)
		}
	}
	if names, total, err := c.Names(t.Context(), "", 4); len(names) != 4 || total != 6 || err != nil {
		t.Errorf("nothing typed: %q of %d, %v", names, total, err)
	}
}

// TestStates of entities are others exactly when they show something else.
func TestStates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	mine, other := newService(t, path), newService(t, path)
	c := resource.New(mine)
	uris := []resource.URI{{Entity: "Ana"}, {Entity: "Faro"}, {Entity: "Lis"}, {}}
	create(t, mine, memory.NewEntity{Name: "Ana", Observations: []string{"ab", "c"}}, memory.NewEntity{Name: "Faro"}, memory.NewEntity{Name: "Lis"})
	states := func() []memory.State {
		t.Helper()
		list, err := c.States(t.Context(), uris)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := states()
	observe := func(delete bool, content string) func() error {
		return func() error {
			if delete {
				_, err := other.DeleteObservations(t.Context(), []memory.ObservationSet{{Name: "Ana", Contents: []string{content}}})
				return err
			}
			_, err := other.AddObservations(t.Context(), []memory.ObservationSet{{Name: "Ana", Contents: []string{content}}})
			return err
		}
	}
	for _, change := range []struct {
		what    string
		do      func() error
		changes []bool
	}{
		{"use", func() error { _, err := other.OpenNodes(t.Context(), []string{"Ana", "Faro"}); return err }, []bool{false, false, false, false}},
		{"an observation", observe(false, "d"), []bool{true, false, false, true}},
		{"an observation less", observe(true, "d"), []bool{true, false, false, true}},
		{"a type", func() error {
			_, err := other.CreateEntities(t.Context(), []memory.NewEntity{{Name: "Faro", Type: new("project")}})
			return err
		}, []bool{false, true, false, true}},
		{"a relation", func() error {
			_, err := other.CreateRelations(t.Context(), []memory.Relation{{From: "Ana", To: "Faro", Type: "leads"}})
			return err
		}, []bool{true, true, false, true}},
		{"a neighbour less", func() error { _, _, err := other.DeleteEntities(t.Context(), []string{"Faro"}); return err }, []bool{true, true, false, true}},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		now := states()
		for i, uri := range uris {
			if (now[i] != before[i]) != change.changes[i] {
				t.Errorf("%s: the state of %s is %d after %d", change.what, uri, now[i], before[i])
			}
		}
		before = now
	}
	if before[1] != 0 {
		t.Errorf("the state of what there is not is %d", before[1])
	}
}
