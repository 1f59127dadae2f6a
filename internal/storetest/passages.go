package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

// passagesOf reads the texts of an entity's passages, in order: for a model that
// made no vector, all are due.
func passagesOf(t *testing.T, s memory.Store, id int64) (passages []memory.PassageText) {
	t.Helper()
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		all, err := r.PassagesDue(ctx, "of no vector", 0, 1_000_000)
		for _, p := range all {
			if p.Entity.ID == id {
				passages = append(passages, p)
			}
		}
		return err
	})
	return passages
}

// textsOf are the texts of passages.
func textsOf(passages []memory.PassageText) []string {
	texts := []string{}
	for _, p := range passages {
		texts = append(texts, p.Window.Text)
	}
	return texts
}

// embed stores the vector of a passage.
func embed(ctx context.Context, w memory.Writer, modelID string, p memory.PassageText, vector []float32) error {
	return w.SetPassageVector(ctx, p.ID, modelID, p.Window.Hash(), stored(vector))
}

// embedDue gives all passages that have no vector of a model the same one.
func embedDue(ctx context.Context, w memory.Writer, modelID string, vector []float32) error {
	due, err := w.PassagesDue(ctx, modelID, 0, 1_000_000)
	for _, p := range due {
		if err == nil {
			err = embed(ctx, w, modelID, p, vector)
		}
	}
	return err
}

// embedEntities gives the passages of each entity a vector of model m.
func embedEntities(t *testing.T, s memory.Store, degrees map[int64]float64) {
	t.Helper()
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		due, err := w.PassagesDue(ctx, "of no vector", 0, 1_000_000)
		if err != nil {
			return err
		}
		for _, p := range due {
			if d, ok := degrees[p.Entity.ID]; ok {
				if err := embed(ctx, w, "m", p, direction(d)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// relate adds a relation and indexes its ends.
func relate(t *testing.T, s memory.Store, from, to int64, relationType string) {
	t.Helper()
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.InsertRelation(ctx, from, to, relationType); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{from, to})
	})
}

func testPassages(t *testing.T, s memory.Store) {
	a, b := add(t, s, "Alfa", "uno", "dos"), add(t, s, "Bravo")
	relate(t, s, a, b, "knows")
	relate(t, s, b, b, "is")
	equal(t, "passages of A", textsOf(passagesOf(t, s, a)), []string{"Alfa (Note) | uno | dos", "Alfa (Note) | Rel: knows \u2192 Bravo"})
	equal(t, "passages of B", textsOf(passagesOf(t, s, b)), []string{"Bravo (Note) | Rel: is \u2192 Bravo; Alfa \u2192 knows"})
	ofA := passagesOf(t, s, a)
	equal(t, "observations of the first passage", [2]int{ofA[0].Window.First, ofA[0].Window.Last}, [2]int{0, 1})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		n, err := r.CountPassages(ctx)
		if err != nil {
			return err
		}
		equal(t, "CountPassages", n, 3)
		texts, err := r.PassageTexts(ctx, []int64{ofA[1].ID, 404, ofA[0].ID, ofA[1].ID})
		if err != nil {
			return err
		}
		equal(t, "PassageTexts", texts, []memory.PassageText{ofA[1], ofA[0], ofA[1]})
		none, err := r.PassageTexts(ctx, nil)
		equal(t, "PassageTexts of none", none, []memory.PassageText{})
		return err
	})
}

func testPassagesDue(t *testing.T, s memory.Store) {
	a, b, c, d := add(t, s, "A"), add(t, s, "B"), add(t, s, "C"), add(t, s, "D")
	ids := map[int64]int64{}
	for _, id := range []int64{a, b, c, d} {
		p := passagesOf(t, s, id)[0]
		ids[id] = p.ID
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			switch id {
			case a:
				return embed(ctx, w, "m", p, direction(0))
			case b:
				return embed(ctx, w, "old", p, direction(0))
			case d: // of a text that it does not have, and of a passage that there is not
				if err := w.SetPassageVector(ctx, p.ID, "m", "another hash", stored(direction(0))); err != nil {
					return err
				}
				return w.SetPassageVector(ctx, 404, "m", p.Window.Hash(), stored(direction(0)))
			}
			return nil
		})
	}
	for _, tc := range []struct {
		model string
		after int64
		limit int
		want  []int64
		count int
	}{
		{"m", 0, 10, []int64{b, c, d}, 3},
		{"m", 0, 2, []int64{b, c}, 3},
		{"m", ids[b], 10, []int64{c, d}, 3},
		{"m", ids[d], 10, []int64{}, 3},
		{"m", 0, 0, []int64{}, 3},
		{"old", 0, 10, []int64{a, c, d}, 3},
		{"unheard of", 0, 10, []int64{a, b, c, d}, 4},
		{"", 0, 10, []int64{c, d}, 2},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			what := fmt.Sprintf("model %q, after %d, limit %d", tc.model, tc.after, tc.limit)
			due, err := r.PassagesDue(ctx, tc.model, tc.after, tc.limit)
			if err != nil {
				return err
			}
			entities := []int64{}
			for _, p := range due {
				equal(t, "id of the passage", p.ID, ids[p.Entity.ID])
				entities = append(entities, p.Entity.ID)
			}
			equal(t, what, entities, tc.want)
			passages, of, err := r.CountPassagesDue(ctx, tc.model)
			equal(t, what+": counted", [2]int{passages, of}, [2]int{tc.count, tc.count})
			return err
		})
	}
}

// testUnchangedPassages checks that a change costs the vectors of those passages
// alone that it touches.
func testUnchangedPassages(t *testing.T, s memory.Store) {
	var observations []string
	for i := range 30 {
		observations = append(observations, fmt.Sprintf("observation number %d", i)+strings.Repeat(" and so on", 20))
	}
	id, other := add(t, s, "Long", observations...), add(t, s, "Other")
	total := len(passagesOf(t, s, id))
	if total < 10 {
		t.Fatalf("only %d passages", total)
	}
	for _, change := range []struct {
		name        string
		least, most int // of passages without a vector afterwards
		by          func(ctx context.Context, w memory.Writer) error
	}{
		{"nothing", 0, 0, func(context.Context, memory.Writer) error { return nil }},
		{"one more observation", 1, 2, func(ctx context.Context, w memory.Writer) error {
			_, err := w.InsertObservations(ctx, id, []string{"one more"})
			return err
		}},
		{"a relation", 2, 2, func(ctx context.Context, w memory.Writer) error { // one at each end
			_, err := w.InsertRelation(ctx, id, other, "knows")
			return err
		}},
		{"one observation less", 0, 2, func(ctx context.Context, w memory.Writer) error {
			_, err := w.DeleteObservations(ctx, id, []string{"one more"})
			return err
		}},
		{"another type", total + 1, total + 1, func(ctx context.Context, w memory.Writer) error {
			_, err := w.SetEntityType(ctx, id, "Other")
			return err
		}},
	} {
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			if err := embedDue(ctx, w, "m", direction(0)); err != nil {
				return err
			}
			if err := change.by(ctx, w); err != nil {
				return err
			}
			return w.Reindex(ctx, []int64{id, other})
		})
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			due, _, err := r.CountPassagesDue(ctx, "m")
			if due < change.least || due > change.most {
				t.Errorf("%d passages due after %s, want %d to %d", due, change.name, change.least, change.most)
			}
			return err
		})
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.DeleteObservations(ctx, id, observations); err != nil {
			return err
		}
		if _, err := w.InsertObservations(ctx, id, []string{"one", "two"}); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{id})
	})
	equal(t, "passages of a shorter text", textsOf(passagesOf(t, s, id)), []string{
		"Long (Other) | one | two", "Long (Other) | Rel: knows \u2192 Other",
	})
}

// testOutdatedPassages changes entities and leaves them out of step, as other
// programs do.
func testOutdatedPassages(t *testing.T, s memory.Store) {
	a, b := add(t, s, "Alfa", "uno"), add(t, s, "Bravo", "dos")
	embedEntities(t, s, map[int64]float64{a: 0, b: 10})
	of := map[int64]int64{a: passagesOf(t, s, a)[0].ID, b: passagesOf(t, s, b)[0].ID}
	check := func(when string, want []int64, due int) {
		t.Helper()
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 10)
			if err != nil {
				return err
			}
			equal(t, "nearest "+when, entitiesOf(nearest), want)
			nearest, err = r.NearestOf(ctx, "m", asked(direction(0)), []int64{a, b})
			if err != nil {
				return err
			}
			equal(t, "nearest of both "+when, entitiesOf(nearest), want)
			matches, err := r.MatchAny(ctx, memory.Passages, variantsOf("note"), memory.Filter{}, 10)
			if err != nil {
				return err
			}
			equal(t, "words "+when, sorted(matchedIDs(matches)), want)
			texts, err := r.PassageTexts(ctx, []int64{of[a], of[b]})
			if err != nil {
				return err
			}
			equal(t, "texts "+when, len(texts), len(want))
			n, _, err := r.CountPassagesDue(ctx, "m")
			if err != nil {
				return err
			}
			equal(t, "due "+when, n, due)
			list, err := r.PassagesDue(ctx, "m", 0, 1)
			equal(t, "listed as due "+when, len(list), due)
			return err
		})
	}
	check("before", []int64{a, b}, 0)
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		_, err := w.InsertObservations(ctx, a, []string{"tres"})
		return err
	})
	check("while one is out of step", []int64{b}, 0)
	update(t, s, func(ctx context.Context, w memory.Writer) error { return w.Reindex(ctx, []int64{a}) })
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 10)
		equal(t, "nearest while one has no vector", entitiesOf(nearest), []int64{b})
		return err
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error { return embedDue(ctx, w, "m", direction(0)) })
	check("afterwards", []int64{a, b}, 0)
}

func sorted(ids []int64) []int64 {
	slices.Sort(ids)
	return ids
}
