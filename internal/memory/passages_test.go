package memory_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
)

// diary is an entity of many observations, none of which is like another.
func diary(days int) []string {
	list := make([]string, days)
	for i := range list {
		list[i] = fmt.Sprintf("day%d brought event%d at place%d", i, i, i)
	}
	return list
}

func TestALongMemoryIsFoundByAnyOfItsParts(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Diary", "log", diary(60)...)
	for i := range 20 {
		b.create(t, fmt.Sprint("Other ", i), "log", fmt.Sprintf("something%d else%d", i, i))
	}
	for _, day := range []int{0, 13, 31, 59} {
		result := b.semantic(t, fmt.Sprintf("event%d place%d", day, day), 3)
		first := result.Hits[0]
		if first.Entity.Name != "Diary" {
			t.Fatalf("day %d: found %q", day, hitNames(result))
		}
		if want := diary(60)[day]; first.Match != want {
			t.Errorf("day %d: matched %q, want %q", day, first.Match, want)
		}
	}
}

func TestOnlyWhatAChangeTouchesIsEmbeddedAnew(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Diary", "log", diary(100)...)
	b.create(t, "Ana", "person", "keeps a diary")
	b.semantic(t, "anything", 1)
	for _, step := range []struct {
		name   string
		change func() error
		most   int64
	}{
		{"an observation more", func() error {
			_, err := b.AddObservations(t.Context(), []memory.ObservationSet{{Name: "Diary", Contents: []string{"one more day"}}})
			return err
		}, 2},
		{"the last one less", func() error {
			_, err := b.DeleteObservations(t.Context(), []memory.ObservationSet{{Name: "Diary", Contents: []string{"one more day"}}})
			return err
		}, 2},
		{"a relation", func() error {
			_, err := b.CreateRelations(t.Context(), []memory.Relation{{From: "Ana", To: "Diary", Type: "writes"}})
			return err
		}, 2},
		{"the same again", func() error {
			_, err := b.CreateEntities(t.Context(), []memory.NewEntity{{Name: "Diary", Observations: diary(100)}})
			return err
		}, 0},
	} {
		before := b.embedder.passages.Load()
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		b.semantic(t, "anything", 1)
		if n := b.embedder.passages.Load() - before; n > step.most {
			t.Errorf("%s: %d passages embedded, want %d at most", step.name, n, step.most)
		}
	}
}

func TestMatchIsTheRelationThatMatched(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Ana", "person", "likes tea")
	b.create(t, "Faro", "project", "starts in March")
	b.relate(t, "Ana", "leads", "Faro")
	result := b.semantic(t, "leads Faro", 2)
	for _, hit := range result.Hits {
		if !strings.Contains(hit.Match, "leads") {
			t.Errorf("%s matched by %q, want the relation", hit.Entity.Name, hit.Match)
		}
	}
}

func TestFunctionWordsSayNothing(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Lease", "contract", "rent is due on the first", "notice period is three months, so cancel in time")
	b.create(t, "Printer", "thing", "the the the")
	for _, hit := range b.semantic(t, "how long before must I cancel the lease?", 2).Hits {
		if hit.Entity.Name == "Lease" && !strings.HasPrefix(hit.Match, "notice period") {
			t.Errorf("matched %q, want what shares a word that says something", hit.Match)
		}
	}
	for _, hit := range b.semantic(t, "the of the", 2).Hits {
		if hit.EntityWords > 0 || hit.PassageWords > 0 {
			t.Errorf("%s shares words with nothing but function words", hit.Entity.Name)
		}
	}
}

func TestMatchIsCutAroundTheWords(t *testing.T) {
	b := newBundle(t)
	filler := strings.Repeat("relleno sin importancia ", 40)
	b.create(t, "Acta", "documento", filler+"la contraseña del router es queso "+filler)
	match := b.semantic(t, "contraseña router", 1).Hits[0].Match
	if !strings.Contains(match, "contraseña del router es queso") || len([]rune(match)) > 260 {
		t.Errorf("match is %q", match)
	}
}

func TestSemanticSearchFilters(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Old", "Person", "plays chess")
	b.create(t, "New", "person", "plays chess")
	b.create(t, "Club", "Reunión", "plays chess")
	b.setTimes(t, "Old", "2026-01-10 12:00:00")
	b.setTimes(t, "New", "2026-06-10T12:00:00") // as other programs may write it
	b.setTimes(t, "Club", "2026-06-20 12:00:00")
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
	for _, tc := range []struct {
		name string
		q    memory.Question
		want []string
	}{
		{"none", memory.Question{}, []string{"Club", "New", "Old"}},
		{"type in another case", memory.Question{EntityType: "PERSON"}, []string{"New", "Old"}},
		{"type without accents", memory.Question{EntityType: " reunion"}, []string{"Club"}},
		{"unknown type", memory.Question{EntityType: "planet"}, []string{}},
		{"since", memory.Question{Since: day(6, 10)}, []string{"Club", "New"}},
		{"until", memory.Question{Until: day(6, 10)}, []string{"New", "Old"}},
		{"all together", memory.Question{EntityType: "person", Since: day(2, 1), Until: day(7, 1)}, []string{"New"}},
		{"nothing in between", memory.Question{Since: day(2, 1), Until: day(3, 1)}, []string{}},
	} {
		for _, query := range []string{"who plays chess", "Old", "Club"} { // by words and meaning, and by name
			tc.q.Query, tc.q.Limit = query, 10
			result, err := b.SearchSemantic(t.Context(), tc.q)
			if err != nil {
				t.Fatal(err)
			}
			got := hitNames(result)
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s, searching %q (-want +got):\n%s", tc.name, query, diff)
			}
		}
	}
}

// A filter applies before the nearest are taken: those that pass it are found
// however many others are nearer.
func TestSemanticSearchFiltersFirst(t *testing.T) {
	b := newBundle(t)
	items := make([]memory.NewEntity, 400)
	for i := range items {
		items[i] = memory.NewEntity{Name: fmt.Sprint("Near ", i), Type: new("noise"), Observations: []string{"needle in a haystack"}}
	}
	if _, err := b.CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	b.create(t, "Far", "signal", "needle somewhere else, with much that has nothing to do with it")
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err := b.SearchSemantic(t.Context(), memory.Question{Query: "needle in a haystack", Limit: 1, EntityType: "signal"})
	if err != nil {
		t.Fatal(err)
	}
	if got := hitNames(result); len(got) != 1 || got[0] != "Far" || result.Hits[0].Distance == nil {
		t.Errorf("found %q, want Far by its vector", got)
	}
}

// setTimes has an entity changed last at a time, as another program might.
func (b *bundle) setTimes(t *testing.T, name, at string) {
	t.Helper()
	raw, err := sql.Open("sqlite3", b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "UPDATE entities SET updated_at = ? WHERE name = ?", at, name); err != nil {
		t.Fatal(err)
	}
}

// Searches record what they returned. However many there were, what is clearly
// better stays in front, and the same question has the same answer.
func TestSearchesNeverDegradeLaterOnes(t *testing.T) {
	words := strings.Fields("boat anchor tower market dawn fish rope sail wind tide harbour captain storm map island")
	for seed := range uint64(12 / slowness) {
		random := rand.New(rand.NewPCG(seed, 0))
		draw := func(most int) string {
			list := make([]string, 1+random.IntN(most))
			for i := range list {
				list[i] = words[random.IntN(len(words))]
			}
			return strings.Join(list, " ")
		}
		b := newBundle(t)
		items := make([]memory.NewEntity, 2+random.IntN(30))
		for i := range items {
			items[i] = memory.NewEntity{Name: fmt.Sprint("Entity ", i), Observations: []string{draw(6), draw(6)}}
		}
		if _, err := b.CreateEntities(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		asked := draw(4)
		before := b.semantic(t, asked, 40)
		if again := b.semantic(t, asked, 40); !slices.Equal(hitNames(before), hitNames(again)) {
			t.Errorf("seed %d, asked %q twice: %q, then %q", seed, asked, hitNames(before), hitNames(again))
		}
		for range 30 {
			b.semantic(t, draw(4), 1+random.IntN(5))
		}
		after := b.semantic(t, asked, 40)
		place := map[string]int{}
		for i, h := range after.Hits {
			place[h.Entity.Name] = i
		}
		overruling := (1 + rank.E5Small.Use) / (1 - rank.E5Small.Use)
		for i, better := range before.Hits {
			for _, worse := range before.Hits[i+1:] {
				clearly := better.Evidence > worse.Evidence*overruling
				if clearly && place[better.Entity.Name] > place[worse.Entity.Name] {
					t.Errorf("seed %d: %s (%v) fell behind %s (%v)", seed, better.Entity.Name, better.Evidence, worse.Entity.Name, worse.Evidence)
				}
			}
		}
	}
}
