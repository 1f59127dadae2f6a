package rank_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/rank"
)

func TestTemporalFactor(t *testing.T) {
	for _, c := range []struct{ hours, want float64 }{
		{0, 1},
		{-5, 1},
		{math.Ln2 / rank.LambdaHourly, 0.5},
		{1e9, rank.TemporalFloor},
	} {
		if got := rank.TemporalFactor(c.hours); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("TemporalFactor(%v) = %v, want %v", c.hours, got, c.want)
		}
	}
}

func TestCoocBoost(t *testing.T) {
	if got := rank.CoocBoost(3, 0, 1, -2); got != 3 {
		t.Errorf("CoocBoost = %v, want log2(4) + log2(2) = 3", got)
	}
	if got := rank.CoocBoost(); got != 0 {
		t.Errorf("CoocBoost() = %v, want 0", got)
	}
}

func TestIDF(t *testing.T) {
	for _, c := range []struct {
		documents, holding int
		want               float64
	}{
		{100, 3, math.Log(97.5 / 3.5)},
		{100, 0, math.Log(201)},
		{100, 50, 1e-6},
		{100, 100, 1e-6},
		{100, 200, 1e-6}, // counts that were read at different times
		{0, 0, 1e-6},
	} {
		if got := rank.IDF(c.documents, c.holding); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("IDF(%d, %d) = %v, want %v", c.documents, c.holding, got, c.want)
		}
	}
}

func TestTextShare(t *testing.T) {
	mass := rank.IDF(100, 3) + rank.IDF(100, 0)
	for _, c := range []struct{ bm25, mass, want float64 }{
		{2.2 * mass / 2, mass, 0.5},
		{1000, mass, 1},
		{0, mass, 0},
		{-1, mass, 0},
		{1, 0, 0},
		{math.NaN(), mass, 0},
	} {
		if got := rank.TextShare(c.bm25, c.mass); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("TextShare(%v, %v) = %v, want %v", c.bm25, c.mass, got, c.want)
		}
	}
}

func TestEvidence(t *testing.T) {
	near, far := 0.87, -0.9
	for _, c := range []struct {
		name     string
		likeness *float64
		share    float64
		want     float64
	}{
		{"both", &near, 0.5, (0.87-0.75)/0.15 + 0.5},
		{"meaning only", &near, 0, (0.87 - 0.75) / 0.15},
		{"words only", nil, 0.5, 0.5},
		{"neither", nil, 0, 0.1 / math.E},
		{"the words' opposite", &far, 0, 0},
	} {
		if got := rank.Evidence(settings.Meaning(c.likeness), c.share); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: Evidence = %v, want %v", c.name, got, c.want)
		}
	}
	if got := rank.Evidence(settings.Meaning(&far), 0); got <= 0 {
		t.Errorf("Evidence of an unrelated text = %v, want more than 0", got)
	}
}

func TestUseFactorIsBounded(t *testing.T) {
	for _, c := range []struct {
		name                              string
		importance, temporal, boost, want float64
	}{
		{"neutral signals", 0, 1, 0, 1},
		{"every signal at its best", 1.15, 1, 1e300, 1.05},
		{"forgotten", 0, 0.1, 0, 1 - 0.05*0.99/1.01},
		{"f of 1.5", 1, 1, 0, 1 + 0.05*(1.25/3.25)},
	} {
		got := settings.UseFactor(c.importance, c.temporal, c.boost)
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: UseFactor = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRelevanceIsCalibrated(t *testing.T) {
	for _, c := range []struct{ evidence, gap, want float64 }{
		{0.8, 0, 0.5},
		{0.8 + math.Log(3)/5, 0, 0.75},
		{0.8, math.Log(3) / 10, 0.75},
		{0.8, -math.Log(3) / 10, 0.25},
		{0.8, 70, 1 / (1 + math.Exp(-5))}, // beyond half, a gap says no more
		{0.8, -70, 1 / (1 + math.Exp(5))},
		{-100, 0, 0},
		{100, 0, 1},
	} {
		if got := settings.Relevance(c.evidence, c.gap); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("Relevance(%v, %v) = %v, want %v", c.evidence, c.gap, got, c.want)
		}
	}
}

func TestGapIsThatToTheBestOther(t *testing.T) {
	in := rank.Input{Near: []rank.Near{near(1, 0.16), near(2, 0.13), near(3, 0.19), near(4, 0.16)}}
	want := map[int64]float64{1: -0.2, 2: 0.2, 3: -0.4, 4: -0.2}
	for _, s := range settings.Rank(in) {
		if math.Abs(s.Gap-want[s.ID]) > 1e-9 {
			t.Errorf("gap of %d = %v, want %v", s.ID, s.Gap, want[s.ID])
		}
	}
}

// Among few there may be no wrong one that is good by chance.
func TestGapAmongFewIsToNoise(t *testing.T) {
	var in rank.Input
	for n := range int64(9) {
		in.Near = append(in.Near, near(n, 0.25)) // evidence near 0
	}
	in.Near = append(in.Near[:8], near(8, 0.16)) // 0.6
	gap := func() float64 { return settings.Rank(in)[0].Gap }
	if got := gap(); math.Abs(got-0.4) > 1e-9 {
		t.Errorf("of nine, the gap is %v, want 0.4 to the noise of 0.2", got)
	}
	in.Near = append(in.Near, near(9, 0.25))
	if got := gap(); got < 0.5 {
		t.Errorf("of ten, the gap is %v, want that to the best other", got)
	}
}

// settings are round figures to reckon with.
var settings = rank.Settings{
	Floor: 0.75, Span: 0.15, EntityWords: 0.5, PassageWords: 0.5, WordsPower: 1, Use: 0.05,
	Base: -4, ByEvidence: 5, ByGap: 10, Noise: 0.2, Weak: 0.25, Sure: 0.9,
}

// near is an entity at a distance in meaning.
func near(id int64, distance float64) rank.Near {
	return rank.Near{ID: id, Distance: distance, Likeness: 1 - distance}
}

func ids(scored []rank.Scored) []int64 {
	list := []int64{}
	for _, s := range scored {
		list = append(list, s.ID)
	}
	return list
}

func TestRankOrder(t *testing.T) {
	popular := rank.Usage{Accesses: 1000, Degree: 15}
	for _, c := range []struct {
		name string
		in   rank.Input
		want []int64
	}{
		{"no candidates", rank.Input{}, []int64{}},
		{
			"popularity does not overrule meaning",
			rank.Input{
				Near:  []rank.Near{near(1, 0.15), near(2, 0.18)},
				Usage: map[int64]rank.Usage{1: {Hours: 20_000}, 2: popular},
			},
			[]int64{1, 2},
		},
		{
			"popularity decides between near-equals",
			rank.Input{
				Near:  []rank.Near{near(1, 0.150), near(2, 0.151)},
				Usage: map[int64]rank.Usage{1: {Hours: 20_000}, 2: popular},
			},
			[]int64{2, 1},
		},
		{
			"ties by id, whatever the order they came in",
			rank.Input{Near: []rank.Near{near(9, 0.2), near(3, 0.2), near(5, 0.2)}},
			[]int64{3, 5, 9},
		},
		{
			"words and meaning add up",
			rank.Input{
				Near: []rank.Near{near(1, 0.16), near(2, 0.17)},
				Text: []rank.Text{{ID: 3, Entity: 0.3, Passage: 0.3}, {ID: 2, Entity: 0.25, Passage: 0.25}},
			},
			[]int64{2, 1, 3},
		},
		{
			"noise that shares a word stays below the answer in another language",
			rank.Input{
				Near: []rank.Near{near(1, 0.15), near(2, 0.2)},
				Text: []rank.Text{{ID: 2, Entity: 0.1, Passage: 0.1}, {ID: 3, Entity: 0.08, Passage: 0.08}},
			},
			[]int64{1, 2, 3},
		},
		{
			"a measured distance counts for a text hit",
			rank.Input{
				Near:     []rank.Near{near(1, 0.15)},
				Text:     []rank.Text{{ID: 2, Entity: 0.4, Passage: 0.4}},
				Measured: []rank.Near{near(2, 0.17)},
			},
			[]int64{2, 1},
		},
		{
			"shares count for what only the vectors found",
			rank.Input{
				Near:   []rank.Near{near(1, 0.15), near(2, 0.16)},
				Worded: []rank.Text{{ID: 2, Passage: 0.3}},
			},
			[]int64{2, 1},
		},
		{
			"words only, without vectors",
			rank.Input{Text: []rank.Text{{ID: 7, Entity: 0.1, Passage: 0.1}, {ID: 2, Entity: 0.9, Passage: 0.9}}},
			[]int64{2, 7},
		},
		{
			"an exact name comes first",
			rank.Input{
				Near:  []rank.Near{near(1, 0.10), near(2, 0.20)},
				Exact: []int64{2},
			},
			[]int64{2, 1},
		},
		{
			"even one that no search found",
			rank.Input{Near: []rank.Near{near(1, 0.10)}, Exact: []int64{4, 4}},
			[]int64{4, 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, ids(settings.Rank(c.in))); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRankExactScoreIsNotBelowTheNext(t *testing.T) {
	scored := settings.Rank(rank.Input{
		Near:  []rank.Near{near(1, 0.1), near(2, 0.3), near(3, 0.2)},
		Exact: []int64{2, 3},
	})
	want := settings.Meaning(new(0.9))
	for _, s := range scored {
		if s.LimbicScore != want {
			t.Errorf("score of %d = %v, want %v", s.ID, s.LimbicScore, want)
		}
	}
	if scored[1].Evidence >= want {
		t.Errorf("evidence for an exact name = %v: it must stay its own", scored[1].Evidence)
	}
}

func TestRankSkipsDistancesThatAreNoNumber(t *testing.T) {
	scored := settings.Rank(rank.Input{
		Near: []rank.Near{near(1, math.NaN()), near(2, 0.1)},
	})
	if diff := cmp.Diff([]int64{2, 1}, ids(scored)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if scored[1].Distance != nil || math.IsNaN(scored[1].LimbicScore) {
		t.Errorf("scored %+v, want neither a distance nor a NaN score", scored[1])
	}
}

func TestRankCountsPairsOfCandidatesOnly(t *testing.T) {
	scored := settings.Rank(rank.Input{
		Near:     []rank.Near{near(1, 0.1), near(2, 0.2)},
		Together: []rank.Together{{A: 1, B: 2, Count: 3}, {A: 1, B: 9, Count: 7}, {A: 1, B: 1, Count: 7}},
	})
	for _, s := range scored {
		if s.CoocBoost != 2 {
			t.Errorf("boost of %d = %v, want log2(1+3) = 2", s.ID, s.CoocBoost)
		}
		if s.RRF != nil {
			t.Errorf("RRF of %d = %v without a text search, want nil", s.ID, *s.RRF)
		}
	}
}

// Of several that are right, only one can be ahead.
func TestMuchEvidenceIsNotWeak(t *testing.T) {
	scored := settings.Rank(rank.Input{Near: []rank.Near{near(1, 0.06), near(2, 0.11), near(3, 0.12)}})
	for i, want := range []bool{false, false, true} { // evidence 1.27, 0.93, 0.87
		if scored[i].Weak != want || i > 0 && scored[i].Relevance >= settings.Weak {
			t.Errorf("place %d: %+v, want weak %v", i, scored[i], want)
		}
	}
}

func TestRankMarksWeakResults(t *testing.T) {
	scored := settings.Rank(rank.Input{
		Near:  []rank.Near{near(1, 0.12), near(2, 0.2), near(3, 0.2)},
		Text:  []rank.Text{{ID: 4, Entity: 0.1, Passage: 0.1}},
		Exact: []int64{3},
	})
	got := map[int64]bool{}
	for _, s := range scored {
		got[s.ID] = s.Weak
	}
	// The exact name is what was asked for; nothing is known of the meaning of 4.
	if diff := cmp.Diff(map[int64]bool{1: false, 2: true, 3: false, 4: false}, got); diff != "" {
		t.Errorf("weak (-want +got):\n%s", diff)
	}
	if scored[0].ID != 3 || scored[0].Relevance != 1 || !scored[0].Exact {
		t.Errorf("first is %+v, want the exact name with relevance 1", scored[0])
	}
}
