package memory_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3" // what another program would use

	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
	"mcp-memory/internal/sqlite"
)

func TestSearchNodes(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Canción del Mar", "Música", "letra con 100% de rima", "compás de 3/4")
	b.create(t, "snake_case", "code", "see C:\\ruta\\archivo")
	b.create(t, "设备清单", "列表", "步2 重跑gen-itgc后50条悬空引用清零", "NAS在书房")
	b.create(t, "Lease Oakfield", "contract", "notice period is three months")
	b.create(t, "Lease Millbank", "contract", "rent due on the 1st")
	b.create(t, "Bicycle", "thing", "blue")
	b.create(t, "เครื่องพิมพ์", "อุปกรณ์", "อยู่ชั้นสองข้างห้องประชุม")

	for query, want := range map[string][]string{
		"CANCION":          {"Canción del Mar"},
		"musica":           {"Canción del Mar"},
		"MÚSICA":           {"Canción del Mar"},
		"100%":             {"Canción del Mar"},
		"%":                {"Canción del Mar"},
		"_":                {"snake_case"},
		"\\ruta":           {"snake_case"},
		"3/4":              {"Canción del Mar"},
		"设备":               {"设备清单"},
		"悬空":               {"设备清单"},
		"itgc":             {"设备清单"},
		"nas":              {"设备清单"},
		"书":                {"设备清单"},
		"书房里有什么":           {"设备清单"},
		"ห้องประชุม":       {"เครื่องพิมพ์"},
		"lease":            {"Lease Oakfield", "Lease Millbank"},
		"rimacompás":       {},
		"rima compás":      {"Canción del Mar"}, // words, since no text has it as it is
		"x* (y) OR ^z":     {},
		"a* (b) ^c":        {"snake_case"}, // its drive letter
		"\"":               {},
		"":                 {},
		" \t\n":            {},
		"\u001f":           {}, // which stands between texts in the index
		"\u0301":           {},
		"cancio*":          {"Canción del Mar"},
		"*bicy*":           {"Bicycle"},
		"*LEASE* Oak*":     {"Lease Oakfield"},
		" notice   period": {"Lease Oakfield"},
		"*":                {},
		"* \u0301":         {},
		"how long is the notice period for the Oakfield lease": {"Lease Oakfield"},
		"oakfield notice": {"Lease Oakfield"},
	} {
		page, err := b.SearchNodes(t.Context(), query, 50, 0)
		if err != nil {
			t.Fatalf("searching %q: %v", query, err)
		}
		got := entityNames(page.Entities)
		if len(want) == 1 && len(got) > 0 {
			got = got[:1]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("searching %q (-want +got):\n%s", query, diff)
		}
	}
}

// An asterisk that is stored is an asterisk.
func TestSearchNodesTakesAsterisksToTheLetterFirst(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Ignored", "list", "*.log files")
	b.create(t, "Notes", "list", "the .log of the voyage")
	for query, want := range map[string][]string{"*.log": {"Ignored"}, "*.log*": {"Ignored", "Notes"}} {
		page, err := b.SearchNodes(t.Context(), query, 50, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, entityNames(page.Entities)); diff != "" {
			t.Errorf("searching %q (-want +got):\n%s", query, diff)
		}
	}
}

func TestSearchNodesPutsNamesFirst(t *testing.T) {
	b := newBundle(t)
	for i := range 80 {
		b.create(t, fmt.Sprint("Note ", i), "note", "we talked about faro")
	}
	b.create(t, "Project Faro", "project")
	b.create(t, "Faro", "project")
	for limit, want := range map[int][]string{1: {"Faro"}, 3: {"Faro", "Project Faro", "Note 0"}} {
		for _, query := range []string{"Faro", "FÁRO", "faro*", " faro "} {
			page, err := b.SearchNodes(t.Context(), query, limit, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, entityNames(page.Entities)); diff != "" || page.Total != 82 {
				t.Errorf("searching %q: total %d, want 82, and (-want +got):\n%s", query, page.Total, diff)
			}
		}
	}
}

func TestSearchNodesPages(t *testing.T) {
	b := newBundle(t)
	for _, name := range []string{"d", "c", "b", "a"} {
		b.create(t, name, "common", "tail wind")
	}
	for _, query := range []string{"common", "wind tail"} { // as it is, and by words
		var got []string
		for offset := 0; offset < 6; offset += 2 {
			page, err := b.SearchNodes(t.Context(), query, 2, offset)
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != 4 {
				t.Errorf("%q at %d: total %d, want 4", query, offset, page.Total)
			}
			got = append(got, entityNames(page.Entities)...)
		}
		if diff := cmp.Diff([]string{"d", "c", "b", "a"}, got); diff != "" {
			t.Errorf("%q in pages (-want +got):\n%s", query, diff)
		}
	}
}

func TestSemanticSearchFindsWhatWasJustStored(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Orchard", "place", "apple trees in rows")
	b.create(t, "Harbour", "place", "boats at anchor")
	result := b.semantic(t, "anchor for boats", 5)
	if got := hitNames(result); got[0] != "Harbour" || result.Pending != 0 {
		t.Errorf("found %q with %d pending, want Harbour first and none pending", got, result.Pending)
	}
	if result.Hits[0].Distance == nil || result.Hits[0].RRF == nil {
		t.Error("the first hit was found by both branches and has not both scores")
	}
}

func TestResultsThatMayHaveNothingToDoWithTheQueryAreWeak(t *testing.T) {
	b := newBundle(t)
	b.ranking = rank.E5Small // but for the scale of the stand-in for a model
	b.ranking.Noise = 2
	b.ranking.Base, b.ranking.ByEvidence, b.ranking.Weak, b.ranking.Sure = -25, 10, 0.5, 2.4
	b.restart(t)
	b.create(t, "Orchard", "place", "apple trees in rows")
	for query, want := range map[string]bool{"apple trees in rows": false, "zxqv": true} {
		if hit := b.semantic(t, query, 1).Hits[0]; hit.Weak != want {
			t.Errorf("searching %q: weak is %v with evidence %v", query, hit.Weak, hit.Evidence)
		}
	}
}

func TestSemanticSearchPutsAnExactNameFirst(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Café", "place", "closed on Mondays")
	b.create(t, "Notes", "list", "cafe cafe cafe cafe", "café")
	for range 5 {
		if _, err := b.OpenNodes(t.Context(), []string{"Notes"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"Café", "cafe", " CAFÉ "} {
		result := b.semantic(t, query, 2)
		if got := hitNames(result); got[0] != "Café" {
			t.Errorf("searching %q: %q, want the entity of that name first", query, got)
		}
		if result.Hits[0].LimbicScore < result.Hits[1].LimbicScore {
			t.Errorf("searching %q: scores %v < %v", query, result.Hits[0].LimbicScore, result.Hits[1].LimbicScore)
		}
	}
}

// However many others hold the words of a name, in whatever script.
func TestAnExactNameAmongMany(t *testing.T) {
	b := newBundle(t)
	var items []memory.NewEntity
	for i := range 60 {
		items = append(items, memory.NewEntity{
			Name: fmt.Sprint("Faro ", i), Observations: []string{"faro, faro y faro", "москва москва", "東京 東京", "ana ana"},
		})
	}
	if _, err := b.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	for name, queries := range map[string][]string{
		"Fáro": {"faro", "FARO", "fàro"}, "Москва": {"МОСКВА", "москва"}, "東京": {"東京"}, "Ána": {"ana", "ANA", "ána "}, "Ø1": {"ø1"},
	} {
		b.create(t, name, "place")
		for _, query := range queries {
			if got := hitNames(b.semantic(t, query, 3)); len(got) == 0 || got[0] != name {
				t.Errorf("searching %q: %q, want %s first", query, got, name)
			}
		}
	}
}

func TestPopularityDoesNotHijack(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Popular", "topic", "general notes about the deployment pipeline")
	b.create(t, "Exact", "topic", "rollback procedure for the payments database")
	for range 60 {
		b.semantic(t, "deployment pipeline notes", 1)
	}
	if got := hitNames(b.semantic(t, "rollback procedure for the payments database", 2)); got[0] != "Exact" {
		t.Errorf("found %q, want Exact first", got)
	}
}

func TestSemanticSearchNeverReturnsOldText(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Plan", "note", "meet at the lighthouse")
	b.create(t, "Other", "note", "nothing of interest")
	b.semantic(t, "lighthouse", 1)
	if _, err := b.DeleteObservations(t.Context(), []memory.ObservationSet{{Name: "Plan", Contents: []string{"meet at the lighthouse"}}}); err != nil {
		t.Fatal(err)
	}
	old := 1 - cosine(bagOfWords("lighthouse"), bagOfWords("Plan (note) | meet at the lighthouse"))
	for _, hit := range b.semantic(t, "lighthouse", 2).Hits {
		if hit.Entity.Name == "Plan" && hit.Distance != nil && *hit.Distance < old+1e-6 {
			t.Errorf("distance %v is that of the deleted text", *hit.Distance)
		}
	}
}

func TestRelationsEnterTheVectorsOfBothEnds(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Uno", "T", "algo")
	b.create(t, "Cosmos", "T", "naves")
	distance := func(name, query string) float64 {
		for _, hit := range b.semantic(t, query, 5).Hits {
			if hit.Entity.Name == name {
				return *hit.Distance
			}
		}
		t.Fatalf("%s not found", name)
		return 0
	}
	uno, cosmos := distance("Uno", "cosmos"), distance("Cosmos", "uno")
	b.relate(t, "Uno", "estudia", "Cosmos")
	if distance("Uno", "cosmos") >= uno || distance("Cosmos", "uno") >= cosmos {
		t.Error("a new relation does not bring its ends nearer to each other's name")
	}
	if _, _, err := b.DeleteEntities(t.Context(), []string{"Uno"}); err != nil {
		t.Fatal(err)
	}
	if got := distance("Cosmos", "uno"); got < cosmos-1e-6 {
		t.Errorf("distance %v: the deleted neighbour is still in the vector (%v without it)", got, cosmos)
	}
}

func TestSemanticSearchWithoutModel(t *testing.T) {
	b := newBundle(t)
	b.embedder.missing.Store(true)
	b.create(t, "Harbour", "place", "boats at anchor")
	if _, err := b.SearchSemantic(t.Context(), memory.Question{Query: "boats", Limit: 5}); !errors.Is(err, memory.ErrNoModel) {
		t.Fatalf("without a model: %v, want that it is not available", err)
	}
	b.embedder.missing.Store(false)
	result := b.semantic(t, "boats", 5)
	if len(result.Hits) != 1 || result.Hits[0].Distance == nil {
		t.Errorf("with the model there: %+v, want Harbour with a distance", result)
	}
}

func TestVectorsOfAnEarlierRunAreMadeUpFor(t *testing.T) {
	b := newBundle(t)
	b.embedder.missing.Store(true)
	b.create(t, "Harbour", "place", "boats at anchor")
	b.close(t)
	b.embedder.missing.Store(false)
	b.open(t)
	if result := b.semantic(t, "boats", 5); result.Pending != 0 || result.Hits[0].Distance == nil {
		t.Errorf("after a restart: %+v, want a vector for what was stored without one", result)
	}
	if n := b.embedder.passages.Load(); n != 1 {
		t.Errorf("%d passages embedded, want 1", n)
	}
	b.restart(t)
	b.semantic(t, "boats", 5)
	if n := b.embedder.passages.Load(); n != 1 {
		t.Errorf("%d passages embedded after another restart, want still 1", n)
	}
}

func TestTheModelIsNotLoadedForNothing(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Harbour", "place", "boats at anchor")
	b.semantic(t, "boats", 5)
	b.close(t)
	b.embedder = &wordEmbedder{id: "words/1"}
	b.open(t)
	if _, err := b.OpenNodes(t.Context(), []string{"Harbour"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.SearchNodes(t.Context(), "boats", 5, 0); err != nil {
		t.Fatal(err)
	}
	b.Service.Close() // ends what runs in the background
	if b.embedder.Ready() {
		t.Error("the model was loaded although every vector is there")
	}
}

func TestTextsThatOtherProgramsChange(t *testing.T) {
	b := newBundle(t)
	harbour := b.create(t, "Harbour", "place", "boats at anchor")
	b.semantic(t, "boats", 5)
	b.close(t)
	db, err := sqlite.Open(t.Context(), b.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(w memory.Writer) error { // no text index, no stale mark
		_, err := w.InsertObservations(t.Context(), harbour.ID, []string{"fish market at dawn"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b.open(t)
	b.create(t, "Another", "place") // its vector comes after what an earlier run left
	want := 1 - cosine(bagOfWords("fish market"), bagOfWords("Harbour (place) | boats at anchor | fish market at dawn"))
	result := b.semantic(t, "fish market", 1)
	if hit := result.Hits[0]; hit.Entity.Name != "Harbour" || hit.Distance == nil || abs(*hit.Distance-want) > 1e-4 || hit.RRF == nil {
		t.Errorf("hit %+v, want Harbour by the words and the vector of its present text, %v", hit, want)
	}
}

// Another program, which knows only the documented tables, writes while the
// service runs, and takes no care of foreign keys.
func TestChangesOfOtherProgramsAreSeenAtOnce(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Harbour", "place", "boats at anchor")
	b.create(t, "Lighthouse", "place", "white tower")
	b.semantic(t, "boats", 5)
	raw, err := sql.Open("sqlite3", b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, statement := range []string{
		"UPDATE observations SET content = 'fish market at dawn' WHERE content = 'boats at anchor'",
		"INSERT INTO entities (name) VALUES ('Ferry')",
		"INSERT INTO observations (entity_id, content) SELECT id, 'crosses twice a day' FROM entities WHERE name = 'Ferry'",
		"PRAGMA foreign_keys = OFF",
		"DELETE FROM entities WHERE name = 'Lighthouse'",
	} {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for query, want := range map[string][]string{
		"anchor":      {},
		"fish market": {"Harbour"},
		"twice":       {"Ferry"},
		"white":       {},
	} {
		page, err := b.SearchNodes(t.Context(), query, 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, entityNames(page.Entities)); diff != "" || page.Total != len(want) {
			t.Errorf("searching %q, %d in all (-want +got):\n%s", query, page.Total, diff)
		}
	}
	want := 1 - cosine(bagOfWords("fish market"), bagOfWords("Harbour (place) | fish market at dawn"))
	result := b.semantic(t, "fish market", 1)
	if hit := result.Hits[0]; hit.Entity.Name != "Harbour" || hit.Distance == nil || abs(*hit.Distance-want) > 1e-4 {
		t.Errorf("hit %+v, want the distance %v of the present text", hit, want)
	}
}

func TestSimultaneousSearchesAfterAnotherProgramWrote(t *testing.T) {
	b := newBundle(t)
	items := make([]memory.NewEntity, 1200)
	for i := range items {
		items[i] = memory.NewEntity{Name: fmt.Sprint("Entity ", i), Observations: []string{"oldtext"}}
	}
	if _, err := b.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite3", b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "UPDATE observations SET content = 'newtext'"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for query, want := range map[string]int{"oldtext": 0, "newtext": len(items)} {
				page, err := b.SearchNodes(t.Context(), query, 5, 0)
				if err != nil || page.Total != want {
					t.Errorf("searching %q: %d, %v; want %d", query, page.Total, err, want)
				}
			}
		})
	}
	group.Wait()
}

func TestOldTextIsNotFoundWhileItCannotBeRefreshed(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Harbour", "place", "boats")
	raw, err := sql.Open("sqlite3", b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "DELETE FROM observations"); err != nil {
		t.Fatal(err)
	}
	release := holdWriteLock(t, b.path)
	defer release()
	for _, query := range []string{"boats", "many boats"} { // as it is, and by words
		if page, err := b.SearchNodes(t.Context(), query, 5, 0); err != nil || page.Total != 0 {
			t.Errorf("searching %q: %d, %v; want nothing", query, page.Total, err)
		}
	}
}

func TestNeighboursOfWhatAnotherProgramDeleted(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Ana", "person")
	b.create(t, "Helsinki", "place")
	b.relate(t, "Ana", "visits", "Helsinki")
	b.semantic(t, "helsinki", 2)
	raw, err := sql.Open("sqlite3", b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "DELETE FROM entities WHERE name = 'Helsinki'"); err != nil { // no foreign keys
		t.Fatal(err)
	}
	want := 1 - cosine(bagOfWords("helsinki"), bagOfWords("Ana (person)"))
	result := b.semantic(t, "helsinki", 2)
	if len(result.Hits) != 1 || result.Hits[0].Distance == nil || abs(*result.Hits[0].Distance-want) > 1e-4 {
		t.Errorf("found %+v, want Ana alone at %v", result.Hits, want)
	}
	if page, err := b.ReadGraph(t.Context(), 10, 0); err != nil || page.TotalRelations != 0 {
		t.Errorf("%d relations, %v; want none", page.TotalRelations, err)
	}
}

func TestImportingTheSameAgainEmbedsNothing(t *testing.T) {
	b := newBundle(t)
	path := writeFile(t, `{"type":"entity","name":"A","entityType":"T","observations":["one"]}`, `{"type":"entity","name":"B","observations":["two"]}`)
	for range 2 {
		if _, err := b.Import(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		b.semantic(t, "one", 1)
	}
	if n := b.embedder.passages.Load(); n != 2 {
		t.Errorf("%d passages embedded, want each of 2 once", n)
	}
}

func TestOneMemoryThatCannotBeEmbedded(t *testing.T) {
	b := newBundle(t)
	b.embedder.refuse = "poison"
	for i := range 40 {
		b.create(t, fmt.Sprint("Entity ", i), "T", "text")
	}
	b.create(t, "Bad", "T", "poison")
	b.create(t, "Last", "T", "text at the end")
	result := b.semantic(t, "text at the end", 1)
	if result.Pending != 1 || result.Hits[0].Distance == nil {
		t.Errorf("%d pending and %+v first, want only the bad one pending", result.Pending, result.Hits[0])
	}
}

func TestTwoModelsOnOneFileDoNotFight(t *testing.T) {
	b := newBundle(t)
	for i := range 5 {
		b.create(t, fmt.Sprint("Entity ", i), "T", "text")
	}
	b.semantic(t, "text", 1)
	db, err := sqlite.Open(t.Context(), b.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other := &wordEmbedder{id: "words/2"}
	service := memory.New(db, other, memory.Options{})
	service.Start(context.WithoutCancel(t.Context()))
	defer service.Close()
	for range 4 {
		if _, err := service.SearchSemantic(t.Context(), memory.Question{Query: "text", Limit: 1}); err != nil {
			t.Fatal(err)
		}
		b.semantic(t, "text", 1)
	}
	if mine, others := b.embedder.passages.Load(), other.passages.Load(); mine != 5 || others != 5 {
		t.Errorf("%d and %d passages embedded, want each entity once by each model", mine, others)
	}
}

func TestVectorsOfAnotherModelAreNotUsed(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Harbour", "place", "boats at anchor")
	b.semantic(t, "boats", 1)
	b.close(t)
	b.embedder = &wordEmbedder{id: "words/2"}
	b.open(t)
	if result := b.semantic(t, "boats", 1); result.Pending != 0 || result.Hits[0].Distance == nil {
		t.Errorf("with another model: %+v, want a vector of its own", result)
	}
	if n := b.embedder.passages.Load(); n != 1 {
		t.Errorf("%d passages embedded by the new model, want 1", n)
	}
}

func TestAnEntityThatChangesWhileItIsEmbedded(t *testing.T) {
	b := newBundle(t)
	changed := false
	b.embedder.before = func(texts []string) {
		if changed || !strings.Contains(texts[0], "first text") {
			return
		}
		changed = true
		err := b.db.Update(context.Background(), func(w memory.Writer) error {
			ids, err := w.EntityIDs(context.Background(), []string{"Moving"})
			if err != nil {
				return err
			}
			if _, err := w.InsertObservations(context.Background(), ids["Moving"], []string{"second text"}); err != nil {
				return err
			}
			return w.Reindex(context.Background(), []int64{ids["Moving"]})
		})
		if err != nil {
			t.Error(err)
		}
	}
	b.create(t, "Moving", "T", "first text")
	b.semantic(t, "anything", 1)
	result := b.semantic(t, "second text", 1)
	want := 1 - cosine(bagOfWords("second text"), bagOfWords("Moving (T) | first text | second text"))
	if result.Hits[0].Distance == nil || abs(*result.Hits[0].Distance-want) > 1e-4 {
		t.Errorf("hit %+v, want the distance %v of the present text", result.Hits[0], want)
	}
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func abs(x float64) float64 { return max(x, -x) }

// Of names that differ in nothing but case and accents, the one that was asked for comes
// first; pages have each once.
func TestTheVeryNameComesFirst(t *testing.T) {
	b := newBundle(t)
	for _, name := range []string{"ore", "Øre", "ORE", "Iron ore", "øre"} {
		b.create(t, name, "thing", "found in rocks")
	}
	for query, want := range map[string][]string{
		"Øre":  {"Øre", "ore", "ORE", "øre", "Iron ore"},
		"ORE":  {"ORE", "ore", "Øre", "øre", "Iron ore"},
		"ore":  {"ore", "Øre", "ORE", "øre", "Iron ore"},
		"Oré":  {"ore", "Øre", "ORE", "øre", "Iron ore"},
		" Ore": {"Iron ore"},
	} {
		for size := 1; size <= len(want)+1; size++ {
			var got []string
			for offset := 0; offset < len(want); offset += size {
				page, err := b.SearchNodes(t.Context(), query, size, offset)
				if err != nil {
					t.Fatal(err)
				}
				if page.Total != len(want) {
					t.Errorf("%q: total %d, want %d", query, page.Total, len(want))
				}
				got = append(got, entityNames(page.Entities)...)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q by pages of %d (-want +got):\n%s", query, size, diff)
			}
		}
	}
}

// Words that most entities hold find them where nothing else is asked for.
func TestNothingButCommonWords(t *testing.T) {
	b := newBundle(t)
	entities := make([]memory.NewEntity, 300)
	for i := range entities {
		entities[i] = memory.NewEntity{Name: fmt.Sprint("Task ", i), Type: new("task"), Observations: []string{fmt.Sprint("project is in status open number ", i)}}
	}
	if _, err := b.CreateEntities(t.Context(), entities); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{"status project": 300, "status number project": 300, "status penguin": 0} {
		page, err := b.SearchNodes(t.Context(), query, 10, 0)
		if err != nil || page.Total != want {
			t.Errorf("%q: %d entities, %v; want %d", query, page.Total, err, want)
		}
	}
}
