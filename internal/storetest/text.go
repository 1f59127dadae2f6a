package storetest

import (
	"context"
	"fmt"
	"testing"

	"mcp-memory/internal/fold"
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
		{"\" here", 10, 0, []int64{plain}, 1},
		{"\" AND \"", 10, 0, []int64{}, 0},
		{"\u30bf\u30ef\u30fc", 10, 0, []int64{tokyo}, 1},
		{"\u30eb", 10, 0, []int64{tokyo}, 1}, // the last character of all
		{"\u30c8\u30eb", 10, 0, []int64{tokyo}, 1},
		{"na", 10, 0, []int64{}, 0},
		{"", 10, 0, []int64{cafe, tokyo, plain}, 3},
		{"ocho and a quote \" here", 10, 0, []int64{plain}, 1},
		{"ocho and a quote \" there", 10, 0, []int64{}, 0},
		{"\xff", 10, 0, []int64{}, 0},
		{"oc\x00ho", 10, 0, []int64{}, 0},
		{"plainnote", 10, 0, []int64{}, 0},   // name and type
		{"plain note", 10, 0, []int64{}, 0},  // likewise
		{"here | x", 10, 0, []int64{}, 0},    // two observations
		{"here\u001fx", 10, 0, []int64{}, 0}, // likewise, by what may be between them
		{"nothing like it", 10, 0, []int64{}, 0},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			ids, total, err := r.Containing(ctx, fold.Text(tc.query), tc.limit, tc.offset)
			what := fmt.Sprintf("Containing(%q, %d, %d)", tc.query, tc.limit, tc.offset)
			equal(t, what, ids, tc.want)
			equal(t, what+" total", total, tc.total)
			return err
		})
	}
}

// testContainingNamesFirst: a name comes before names that contain the substring,
// and these before other texts, on all pages together.
func testContainingNamesFirst(t *testing.T, s memory.Store) {
	note := add(t, s, "Note", "we talked about faro", "Faro")
	harbour := add(t, s, "El faro del puerto")
	kind := add(t, s, "faros")
	typed := add(t, s, "Notes", "FARO and faro, \u9ad8\u3055")
	upper := add(t, s, "FARO")
	name := add(t, s, "Faro", "Faro")
	high := add(t, s, "\u9ad8\u3055")
	for query, want := range map[string][]int64{
		"Faro":         {upper, name, harbour, kind, note, typed},
		"f\u00e1ro":    {upper, name, harbour, kind, note, typed},
		"fa":           {harbour, kind, upper, name, note, typed}, // by the beginnings of trigrams
		"\u9ad8\u3055": {high, typed},
		"\u3055":       {high, typed},
		"notes":        {typed},
		"note":         {note, typed, harbour, kind, upper, name, high}, // also a type
		"":             {note, harbour, kind, typed, upper, name, high},
	} {
		for size := 1; size <= len(want)+1; size++ {
			view(t, s, func(ctx context.Context, r memory.Reader) error {
				got := []int64{}
				for offset := 0; offset <= len(want); offset += size {
					ids, total, err := r.Containing(ctx, fold.Text(query), size, offset)
					if err != nil {
						return err
					}
					equal(t, fmt.Sprintf("total of %q", query), total, len(want))
					got = append(got, ids...)
				}
				equal(t, fmt.Sprintf("pages of %d for %q", size, query), got, want)
				return nil
			})
		}
	}
}

func testReindex(t *testing.T, s memory.Store) {
	id := add(t, s, "Alfa", "vieja")
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.DeleteObservations(ctx, id, []string{"vieja"}); err != nil {
			return err
		}
		if _, err := w.InsertObservations(ctx, id, []string{"nueva"}); err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{id, 404, id})
	})
	for word, want := range map[string][]int64{"vieja": {}, "nueva": {id}} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			for _, level := range []memory.Level{memory.Entities, memory.Passages} {
				matches, err := r.MatchAny(ctx, level, variantsOf(word), memory.Filter{}, 10)
				if err != nil {
					return err
				}
				equal(t, fmt.Sprintf("word %s at level %d", word, level), matchedIDs(matches), want)
			}
			ids, _, err := r.Containing(ctx, word, 10, 0)
			equal(t, "substring "+word, ids, want)
			return err
		})
	}
}
