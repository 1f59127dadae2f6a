package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

func testContaining(t *testing.T, s memory.Store) {
	cafe := add(t, s, "Caf\u00e9 Central", "abre a las ocho", "100% \u00e1rabica_pura")
	tokyo := add(t, s, "\u6771\u4eac\u30bf\u30ef\u30fc", "\u9ad8\u3055\u306f333\u30e1\u30fc\u30c8\u30eb")
	plain := add(t, s, "Plain", "OCHO and a quote \" here", "x|y")
	for _, tc := range []struct {
		query         string
		limit, offset int
		want          []int64
		total         int
	}{
		{"CAFE", 10, 0, []int64{cafe}, 1},
		{"caf\u00e9 cen", 10, 0, []int64{cafe}, 1},
		{"Ocho", 10, 0, []int64{cafe, plain}, 2},
		{"ocho", 1, 0, []int64{cafe}, 2},
		{"ocho", 1, 1, []int64{plain}, 2},
		{"ocho", 1, 2, []int64{}, 2},
		{"ocho", 0, 0, []int64{}, 2},
		{"%", 10, 0, []int64{cafe}, 1},
		{"a_p", 10, 0, []int64{cafe}, 1},
		{"\u4eac\u30bf", 10, 0, []int64{tokyo}, 1},
		{"NOTE", 10, 0, []int64{cafe, tokyo, plain}, 3},
		{"\"", 10, 0, []int64{plain}, 1},
		{"plainnote", 10, 0, []int64{}, 0},   // name and type
		{"plain note", 10, 0, []int64{}, 0},  // likewise
		{"here | x", 10, 0, []int64{}, 0},    // two observations
		{"here\u001fx", 10, 0, []int64{}, 0}, // likewise, by what may be between them
		{"nothing like it", 10, 0, []int64{}, 0},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			ids, total, err := r.Containing(ctx, memory.Fold(tc.query), tc.limit, tc.offset)
			what := fmt.Sprintf("Containing(%q, %d, %d)", tc.query, tc.limit, tc.offset)
			equal(t, what, ids, tc.want)
			equal(t, what+" total", total, tc.total)
			return err
		})
	}
}

func testContainingAny(t *testing.T, s memory.Store) {
	one := add(t, s, "\u6771\u4eac", "\u5927\u962a")
	two := add(t, s, "\u6771\u4eac\u90fd\u5e81", "\u90fd\u5e81\u306e\u5c55\u671b\u53f0")
	three := add(t, s, "\u4eac\u90fd")
	fragments := []string{"\u6771\u4eac", "\u4eac\u90fd", "\u90fd\u5e81", "\u6771\u4eac"}
	type counts = []memory.FragmentCount
	all := counts{{EntityID: two, Count: 3}, {EntityID: one, Count: 1}, {EntityID: three, Count: 1}}
	for _, tc := range []struct {
		fragments []string
		limit     int
		want      counts
	}{
		{fragments, 10, all},
		{fragments, 2, all[:2]},
		{fragments, 0, counts{}},
		{[]string{"\u5c71"}, 10, counts{}},
		{nil, 10, counts{}},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			got, err := r.ContainingAny(ctx, tc.fragments, tc.limit)
			equal(t, fmt.Sprintf("ContainingAny(%q, %d)", tc.fragments, tc.limit), got, tc.want)
			return err
		})
	}
}

func testMatchAny(t *testing.T, s memory.Store) {
	filler := strings.Repeat("filler ", 50)
	weak := add(t, s, "Weak", "boya "+filler)
	strong := add(t, s, "Strong", "boya norte")
	twin := add(t, s, "Stronh", "boya norte")
	accent := add(t, s, "Accent", "canci\u00f3n")
	for _, tc := range []struct {
		terms []string
		limit int
		want  []int64
	}{
		{[]string{"boya", "norte"}, 10, []int64{strong, twin, weak}},
		{[]string{"norte", "canci\u00f3n"}, 10, []int64{accent, strong, twin}},
		{[]string{"CANCION"}, 10, []int64{accent}},
		{[]string{"boya"}, 1, []int64{strong}},
		{[]string{"boya"}, 0, []int64{}},
		{[]string{"boy"}, 10, []int64{}},
		{nil, 10, []int64{}},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			matches, err := r.MatchAny(ctx, tc.terms, tc.limit)
			equal(t, fmt.Sprintf("MatchAny(%q, %d)", tc.terms, tc.limit), matchedIDs(matches), tc.want)
			for _, m := range matches {
				if m.BM25 < 0 {
					t.Errorf("score %v of %d is negative", m.BM25, m.EntityID)
				}
			}
			return err
		})
	}
}

func testOddTerms(t *testing.T, s memory.Store) {
	id := add(t, s, "Operators", "AND or not near alfa")
	terms := []string{"AND", "OR", "NOT", "NEAR", "alfa*", "\"", "\"\"", "(", "name:x", "^", "-", "", " ", "a\x00b", "{", "+"}
	for _, term := range terms {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			if _, err := r.MatchAny(ctx, []string{term}, 10); err != nil {
				t.Errorf("MatchAny(%q): %v", term, err)
			}
			if _, err := r.TermCounts(ctx, []string{term}); err != nil {
				t.Errorf("TermCounts(%q): %v", term, err)
			}
			return nil
		})
	}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		matches, err := r.MatchAny(ctx, terms, 10)
		equal(t, "all odd terms", matchedIDs(matches), []int64{id})
		return err
	})
	long := make([]string, 1000)
	for i := range long {
		long[i] = fmt.Sprintf("term%d", i)
	}
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		_, err := r.MatchAny(ctx, append(long, "alfa"), 10)
		return err
	})
}

func testTermCounts(t *testing.T, s memory.Store) {
	add(t, s, "Alfa", "boya norte", "boya sur")
	add(t, s, "Boya")
	add(t, s, "Canci\u00f3n")
	add(t, s, "Empty")
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		counts, err := r.TermCounts(ctx, []string{"boya", "norte", "cancion", "absent", "boya"})
		equal(t, "TermCounts", counts, memory.TermCounts{
			Documents: 4,
			Holding:   map[string]int{"boya": 2, "norte": 1, "cancion": 1},
		})
		return err
	})
}

func testRefreshText(t *testing.T, s memory.Store) {
	id := add(t, s, "Alfa", "vieja")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.DeleteObservations(ctx, id, []string{"vieja"}); err != nil {
			return err
		}
		if _, err := w.InsertObservations(ctx, id, []string{"nueva"}); err != nil {
			return err
		}
		return w.RefreshText(ctx, []int64{id, 404, id})
	})
	for word, want := range map[string][]int64{"vieja": {}, "nueva": {id}} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			matches, err := r.MatchAny(ctx, []string{word}, 10)
			if err != nil {
				return err
			}
			equal(t, "word "+word, matchedIDs(matches), want)
			ids, _, err := r.Containing(ctx, word, 10, 0)
			equal(t, "substring "+word, ids, want)
			return err
		})
	}
}

func matchedIDs(matches []memory.TextMatch) []int64 {
	ids := []int64{}
	for _, m := range matches {
		ids = append(ids, m.EntityID)
	}
	return ids
}
