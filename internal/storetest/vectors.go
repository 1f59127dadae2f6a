package storetest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mcp-memory/internal/memory"
)

// direction is a unit vector at an angle, in degrees, in one plane. Its numbers
// are alike in size, as those of an embedding are.
func direction(degrees float64) []float32 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	v := make([]float32, memory.Dimensions)
	for i := range v {
		sign := 1.0
		if i%2 == 1 {
			sign = -1
		}
		v[i] = float32((cos + sign*sin) / math.Sqrt(memory.Dimensions))
	}
	return v
}

// randomDirection is a unit vector, almost at right angles to others.
func randomDirection(random *rand.Rand) []float32 {
	numbers := make([]float64, memory.Dimensions)
	var sum float64
	for i := range numbers {
		numbers[i] = random.NormFloat64()
		sum += numbers[i] * numbers[i]
	}
	v := make([]float32, memory.Dimensions)
	for i, x := range numbers {
		v[i] = float32(x / math.Sqrt(sum))
	}
	return v
}

// entitiesOf lists the entities of passages.
func entitiesOf(neighbours []memory.PassageNeighbour) []int64 {
	ids := []int64{}
	for _, n := range neighbours {
		ids = append(ids, n.EntityID)
	}
	return ids
}

// asked and stored are vectors of which nothing is taken off.
func asked(exact []float32) memory.QueryVector {
	return memory.QueryVector{Exact: exact, Neutral: exact}
}

func stored(exact []float32) memory.PassageVector {
	return memory.PassageVector{Exact: exact, Neutral: exact, Length: 1}
}

func testNearestPassages(t *testing.T, s memory.Store) {
	far, near, twin, other := add(t, s, "far"), add(t, s, "near"), add(t, s, "twin"), add(t, s, "other model")
	add(t, s, "no vector")
	embedEntities(t, s, map[int64]float64{far: 90, near: 10, twin: 10})
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		due, err := w.PassagesDue(ctx, "m", 0, 1)
		if err != nil {
			return err
		}
		equal(t, "entity that is due", due[0].Entity.ID, other)
		return embed(ctx, w, "old", due[0], direction(0))
	})
	for k, want := range map[int][]int64{0: {}, 1: {near}, 2: {near, twin}, 3: {near, twin, far}, 100_000: {near, twin, far}, -1: {}} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, k)
			equal(t, fmt.Sprintf("k=%d", k), entitiesOf(nearest), want)
			if len(nearest) == 3 {
				if d := nearest[2].Distance; math.Abs(d-1) > 1e-5 {
					t.Errorf("distance at 90 degrees is %v", d)
				}
			}
			return err
		})
	}
	for model, want := range map[string][]int64{"": {other, near, twin, far}, "old": {other}, "unheard of": {}} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.NearestPassages(ctx, model, asked(direction(0)), memory.Filter{}, 10)
			equal(t, fmt.Sprintf("of model %q", model), entitiesOf(nearest), want)
			return err
		})
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if err := w.DeleteEntity(ctx, near); err != nil {
			return err
		}
		return embedDue(ctx, w, "old", direction(5))
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 10)
		equal(t, "after a deletion and with other vectors", entitiesOf(nearest), []int64{})
		return err
	})
}

func testNearestOf(t *testing.T, s memory.Store) {
	a, b, none := add(t, s, "Alfa", "uno"), add(t, s, "Bravo"), add(t, s, "Charlie")
	relate(t, s, a, a, "knows")
	ofA := passagesOf(t, s, a)
	equal(t, "passages of A", len(ofA), 2)
	embedEntities(t, s, map[int64]float64{b: 20})
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if err := embed(ctx, w, "m", ofA[0], direction(30)); err != nil {
			return err
		}
		return embed(ctx, w, "m", ofA[1], direction(10))
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.NearestOf(ctx, "m", asked(direction(5)), []int64{none, b, a, a, 404})
		if err != nil {
			return err
		}
		equal(t, "entities", entitiesOf(nearest), []int64{a, b})
		equal(t, "passage of A", nearest[0].PassageID, ofA[1].ID)
		if d := nearest[0].Distance; math.Abs(d-0.003805) > 1e-5 {
			t.Errorf("distance at 5 degrees is %v", d)
		}
		for model, want := range map[string]int{"": 2, "unheard of": 0} {
			nearest, err := r.NearestOf(ctx, model, asked(direction(0)), []int64{a, b})
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("number of model %q", model), len(nearest), want)
		}
		empty, err := r.NearestOf(ctx, "m", asked(direction(0)), nil)
		equal(t, "nearest of none", empty, []memory.PassageNeighbour{})
		return err
	})
}

func testNearestFiltered(t *testing.T, s memory.Store) {
	note, task := add(t, s, "Alfa", "uno"), add(t, s, "Bravo", "dos")
	var updated time.Time
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.SetEntityType(ctx, task, "Task"); err != nil {
			return err
		}
		entities, err := w.Entities(ctx, []int64{task})
		if err != nil {
			return err
		}
		updated = entities[0].UpdatedAt
		return w.Reindex(ctx, []int64{task})
	})
	embedEntities(t, s, map[int64]float64{note: 1, task: 80})
	for _, tc := range filterCases(updated, note, task) {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), tc.filter, 10)
			equal(t, tc.name, entitiesOf(nearest), tc.want)
			return err
		})
	}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{Types: []string{"Task"}}, 1)
		equal(t, "the filter acts first", entitiesOf(nearest), []int64{task})
		return err
	})
}

// testManyVectors has more vectors than an index may be able to answer at once.
func testManyVectors(t *testing.T, s memory.Store) {
	const many, close = 4_500, 5
	random := rand.New(rand.NewPCG(1, 2))
	ids := make([]int64, many)
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for i := range ids {
			id, err := w.InsertEntity(ctx, fmt.Sprintf("entity %d", i), "Note")
			if err != nil {
				return err
			}
			ids[i] = id
		}
		if err := w.Reindex(ctx, ids); err != nil {
			return err
		}
		due, err := w.PassagesDue(ctx, "m", 0, many)
		if err != nil {
			return err
		}
		equal(t, "passages due", len(due), many)
		for i, p := range due {
			vector := randomDirection(random)
			if i < close {
				vector = direction(float64(10 * i))
			}
			if err := embed(ctx, w, "m", p, vector); err != nil {
				return err
			}
		}
		return nil
	})
	nearest := func(k int) (got []int64) {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			neighbours, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, k)
			got = entitiesOf(neighbours)
			return err
		})
		return got
	}
	equal(t, "nearest of all", nearest(close), ids[:close])
	if all := nearest(many); len(all) < 4_096 {
		t.Errorf("%d neighbours when all are asked for", len(all))
	}
	outdate := func(ids []int64) {
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			for _, id := range ids {
				if _, err := w.InsertObservations(ctx, id, []string{"one more"}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	outdate(ids[2:])
	equal(t, "nearest when most are outdated", nearest(3), ids[:2])
	update(t, s, func(ctx context.Context, w memory.Writer) error { return w.Reindex(ctx, ids) })
	equal(t, "nearest when most have no vector", nearest(3), ids[:2])
	outdate(ids[:2])
	equal(t, "nearest when none is left", nearest(3), []int64{})
}

func testOddVectors(t *testing.T, s memory.Store) {
	id := add(t, s, "Alfa")
	embedEntities(t, s, map[int64]float64{id: 0})
	p := passagesOf(t, s, id)[0]
	nan, inf, zero := direction(0), direction(0), make([]float32, memory.Dimensions)
	nan[5], inf[5] = float32(math.NaN()), float32(math.Inf(1))
	for name, vector := range map[string][]float32{"zero": zero, "nan": nan, "infinite": inf, "none": nil} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.NearestPassages(ctx, "m", asked(vector), memory.Filter{}, 10)
			if err != nil {
				return err
			}
			equal(t, "nearest to "+name, nearest, []memory.PassageNeighbour{})
			nearest, err = r.NearestOf(ctx, "m", asked(vector), []int64{id})
			equal(t, "nearest of one to "+name, nearest, []memory.PassageNeighbour{})
			return err
		})
		for what, set := range map[string]func(w memory.Writer) error{
			"SetVector":        func(w memory.Writer) error { return w.SetVector(t.Context(), id, "m", "hash", vector) },
			"SetPassageVector": func(w memory.Writer) error { return embed(t.Context(), w, "m", p, vector) },
		} {
			if err := s.Update(t.Context(), set); err == nil {
				t.Errorf("%s took the vector %s", what, name)
			}
		}
	}
	err := s.Update(t.Context(), func(w memory.Writer) error {
		return w.SetVector(t.Context(), 404, "m", "hash", direction(0))
	})
	if err == nil {
		t.Error("SetVector took an unknown entity")
	}
	long := direction(0) // not of unit length
	for i := range long {
		long[i] *= 1000
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error { return embed(ctx, w, "m", p, long) })
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.NearestPassages(ctx, "m", asked(direction(0)), memory.Filter{}, 10)
		equal(t, "nearest after refusals", entitiesOf(nearest), []int64{id})
		return err
	})
}

func testOutOfDate(t *testing.T, s memory.Store) {
	fresh, stale, other, none := add(t, s, "fresh"), add(t, s, "stale"), add(t, s, "other model"), add(t, s, "none")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for id, model := range map[int64]string{fresh: "m", stale: "m", other: "old"} {
			if err := w.SetVector(ctx, id, model, fmt.Sprintf("hash %d", id), direction(float64(id))); err != nil {
				return err
			}
		}
		if err := w.SetModel(ctx, "m", memory.Dimensions, "1"); err != nil {
			return err
		}
		if err := w.SetModel(ctx, "m", memory.Dimensions, "2"); err != nil {
			return err
		}
		if _, err := w.InsertObservations(ctx, stale, []string{"one more"}); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{stale})
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		for _, tc := range []struct {
			model string
			after int64
			limit int
			want  []int64
		}{
			{"m", 0, 10, []int64{stale, other, none}},
			{"m", 0, 1, []int64{stale}},
			{"m", stale, 10, []int64{other, none}},
			{"m", none, 10, []int64{}},
			{"m", 0, 0, []int64{}},
			{"old", 0, 10, []int64{fresh, stale, none}},
			{"unheard of", 0, 10, []int64{fresh, stale, other, none}},
			{"", 0, 10, []int64{stale, none}},
		} {
			ids, err := r.OutOfDate(ctx, tc.model, tc.after, tc.limit)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("OutOfDate(%q, %d, %d)", tc.model, tc.after, tc.limit), ids, tc.want)
		}
		return nil
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		return w.SetVector(ctx, stale, "m", "new hash", direction(1))
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		ids, err := r.OutOfDate(ctx, "", 0, 10)
		if err != nil {
			return err
		}
		equal(t, "OutOfDate after a new vector", ids, []int64{none})
		model, err := r.Model(ctx)
		equal(t, "model", model, "m")
		return err
	})
}

func testSetVectorOf(t *testing.T, s memory.Store) {
	a, b := add(t, s, "Alfa", "uno"), add(t, s, "Bravo", "dos")
	hash := map[int64]string{a: passagesOf(t, s, a)[0].Window.Hash(), b: passagesOf(t, s, b)[0].Window.Hash()}
	embedEntities(t, s, map[int64]float64{a: 30})
	for _, tc := range []struct {
		name              string
		id                int64
		model, passage    string
		copied, outOfDate bool
	}{
		{"of another model", a, "n/text1", hash[a], false, true},
		{"without a vector", b, "m/text1", hash[b], false, true},
		{"of another entity", b, "m/text1", hash[a], false, true},
		{"of another text", a, "m/text1", "another hash", false, true},
		{"of the text", a, "m/text1", hash[a], true, false},
		{"of the same model", a, "m", hash[a], true, false},
	} {
		update(t, s, func(ctx context.Context, w memory.Writer) error {
			copied, err := w.SetVectorOf(ctx, tc.id, tc.model, "hash of the whole", tc.passage)
			if err != nil {
				return err
			}
			equal(t, "copied that "+tc.name, copied, tc.copied)
			ids, err := w.OutOfDate(ctx, tc.model, tc.id-1, 1)
			equal(t, "out of date after that "+tc.name, len(ids) > 0 && ids[0] == tc.id, tc.outOfDate)
			return err
		})
	}
}

// testLikeness takes a part off all vectors, and a direction out of them, as is
// done with languages.
func testLikeness(t *testing.T, s memory.Store) {
	const part = 0.25 // of the third dimension; the fourth is the direction
	neutral := func(exact []float32) (free []float32, length float64) {
		free = slices.Clone(exact)
		free[2] -= part
		free[3] = 0
		var sum float64
		for _, x := range free {
			sum += float64(x) * float64(x)
		}
		for i := range free {
			free[i] /= float32(math.Sqrt(sum))
		}
		return free, math.Sqrt(sum)
	}
	unit := func(v ...float64) []float32 {
		vector, sum := make([]float32, memory.Dimensions), 0.0
		for _, x := range v {
			sum += x * x
		}
		for i, x := range v {
			vector[i] = float32(x / math.Sqrt(sum))
		}
		return vector
	}
	asked := unit(1, 0.2, 0.3, 0.8)
	vectors := [][]float32{unit(0.2, 1, 0.4, 0.9), unit(1, 0.1, 0.3, -0.8), unit(0.5, 0.5, 0.9, 0.7)}
	want := map[int64]float64{}
	askedFree, _ := neutral(asked)
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for i, exact := range vectors {
			id, err := addTo(ctx, w, fmt.Sprint("entity ", i))
			if err != nil {
				return err
			}
			due, err := w.PassagesDue(ctx, "m", 0, 1)
			if err != nil {
				return err
			}
			free, length := neutral(exact)
			v := memory.PassageVector{Exact: exact, Neutral: free, Length: length}
			if err := w.SetPassageVector(ctx, due[0].ID, "m", due[0].Window.Hash(), v); err != nil {
				return err
			}
			for j := range free {
				want[id] += float64(free[j]) * float64(askedFree[j])
			}
		}
		return nil
	})
	v := memory.QueryVector{Exact: asked, Neutral: askedFree, Offset: part * float64(askedFree[2])}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.NearestPassages(ctx, "m", v, memory.Filter{}, 10)
		if err != nil {
			return err
		}
		of, err := r.NearestOf(ctx, "m", v, slices.Collect(maps.Keys(want)))
		equal(t, "both ways to search", of, nearest)
		for i, n := range nearest {
			if math.Abs(n.Likeness-want[n.EntityID]) > 1e-5 {
				t.Errorf("likeness of %d is %v, want %v", n.EntityID, n.Likeness, want[n.EntityID])
			}
			if i > 0 && n.Likeness > nearest[i-1].Likeness {
				t.Errorf("likeness rises at place %d", i)
			}
		}
		return err
	})
}
