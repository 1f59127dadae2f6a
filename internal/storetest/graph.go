package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mcp-memory/internal/memory"
)

func testEntities(t *testing.T, s memory.Store) {
	before := time.Now().UTC().Truncate(time.Second)
	a := add(t, s, "Alfa", "uno", "dos")
	b := add(t, s, "bravo")
	if a >= b {
		t.Errorf("ids %d, %d do not ascend", a, b)
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.SetEntityType(ctx, b, "Persona"); err != nil {
			return err
		}
		return w.TouchEntity(ctx, b)
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		n, err := r.CountObservations(ctx)
		if err != nil {
			return err
		}
		equal(t, "CountObservations", n, 2)
		types, err := r.EntityTypes(ctx)
		if err != nil {
			return err
		}
		equal(t, "EntityTypes", types, []string{"Note", "Persona"})
		ids, err := r.EntityIDs(ctx, []string{"bravo", "Alfa", "ALFA", "bravo", "nobody"})
		if err != nil {
			return err
		}
		equal(t, "EntityIDs", ids, map[string]int64{"Alfa": a, "bravo": b})

		entities, err := r.Entities(ctx, []int64{b, 999, a, b})
		if err != nil {
			return err
		}
		for i, e := range entities {
			for _, at := range []time.Time{e.CreatedAt, e.UpdatedAt} {
				if at.Before(before) || at.After(time.Now()) {
					t.Errorf("time %v of %q is not now", at, e.Name)
				}
			}
			entities[i].CreatedAt, entities[i].UpdatedAt = time.Time{}, time.Time{}
		}
		bravo := memory.Entity{ID: b, Name: "bravo", Type: "Persona", Observations: []string{}}
		alfa := memory.Entity{ID: a, Name: "Alfa", Type: "Note", Observations: []string{"uno", "dos"}}
		equal(t, "Entities", entities, []memory.Entity{bravo, alfa, bravo})
		return nil
	})
	for _, page := range []struct {
		limit, offset int
		want          []int64
	}{
		{10, 0, []int64{a, b}},
		{1, 0, []int64{a}},
		{1, 1, []int64{b}},
		{1, 2, []int64{}},
		{0, 0, []int64{}},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			ids, total, err := r.EntityPage(ctx, page.limit, page.offset)
			equal(t, fmt.Sprintf("EntityPage(%d, %d)", page.limit, page.offset), ids, page.want)
			equal(t, "total", total, 2)
			return err
		})
	}
	err := s.Update(t.Context(), func(w memory.Writer) error {
		_, err := w.InsertEntity(t.Context(), "Alfa", "Note")
		return err
	})
	if err == nil {
		t.Error("InsertEntity took a name that exists")
	}
}

func testNothing(t *testing.T, s memory.Store) {
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for _, ids := range [][]int64{nil, {}, {404, -1}} {
			entities, err := w.Entities(ctx, ids)
			if err != nil {
				return err
			}
			equal(t, "Entities", entities, []memory.Entity{})
			touching, err := w.EdgesTouching(ctx, ids)
			if err != nil {
				return err
			}
			equal(t, "EdgesTouching", touching, []memory.Edge{})
			upTo, err := w.EdgesUpTo(ctx, ids)
			if err != nil {
				return err
			}
			equal(t, "EdgesUpTo", upTo, []memory.Edge{})
			usages, err := w.Usages(ctx, ids)
			if err != nil {
				return err
			}
			equal(t, "Usages", usages, []memory.Usage{})
			pairs, err := w.CoOccurrences(ctx, ids)
			if err != nil {
				return err
			}
			equal(t, "CoOccurrences", pairs, []memory.CoOccurrence{})
			for _, change := range []func(context.Context, []int64) error{
				w.Reindex, w.RecordAccess, w.RecordTogether,
			} {
				if err := change(ctx, ids); err != nil {
					return err
				}
			}
		}
		ids, err := w.EntityIDs(ctx, nil)
		if err != nil {
			return err
		}
		equal(t, "EntityIDs", ids, map[string]int64{})
		added, err := w.InsertObservations(ctx, 404, nil)
		if err != nil {
			return err
		}
		equal(t, "InsertObservations", added, []string{})
		deleted, err := w.DeleteObservations(ctx, 404, []string{"x"})
		if err != nil {
			return err
		}
		equal(t, "DeleteObservations", deleted, []string{})
		return w.DeleteEntity(ctx, 404)
	})
}

func testLongLists(t *testing.T, s memory.Store) {
	const many = 40_000 // more than SQLite takes as parameters
	a, b := add(t, s, "Alfa", "uno"), add(t, s, "Bravo")
	ids, names := make([]int64, many), make([]string, many)
	for i := range many {
		ids[i], names[i] = int64(i+1_000_000), fmt.Sprintf("name %d", i)
	}
	ids[0], ids[many-1] = b, a
	names[many-1] = "Alfa"
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.InsertRelation(ctx, a, b, "knows"); err != nil {
			return err
		}
		if err := w.Reindex(ctx, ids); err != nil {
			return err
		}
		return w.RecordAccess(ctx, ids)
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		known, err := r.EntityIDs(ctx, names)
		if err != nil {
			return err
		}
		equal(t, "EntityIDs", known, map[string]int64{"Alfa": a})
		entities, err := r.Entities(ctx, ids)
		if err != nil {
			return err
		}
		equal(t, "names", namesOf(entities), []string{"Bravo", "Alfa"})
		edges, err := r.EdgesUpTo(ctx, ids)
		if err != nil {
			return err
		}
		equal(t, "number of edges", len(edges), 1)
		all, err := r.CountEdges(ctx)
		if err != nil {
			return err
		}
		equal(t, "CountEdges", all, 1)
		usages, err := r.Usages(ctx, ids)
		equal(t, "number of usages", len(usages), 2)
		return err
	})
}

func namesOf(entities []memory.Entity) []string {
	names := make([]string, len(entities))
	for i, e := range entities {
		names[i] = e.Name
	}
	return names
}

func testDeleteEntity(t *testing.T, s memory.Store) {
	a, b := add(t, s, "Alfa", "one word"), add(t, s, "Bravo", "another word")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.InsertRelation(ctx, a, b, "knows"); err != nil {
			return err
		}
		if err := w.Reindex(ctx, []int64{a, b}); err != nil {
			return err
		}
		for _, id := range []int64{a, b} {
			if err := w.SetVector(ctx, id, "m", "h", direction(0)); err != nil {
				return err
			}
			if err := w.EnsureUsage(ctx, id); err != nil {
				return err
			}
		}
		if err := w.RecordTogether(ctx, []int64{a, b}); err != nil {
			return err
		}
		if err := embedDue(ctx, w, "m", direction(0)); err != nil {
			return err
		}
		if err := w.DeleteEntity(ctx, a); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{b}) // the relation is gone from its text
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		entities, err := r.Entities(ctx, []int64{a, b})
		if err != nil {
			return err
		}
		equal(t, "entities left", namesOf(entities), []string{"Bravo"})
		edges, err := r.EdgesTouching(ctx, []int64{a, b})
		if err != nil {
			return err
		}
		equal(t, "edges left", edges, []memory.Edge{})
		pairs, err := r.CoOccurrences(ctx, []int64{a, b})
		if err != nil {
			return err
		}
		equal(t, "pairs left", pairs, []memory.CoOccurrence{})
		matches, err := r.MatchAny(ctx, memory.Entities, anyOf("word"), memory.Filter{}, 10)
		if err != nil {
			return err
		}
		equal(t, "matches left", matchedIDs(matches), []int64{b})
		ids, _, err := r.Containing(ctx, "word", 10, 0)
		if err != nil {
			return err
		}
		equal(t, "substrings left", ids, []int64{b})
		nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 10)
		if err != nil {
			return err
		}
		equal(t, "vectors left", entitiesOf(nearest), []int64{b})
		passages, err := r.CountPassages(ctx)
		equal(t, "passages left", passages, 1)
		return err
	})
	if again := add(t, s, "Alfa"); again <= b {
		t.Errorf("id %d is not a new one", again)
	}
}

func testObservations(t *testing.T, s memory.Store) {
	id := add(t, s, "Alfa", "dos", "uno")
	want := func(what string, contents ...string) {
		t.Helper()
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			entities, err := r.Entities(ctx, []int64{id})
			if err != nil {
				return err
			}
			equal(t, what, entities[0].Observations, contents)
			return nil
		})
	}
	odd := "tab\tquote\" ' \u00e9e\u0301 \U0001f600 % _ null\u2028"
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		added, err := w.InsertObservations(ctx, id, []string{"uno", "tres", "UNO", "tres", "", odd})
		equal(t, "added", added, []string{"tres", "UNO", "", odd})
		return err
	})
	want("after insert", "dos", "uno", "tres", "UNO", "", odd)
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		deleted, err := w.DeleteObservations(ctx, id, []string{"tres", "nope", "dos", "tres", ""})
		equal(t, "deleted", deleted, []string{"tres", "dos", ""})
		return err
	})
	want("after delete", "uno", "UNO", odd)
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		added, err := w.InsertObservations(ctx, id, []string{"dos"})
		equal(t, "added again", added, []string{"dos"})
		return err
	})
	want("after another insert", "uno", "UNO", odd, "dos")
}

func testRelations(t *testing.T, s memory.Store) {
	a, b, c := add(t, s, "A"), add(t, s, "B"), add(t, s, "C")
	type edge struct {
		from, to int64
		kind     string
	}
	insert := func(e edge, want bool) {
		t.Helper()
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			created, err := w.InsertRelation(ctx, e.from, e.to, e.kind)
			equal(t, fmt.Sprintf("InsertRelation%v", e), created, want)
			return err
		})
	}
	insert(edge{a, b, "knows"}, true)
	insert(edge{a, b, "knows"}, false)
	insert(edge{a, b, "Knows"}, true)
	insert(edge{b, a, "knows"}, true)
	insert(edge{c, c, "self"}, true)
	insert(edge{b, c, "sees"}, true)

	kinds := func(edges []memory.Edge) []string {
		list := []string{}
		for _, e := range edges {
			list = append(list, e.From+" "+e.Relation.Type+" "+e.To)
		}
		return list
	}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		touching, err := r.EdgesTouching(ctx, []int64{c, c, 404})
		if err != nil {
			return err
		}
		equal(t, "touching C", kinds(touching), []string{"C self C", "B sees C"})
		upToB, err := r.EdgesUpTo(ctx, []int64{b, a})
		if err != nil {
			return err
		}
		equal(t, "up to B", kinds(upToB), []string{"A knows B", "A Knows B", "B knows A"})
		equal(t, "ends", [2]int64{upToB[0].FromID, upToB[0].ToID}, [2]int64{a, b})
		upToC, err := r.EdgesUpTo(ctx, []int64{c})
		if err != nil {
			return err
		}
		equal(t, "up to C", kinds(upToC), []string{"C self C", "B sees C"})
		all, err := r.EdgesTouching(ctx, []int64{a, b, c})
		equal(t, "number of all", len(all), 5)
		return err
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for _, want := range []bool{true, false} {
			deleted, err := w.DeleteRelation(ctx, a, b, "knows")
			if err != nil {
				return err
			}
			equal(t, "DeleteRelation", deleted, want)
		}
		return nil
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		left, err := r.EdgesUpTo(ctx, []int64{a, b})
		equal(t, "left", kinds(left), []string{"A Knows B", "B knows A"})
		return err
	})
}
