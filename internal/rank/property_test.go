package rank_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/internal/rank"
)

// overruling is the advantage in relevance that no signals overcome.
var overruling = (1 + settings.Use) / (1 - settings.Use)

var (
	relevances  = rapid.Float64Range(1e-6, 3)
	importances = rapid.Float64Range(0, 1+rank.BetaDegree)
	temporals   = rapid.Float64Range(rank.TemporalFloor, 1)
	boosts      = rapid.Float64Range(0, 1e6)
)

func TestSignalsNeverOverruleMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		worse := relevances.Draw(t, "worse")
		better := worse * rapid.Float64Range(overruling+1e-9, 10).Draw(t, "advantage")
		low := better * settings.UseFactor(importances.Draw(t, "i1"), temporals.Draw(t, "t1"), boosts.Draw(t, "c1"))
		high := worse * settings.UseFactor(importances.Draw(t, "i2"), temporals.Draw(t, "t2"), boosts.Draw(t, "c2"))
		if low <= high {
			t.Fatalf("relevance %v scores %v, below %v of relevance %v", better, low, high, worse)
		}
	})
}

func TestUseFactorIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := []float64{importances.Draw(t, "importance"), temporals.Draw(t, "temporal"), boosts.Draw(t, "boost")}
		before := settings.UseFactor(args[0], args[1], args[2])
		i := rapid.IntRange(0, len(args)-1).Draw(t, "argument")
		args[i] += rapid.Float64Range(0, 3).Draw(t, "more")
		after := settings.UseFactor(args[0], args[1], args[2])
		if after < before-1e-15 {
			t.Fatalf("factor fell from %v to %v when argument %d rose: %v", before, after, i, args)
		}
	})
}

func TestEvidenceIsMonotone(t *testing.T) {
	likenesses := rapid.Float64Range(-1, 1)
	shares := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		l, s := likenesses.Draw(t, "likeness"), shares.Draw(t, "share")
		nearer := min(1, l+rapid.Float64Range(0, 1).Draw(t, "nearer"))
		more := s + rapid.Float64Range(0, 1).Draw(t, "more")
		before := rank.Evidence(settings.Meaning(&l), settings.Words(s, s))
		after := rank.Evidence(settings.Meaning(&nearer), settings.Words(more, more))
		if after < before || before <= 0 || settings.Relevance(after, 0) < settings.Relevance(before, 0) {
			t.Fatalf("evidence %v at (%v, %v), %v at (%v, %v)", before, l, s, after, nearer, more)
		}
	})
}

// inputs draws what a search may bring for a handful of entities.
func inputs(t *rapid.T) rank.Input {
	id := rapid.Int64Range(1, 12)
	distinct := rapid.SliceOfNDistinct(id, 0, 10, rapid.ID[int64])
	in := rank.Input{Usage: map[int64]rank.Usage{}}
	for _, n := range distinct.Draw(t, "near") {
		in.Near = append(in.Near, near(n, rapid.Float64Range(0, 2).Draw(t, "distance")))
	}
	for _, n := range distinct.Draw(t, "text") {
		in.Text = append(in.Text, rank.Text{
			ID: n, Entity: rapid.Float64Range(0, 1).Draw(t, "share"), Passage: rapid.Float64Range(0, 1).Draw(t, "passage share"),
		})
	}
	in.Exact = rapid.SliceOfN(id, 0, 2).Draw(t, "exact")
	for n := range int64(13) {
		in.Usage[n] = rank.Usage{
			Accesses: rapid.IntRange(0, 1000).Draw(t, "accesses"), Degree: rapid.IntRange(0, 30).Draw(t, "degree"),
			Hours: rapid.Float64Range(-10, 1e5).Draw(t, "hours"),
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "pairs") {
		in.Together = append(in.Together, rank.Together{A: id.Draw(t, "a"), B: id.Draw(t, "b"), Count: rapid.IntRange(0, 50).Draw(t, "count")})
	}
	return in
}

func TestRankHoldsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := inputs(t)
		scored := settings.Rank(in)
		if diff := cmp.Diff(scored, settings.Rank(in)); diff != "" {
			t.Fatalf("two rankings of the same differ:\n%s", diff)
		}
		exact, all := map[int64]bool{}, map[int64]bool{}
		for _, id := range in.Exact {
			exact[id], all[id] = true, true
		}
		for _, n := range in.Near {
			all[n.ID] = true
		}
		for _, n := range in.Text {
			all[n.ID] = true
		}
		if len(scored) != len(all) {
			t.Fatalf("%d scored, want each of %d candidates once", len(scored), len(all))
		}
		for i, s := range scored {
			if !all[s.ID] || exact[s.ID] != (i < len(exact)) {
				t.Fatalf("place %d holds %d; exact names are %v", i, s.ID, in.Exact)
			}
			if i == 0 {
				continue
			}
			before := scored[i-1]
			if before.LimbicScore < s.LimbicScore {
				t.Fatalf("scores rise at place %d: %v, %v", i, before, s)
			}
			if !exact[before.ID] && before.Evidence*overruling < s.Evidence*(1-1e-12) {
				t.Fatalf("signals overruled evidence at place %d: %v, %v", i, before, s)
			}
		}
	})
}
