package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

func TestCreateEntitiesMerges(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Alfa", "Sistema", "uno", "dos", "dos")

	for _, step := range []struct {
		name, entityType string
		observations     []string
		wantType         string
		want             []string
	}{
		{"Alfa", "", []string{"tres", "uno"}, "Sistema", []string{"uno", "dos", "tres"}},
		{" Alfa ", "  ", nil, "Sistema", []string{"uno", "dos", "tres"}},
		{"Alfa", "Proyecto", []string{"cuatro"}, "Proyecto", []string{"uno", "dos", "tres", "cuatro"}},
		{"alfa", "", nil, memory.DefaultEntityType, []string{}},
	} {
		got := b.create(t, step.name, step.entityType, step.observations...)
		if got.Type != step.wantType || !cmp.Equal(got.Observations, step.want) {
			t.Errorf("creating %q (%q, %q) = %q %q, want %q %q",
				step.name, step.entityType, step.observations, got.Type, got.Observations, step.wantType, step.want)
		}
	}
}

func TestSameNameTwiceInACall(t *testing.T) {
	b := newBundle(t)
	created, err := b.CreateEntities(t.Context(), []memory.NewEntity{
		{Name: "A", Observations: []string{"one"}},
		{Name: "A", Observations: []string{"two"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if created[0].ID != created[1].ID {
		t.Errorf("ids %d and %d, want one entity", created[0].ID, created[1].ID)
	}
	got := [][]string{created[0].Observations, created[1].Observations}
	if diff := cmp.Diff([][]string{{"one"}, {"one", "two"}}, got); diff != "" {
		t.Errorf("each item shows the state right after it (-want +got):\n%s", diff)
	}
}

func TestNamesThatLookTheSameAreTheSame(t *testing.T) {
	b := newBundle(t)
	b.create(t, "cafe\u0301", "", "decomposed")
	b.create(t, "café", "", "composed")
	graph, err := b.OpenNodes(t.Context(), []string{"café", "cafe\u0301", " café "})
	if err != nil {
		t.Fatal(err)
	}
	if len(graph.Entities) != 1 || graph.Entities[0].Name != "café" {
		t.Fatalf("opened %q, want the one composed name", entityNames(graph.Entities))
	}
	if diff := cmp.Diff([]string{"decomposed", "composed"}, graph.Entities[0].Observations); diff != "" {
		t.Error(diff)
	}
}

func TestExactNamesOfOlderDatabasesWin(t *testing.T) {
	b := newBundle(t)
	b.create(t, "café", "", "new")
	err := b.db.Update(t.Context(), func(w memory.Writer) error {
		for _, name := range []string{"cafe\u0301", " padded ", "nin\u0303o"} {
			if _, err := w.InsertEntity(t.Context(), name, "Old"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		"café":       "café",
		"cafe\u0301": "cafe\u0301",
		" padded ":   " padded ",
		"niño":       "nin\u0303o",
	} {
		graph, err := b.OpenNodes(t.Context(), []string{asked})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, entityNames(graph.Entities)); diff != "" {
			t.Errorf("opening %q (-want +got):\n%s", asked, diff)
		}
	}
}

func TestObservations(t *testing.T) {
	b := newBundle(t)
	b.create(t, "A", "T", "a")
	b.create(t, "B", "T", "b")

	added, err := b.AddObservations(t.Context(), []memory.ObservationSet{
		{Name: "A", Contents: []string{"a", "c", "c"}},
		{Name: "B", Contents: []string{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c"}, added[0].Changed); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "c"}, added[0].Entity.Observations); diff != "" {
		t.Errorf("A (-want +got):\n%s", diff)
	}

	deleted, err := b.DeleteObservations(t.Context(), []memory.ObservationSet{{Name: "A", Contents: []string{"c", "x", "c"}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c"}, deleted[0].Changed); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]error{&memory.ObservationNotFoundError{Content: "x"}}, deleted[0].Missing); diff != "" {
		t.Errorf("not there to delete (-want +got):\n%s", diff)
	}
	deleted, err = b.DeleteObservations(t.Context(), []memory.ObservationSet{{Name: "A", Contents: []string{"y", "y", "A", "a "}}, {Name: "B"}})
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, err := range deleted[0].Missing {
		missing = append(missing, err.Error())
	}
	if diff := cmp.Diff([]string{"Observation not found: y", "Observation not found: A", "Observation not found: a "}, missing); diff != "" || deleted[1].Missing != nil {
		t.Errorf("not there to delete, and %v (-want +got):\n%s", deleted[1].Missing, diff)
	}
	long := &memory.ObservationNotFoundError{Content: strings.Repeat("ñ", 201)}
	if want := "Observation not found: " + strings.Repeat("ñ", 199) + "…"; long.Error() != want {
		t.Errorf("of a long one: %q", long.Error())
	}

	_, err = b.AddObservations(t.Context(), []memory.ObservationSet{
		{Name: "A", Contents: []string{"kept out"}},
		{Name: "Nadie", Contents: []string{"x"}},
	})
	if unknown, ok := errors.AsType[*memory.NotFoundError](err); !ok || unknown.Name != "Nadie" {
		t.Fatalf("adding to an unknown name: %v, want that it is not found", err)
	}
	graph, err := b.OpenNodes(t.Context(), []string{"A"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, graph.Entities[0].Observations); diff != "" {
		t.Errorf("a failed call changed A (-want +got):\n%s", diff)
	}
}

func TestRelations(t *testing.T) {
	b := newBundle(t)
	b.create(t, "A", "T")
	b.create(t, "B", "T")
	results, err := b.CreateRelations(t.Context(), []memory.Relation{
		{From: "A", To: "B", Type: "r"},
		{From: "A", To: "B", Type: "r"},
		{From: "B", To: "A", Type: "r"},
		{From: "A", To: "A", Type: "r"},
		{From: "A", To: "nobody", Type: "r"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		text := "ok"
		if r.Err != nil {
			text = r.Err.Error()
		}
		got = append(got, text)
	}
	want := []string{"ok", "Relation already exists", "ok", "ok", "Entity not found: nobody"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}

	deleted, failed, err := b.DeleteRelations(t.Context(), []memory.Relation{
		{From: "A", To: "B", Type: "r"}, {From: "A", To: "B", Type: "r"}, {From: "A", To: "nobody", Type: "r"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]memory.Relation{{From: "A", To: "B", Type: "r"}}, deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	texts := []string{failed[0].Error(), failed[1].Error()}
	if diff := cmp.Diff([]string{"Relation not found: A -> B (r)", "Entity not found: A or nobody"}, texts); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
}

func TestDeleteEntities(t *testing.T) {
	b := newBundle(t)
	b.create(t, "A", "T", "a")
	b.create(t, "B", "T", "b")
	b.relate(t, "A", "knows", "B")
	deleted, missing, err := b.DeleteEntities(t.Context(), []string{"A", "nobody", "A"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"A"}, deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if len(missing) != 2 {
		t.Errorf("missing = %v, want two names", missing)
	}
	page, err := b.ReadGraph(t.Context(), 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	if page.Total != 1 || page.TotalRelations != 0 || len(page.Relations) != 0 || page.Entities[0].Name != "B" {
		t.Errorf("left: %+v, want B alone", page)
	}
	if again := b.create(t, "A", "T", "new"); !cmp.Equal(again.Observations, []string{"new"}) {
		t.Errorf("created again: %q, want a clean start", again.Observations)
	}
}

func TestOpenNodesCountsEachNameOnce(t *testing.T) {
	b := newBundle(t)
	a, c := b.create(t, "A", "T", "a"), b.create(t, "C", "T", "c")
	b.create(t, "B", "T", "b")
	b.relate(t, "B", "near", "A")
	b.relate(t, "A", "near", "C")
	graph, err := b.OpenNodes(t.Context(), []string{"C", "nobody", "A", "C"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"C", "A"}, entityNames(graph.Entities)); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
	want := []memory.Relation{{From: "B", To: "A", Type: "near"}, {From: "A", To: "C", Type: "near"}}
	if diff := cmp.Diff(want, graph.Relations); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
	err = b.db.View(t.Context(), func(r memory.Reader) error {
		usages, err := r.Usages(t.Context(), []int64{a.ID, c.ID})
		if err != nil {
			return err
		}
		for _, u := range usages {
			if u.Accesses != 2 {
				t.Errorf("entity %d has %d accesses, want 2: its creation and one opening", u.EntityID, u.Accesses)
			}
		}
		pairs, err := r.CoOccurrences(t.Context(), []int64{a.ID, c.ID})
		if diff := cmp.Diff([]memory.CoOccurrence{{A: a.ID, B: c.ID, Count: 1}}, pairs); diff != "" {
			t.Errorf("co-occurrences (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
