package storetest

import (
	"context"
	"fmt"
	"math"
	"testing"

	"mcp-memory/internal/memory"
)

// direction is a unit vector at an angle, in degrees, in one plane.
func direction(degrees float64) []float32 {
	v := make([]float32, memory.Dimensions)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	v[0], v[1] = float32(cos), float32(sin)
	return v
}

// changeText adds an observation to entities.
func changeText(ctx context.Context, w memory.Writer, ids ...int64) error {
	for _, id := range ids {
		if _, err := w.InsertObservations(ctx, id, []string{"one more"}); err != nil {
			return err
		}
	}
	return w.RefreshText(ctx, ids)
}

func neighbourIDs(neighbours []memory.Neighbour) []int64 {
	ids := []int64{}
	for _, n := range neighbours {
		ids = append(ids, n.EntityID)
	}
	return ids
}

func testNearest(t *testing.T, s memory.Store) {
	far, near, twin, other := add(t, s, "far"), add(t, s, "near"), add(t, s, "twin"), add(t, s, "other model")
	add(t, s, "no vector")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		// The twins in descending order of their ids, to see ties come by id.
		for _, v := range []struct {
			id      int64
			model   string
			degrees float64
		}{{twin, "m", 10}, {near, "m", 10}, {far, "m", 90}, {other, "old", 0}} {
			if err := w.SetVector(ctx, v.id, v.model, "hash", direction(v.degrees)); err != nil {
				return err
			}
		}
		return nil
	})
	for k, want := range map[int][]int64{0: {}, 1: {near}, 2: {near, twin}, 3: {near, twin, far}, 100_000: {near, twin, far}, -1: {}} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.Nearest(ctx, "m", direction(0), k)
			equal(t, fmt.Sprintf("Nearest k=%d", k), neighbourIDs(nearest), want)
			if len(nearest) == 3 {
				if d := nearest[2].Distance; math.Abs(d-1) > 1e-5 {
					t.Errorf("distance at 90 degrees is %v", d)
				}
			}
			return err
		})
	}
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if err := changeText(ctx, w, near); err != nil {
			return err
		}
		return w.SetVector(ctx, far, "m", "hash 2", direction(5))
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.Nearest(ctx, "m", direction(0), 10)
		equal(t, "after a stale mark and a new vector", neighbourIDs(nearest), []int64{far, twin})
		if err != nil {
			return err
		}
		distances, err := r.Distances(ctx, "m", direction(5), []int64{near, other, twin, far, 404})
		equal(t, "distances of fresh vectors", neighbourIDs(distances), []int64{far, twin})
		if len(distances) == 2 && (math.Abs(distances[0].Distance) > 1e-5 || math.Abs(distances[1].Distance-0.003805) > 1e-5) {
			t.Errorf("distances at 0 and 5 degrees are %v", distances)
		}
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
		return changeText(ctx, w, stale)
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		for _, tc := range []struct {
			after int64
			limit int
			want  []int64
		}{{0, 10, []int64{stale, other, none}}, {0, 1, []int64{stale}}, {stale, 10, []int64{other, none}}, {none, 10, []int64{}}, {0, 0, []int64{}}} {
			ids, err := r.OutOfDate(ctx, "m", tc.after, tc.limit)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("OutOfDate(%d, %d)", tc.after, tc.limit), ids, tc.want)
		}
		for model, want := range map[string]int{"m": 3, "old": 3, "unheard of": 4, "": 2} {
			n, err := r.CountOutOfDate(ctx, model)
			if err != nil {
				return err
			}
			equal(t, "CountOutOfDate "+model, n, want)
		}
		ids, err := r.OutOfDate(ctx, "", 0, 10)
		equal(t, "OutOfDate of any model", ids, []int64{stale, none})
		return err
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

// testManyVectors has more vectors out of date in front of the fresh ones than
// an index may be able to answer at once.
func testManyVectors(t *testing.T, s memory.Store) {
	const many = 4_500
	ids := make([]int64, many)
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		for i := range ids {
			id, err := w.InsertEntity(ctx, fmt.Sprintf("entity %d", i), "Note")
			if err != nil {
				return err
			}
			ids[i] = id
			if err := w.SetVector(ctx, id, "m", "hash", direction(float64(i)/many*90)); err != nil {
				return err
			}
		}
		return nil
	})
	nearest := func(k int) (got []int64) {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			neighbours, err := r.Nearest(ctx, "m", direction(0), k)
			got = neighbourIDs(neighbours)
			return err
		})
		return got
	}
	equal(t, "nearest of all", nearest(3), ids[:3])
	if all := nearest(many); len(all) < 4_096 {
		t.Errorf("%d neighbours when all are asked for", len(all))
	}
	stale := ids[:many-2]
	update(t, s, func(ctx context.Context, w memory.Writer) error { return changeText(ctx, w, stale...) })
	equal(t, "nearest when most are stale", nearest(3), ids[many-2:])
	update(t, s, func(ctx context.Context, w memory.Writer) error { return changeText(ctx, w, ids...) })
	equal(t, "nearest when all are stale", nearest(3), []int64{})
}

func testOddVectors(t *testing.T, s memory.Store) {
	id := add(t, s, "Alfa")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		return w.SetVector(ctx, id, "m", "hash", direction(0))
	})
	nan, inf, zero := direction(0), direction(0), make([]float32, memory.Dimensions)
	nan[5], inf[5] = float32(math.NaN()), float32(math.Inf(1))
	for name, vector := range map[string][]float32{"zero": zero, "nan": nan, "infinite": inf, "none": nil} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			nearest, err := r.Nearest(ctx, "m", vector, 10)
			equal(t, "nearest to "+name, nearest, []memory.Neighbour{})
			return err
		})
		err := s.Update(t.Context(), func(w memory.Writer) error {
			return w.SetVector(t.Context(), id, "m", "hash", vector)
		})
		if err == nil {
			t.Errorf("SetVector took the vector %s", name)
		}
	}
	err := s.Update(t.Context(), func(w memory.Writer) error {
		return w.SetVector(t.Context(), 404, "m", "hash", direction(0))
	})
	if err == nil {
		t.Error("SetVector took an unknown entity")
	}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		nearest, err := r.Nearest(ctx, "m", direction(0), 10)
		equal(t, "nearest after refusals", neighbourIDs(nearest), []int64{id})
		return err
	})
}
