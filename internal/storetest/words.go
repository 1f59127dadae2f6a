package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/words"
)

// variantsOf are the words to look for, whatever their language.
func variantsOf(question string) []memory.WeighedWord {
	var list []memory.WeighedWord
	for _, w := range words.Query(question) {
		list = append(list, memory.WeighedWord{Terms: w.Variants, IDF: 1})
	}
	return list
}

// anyOf is a word of these terms.
func anyOf(terms ...string) []memory.WeighedWord {
	return []memory.WeighedWord{{Terms: terms, IDF: 1}}
}

func testMatchEntities(t *testing.T, s memory.Store) {
	filler := strings.Repeat("filler ", 50)
	weak := add(t, s, "Weak", "1848 "+filler)
	strong := add(t, s, "Strong", "1848 1912")
	twin := add(t, s, "Stronh", "1848 1912")
	accent := add(t, s, "Accent", "canci\u00f3n")
	thai := add(t, s, "\u0e14\u0e2d\u0e01\u0e44\u0e21\u0e49", "\u0928\u092e\u0938\u094d\u0924\u0947 2026")
	for _, tc := range []struct {
		question string
		limit    int
		want     []int64
	}{
		{"1848 1912", 10, []int64{strong, twin, weak}},
		{"1912 canci\u00f3n", 10, []int64{accent, strong, twin}},
		{"CANCION", 10, []int64{accent}},
		{"1848", 1, []int64{strong}},
		{"1848", 0, []int64{}},
		{"184", 10, []int64{}},
		{"\u0e14\u0e2d\u0e01\u0e44\u0e21\u0e49", 10, []int64{thai}},
		{"\u0928\u092e\u0938\u094d\u0924\u0947", 10, []int64{thai}},
		{"2026", 10, []int64{thai}},
		{"202", 10, []int64{}},
		{"", 10, []int64{}},
	} {
		view(t, s, func(ctx context.Context, r memory.Reader) error {
			matches, err := r.MatchAny(ctx, memory.Entities, variantsOf(tc.question), memory.Filter{}, tc.limit)
			equal(t, fmt.Sprintf("%q, limit %d", tc.question, tc.limit), matchedIDs(matches), tc.want)
			for _, m := range matches {
				if m.BM25 < 0 || m.PassageID != 0 {
					t.Errorf("match %+v of an entity", m)
				}
			}
			return err
		})
	}
}

func testMatchPassages(t *testing.T, s memory.Store) {
	var observations []string
	for i := range 20 {
		observations = append(observations, fmt.Sprintf("Sentence number%d about nothing in particular.", i))
	}
	long := add(t, s, "Long", observations...)
	other := add(t, s, "Other", "number7")
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		matches, err := r.MatchAny(ctx, memory.Passages, anyOf("number7"), memory.Filter{}, 10)
		if err != nil {
			return err
		}
		if len(matches) < 2 || matches[0].EntityID != other || matches[1].EntityID != long {
			t.Fatalf("matches %+v, want one of %d and then those of %d", matches, other, long)
		}
		var ids []int64
		for _, m := range matches {
			ids = append(ids, m.PassageID)
		}
		texts, err := r.PassageTexts(ctx, ids)
		for i, p := range texts {
			equal(t, "entity of the text", p.Entity.ID, matches[i].EntityID)
			if !strings.Contains(p.Window.Text, "number7") {
				t.Errorf("passage %q", p.Window.Text)
			}
		}
		equal(t, "number of texts", len(texts), len(matches))
		one, err2 := r.MatchAny(ctx, memory.Passages, anyOf("number7"), memory.Filter{}, 1)
		equal(t, "best", one, matches[:1])
		if err == nil {
			err = err2
		}
		return err
	})
}

func testMatchFiltered(t *testing.T, s memory.Store) {
	note, task := add(t, s, "Alfa", "boya"), add(t, s, "Bravo", "boya boya")
	var updated time.Time
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		if _, err := w.SetEntityType(ctx, task, "Task"); err != nil {
			return err
		}
		entities, err := w.Entities(ctx, []int64{note, task})
		if err != nil {
			return err
		}
		updated = entities[1].UpdatedAt
		return w.Reindex(ctx, []int64{task})
	})
	for _, level := range []memory.Level{memory.Entities, memory.Passages} {
		for _, tc := range filterCases(updated, note, task) {
			view(t, s, func(ctx context.Context, r memory.Reader) error {
				matches, err := r.MatchAny(ctx, level, variantsOf("boya"), tc.filter, 10)
				equal(t, fmt.Sprintf("level %d, %s", level, tc.name), sorted(matchedIDs(matches)), tc.want)
				return err
			})
		}
	}
}

// filterCase says which of a note and a task a filter lets through.
type filterCase struct {
	name   string
	filter memory.Filter
	want   []int64
}

func filterCases(updated time.Time, note, task int64) []filterCase {
	return []filterCase{
		{"all", memory.Filter{}, []int64{note, task}},
		{"a type", memory.Filter{Types: []string{"Task"}}, []int64{task}},
		{"another case", memory.Filter{Types: []string{"task", "note"}}, []int64{}},
		{"two types", memory.Filter{Types: []string{"Task", "Note", "Other"}}, []int64{note, task}},
		{"no types", memory.Filter{Types: []string{}}, []int64{}},
		{"since then", memory.Filter{Since: updated.Add(-time.Hour)}, []int64{note, task}},
		{"until now", memory.Filter{Until: updated.Add(time.Hour)}, []int64{note, task}},
		{"since later", memory.Filter{Since: updated.Add(time.Hour)}, []int64{}},
		{"until before", memory.Filter{Until: updated.Add(-time.Hour)}, []int64{}},
		{"between", memory.Filter{Types: []string{"Task"}, Since: updated, Until: updated.Add(999 * time.Millisecond)}, []int64{task}},
		{"since a moment after", memory.Filter{Types: []string{"Task"}, Since: updated.Add(time.Millisecond)}, []int64{}},
	}
}

func testOddTerms(t *testing.T, s memory.Store) {
	id := add(t, s, "Operators", "AND or not near alfa")
	terms := []string{"AND", "OR", "NOT", "NEAR", "alfa*", "\"", "\"\"", "(", "name:x", "^", "-", "", " ", "a\x00b", "{", "+", "alfa"}
	for _, level := range []memory.Level{memory.Entities, memory.Passages} {
		for _, term := range terms {
			view(t, s, func(ctx context.Context, r memory.Reader) error {
				if _, err := r.MatchAny(ctx, level, anyOf(term), memory.Filter{}, 10); err != nil {
					t.Errorf("MatchAny(%q): %v", term, err)
				}
				if _, err := r.TermCounts(ctx, []string{term}); err != nil {
					t.Errorf("TermCounts(%q): %v", term, err)
				}
				return nil
			})
		}
		long := make([]string, 1000)
		for i := range long {
			long[i] = fmt.Sprintf("term%d", i)
		}
		for _, list := range [][]string{terms, append(long, "alfa")} {
			view(t, s, func(ctx context.Context, r memory.Reader) error {
				matches, err := r.MatchAny(ctx, level, anyOf(list...), memory.Filter{}, 10)
				equal(t, fmt.Sprintf("%d terms at once", len(list)), matchedIDs(matches), []int64{id})
				return err
			})
		}
	}
}

func testTermCounts(t *testing.T, s memory.Store) {
	add(t, s, "Alfa", "1789 and 1848", "1789 again")
	add(t, s, "1789")
	add(t, s, "1848")
	gone := add(t, s, "1789 gone")
	add(t, s, "17890")
	update(t, s, func(ctx context.Context, w memory.Writer) error { return w.DeleteEntity(ctx, gone) })
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		counts, err := r.TermCounts(ctx, []string{"1789", "absent", "1789", "17890", "gone"})
		equal(t, "TermCounts", counts, memory.TermCounts{Entities: 4, Holding: map[string]int{"1789": 2, "17890": 1}})
		return err
	})
}

func matchedIDs(matches []memory.TextMatch) []int64 {
	ids := []int64{}
	for _, m := range matches {
		ids = append(ids, m.EntityID)
	}
	return ids
}
