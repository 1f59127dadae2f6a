package rank_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/rank"
)

// signals are values that the first version of the system computed.
// Rows of usage: id, accesses, hours, degree. Rows of results: id, importance,
// temporal factor, co-occurrence boost, score (null without a distance), RRF
// score (null without a text search).
type signals struct {
	Importance [][4]float64
	RRF        []struct {
		Near, Text []int64
		Fused      [][2]float64
	}
	Rank []struct {
		Near     [][2]float64
		Text     []int64
		Usage    [][4]float64
		Together [][3]int64
		Semantic [][6]*float64
		Hybrid   [][6]*float64
	}
}

func readSignals(t *testing.T) signals {
	t.Helper()
	data, err := os.ReadFile("testdata/signals.json")
	if err != nil {
		t.Fatal(err)
	}
	var s signals
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRRFEqualsFirstVersion(t *testing.T) {
	for _, c := range readSignals(t).RRF {
		got := [][2]float64{}
		for _, f := range rank.RRF(rank.RRFK, c.Near, c.Text) {
			got = append(got, [2]float64{float64(f.ID), f.Score})
		}
		if diff := cmp.Diff(c.Fused, got); diff != "" {
			t.Errorf("RRF(%v, %v) (-want +got):\n%s", c.Near, c.Text, diff)
		}
	}
}

func TestImportanceEqualsFirstVersion(t *testing.T) {
	for _, c := range readSignals(t).Importance {
		if got := rank.Importance(int(c[0]), int(c[1]), int(c[2])); got != c[3] {
			t.Errorf("Importance(%v, %v, %v) = %v, want %v", c[0], c[1], c[2], got, c[3])
		}
	}
}

func TestSignalsEqualFirstVersion(t *testing.T) {
	for i, c := range readSignals(t).Rank {
		in := rank.Input{Usage: map[int64]rank.Usage{}}
		distances := map[int64]float64{}
		for _, n := range c.Near {
			in.Near = append(in.Near, near(int64(n[0]), n[1]))
			distances[int64(n[0])] = n[1]
		}
		for _, u := range c.Usage {
			in.Usage[int64(u[0])] = rank.Usage{Accesses: int(u[1]), Hours: u[2], Degree: int(u[3])}
		}
		for _, p := range c.Together {
			in.Together = append(in.Together, rank.Together{A: p[0], B: p[1], Count: int(p[2])})
		}
		compareSignals(t, i, in, distances, c.Semantic)
		for _, id := range c.Text {
			in.Text = append(in.Text, rank.Text{ID: id})
		}
		compareSignals(t, i, in, distances, c.Hybrid)
	}
}

// compareSignals holds what Rank says of each candidate against rows, to the 6
// decimals that they have. The rows are those of the best results only. The score of the first version, which had 1 minus
// the distance for relevance and no bound, confirms Factor.
func compareSignals(t *testing.T, i int, in rank.Input, distances map[int64]float64, rows [][6]*float64) {
	t.Helper()
	scored := map[int64]rank.Scored{}
	for _, s := range rank.E5Small.Rank(in) {
		scored[s.ID] = s
	}
	if len(scored) < len(rows) {
		t.Errorf("case %d: %d candidates, want %d at least", i, len(scored), len(rows))
	}
	for _, row := range rows {
		s := scored[int64(*row[0])]
		got := []float64{s.Importance, s.TemporalFactor, s.CoocBoost}
		want := []float64{*row[1], *row[2], *row[3]}
		if row[4] != nil {
			got = append(got, max(0, 1-distances[s.ID])*rank.Factor(s.Importance, s.TemporalFactor, s.CoocBoost))
			want = append(want, *row[4])
		}
		if (s.RRF != nil) != (row[5] != nil) {
			t.Errorf("case %d, id %d: RRF = %v, want %v", i, s.ID, s.RRF, row[5])
		} else if s.RRF != nil {
			got, want = append(got, *s.RRF), append(want, *row[5])
		}
		for j := range got {
			if math.Abs(got[j]-want[j]) > 1e-6 {
				t.Errorf("case %d, id %d, value %d = %v, want %v", i, s.ID, j, got[j], want[j])
			}
		}
		distance, near := distances[s.ID]
		if near != (s.Distance != nil) || near && *s.Distance != distance {
			t.Errorf("case %d, id %d: Distance = %v, want %v", i, s.ID, s.Distance, distance)
		}
	}
}
