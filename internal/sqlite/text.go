package sqlite

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-memory/gen/db"
	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
)

const (
	// fieldSeparator stands between the parts of a folded text, so that no
	// substring spans two of them.
	fieldSeparator = "\x1f"
	// trigramPadding makes a trigram begin with each character of a text.
	trigramPadding = fieldSeparator + fieldSeparator
	// maxTrigrams is how many trigrams of a long substring are looked up; what
	// holds them all is compared with the whole.
	maxTrigrams = 8
	// maxEntries is up to how many entries of the trigram index are read, beyond
	// which reading all texts is faster.
	maxEntries = 10_000
)

// foldedText is the text that Containing searches.
func foldedText(e memory.Entity) string {
	var b strings.Builder
	b.WriteString(searchable.Replace(fold.Text(e.Name)))
	b.WriteString(fieldSeparator)
	b.WriteString(searchable.Replace(fold.Text(e.Type)))
	for _, o := range e.Observations {
		b.WriteString(fieldSeparator)
		b.WriteString(searchable.Replace(fold.Text(o)))
	}
	return b.String()
}

// searchable makes a blank of the separator in a text, or in what is looked for, and
// of NUL, which ends a text for the tokenizer.
var searchable = strings.NewReplacer(fieldSeparator, " ", "\x00", " ")

func (t readTx) Containing(ctx context.Context, folded string, limit, offset int) (ids []int64, total int, err error) {
	found, err := t.containing(ctx, searchable.Replace(folded))
	if err != nil {
		return nil, 0, fmt.Errorf("search substring: %w", err)
	}
	all := namesFirst(found)
	first := min(max(offset, 0), len(all))
	n := min(max(limit, 0), len(all)-first)
	return all[first : first+n], len(all), nil
}

// namesFirst lists what was found by the place of the fragment in it: the name, a
// part of that, or another text. Within these the order stays.
func namesFirst(found []db.ContainingRow) []int64 {
	var ids [3][]int64
	for _, f := range found {
		ids[f.Place] = append(ids[f.Place], f.EntityID)
	}
	all := make([]int64, 0, len(found))
	for _, list := range ids {
		all = append(all, list...)
	}
	return all
}

func (t readTx) Named(ctx context.Context, foldedName string) ([]int64, error) {
	ids, err := t.q.EntitiesNamed(ctx, searchable.Replace(foldedName))
	if err != nil {
		return nil, fmt.Errorf("look up folded name: %w", err)
	}
	return ids, nil
}

// containing searches the trigram index where that can be relied on and is
// faster than reading all texts.
func (t readTx) containing(ctx context.Context, fragment string) ([]db.ContainingRow, error) {
	// The index does not tell apart what it takes for bytes that are no text.
	if fragment == "" || !utf8.ValidString(fragment) || strings.ContainsAny(fragment, "\ufffd\ufffe\uffff") {
		return t.q.Containing(ctx, fragment)
	}
	if chars := []rune(fragment); len(chars) >= 3 {
		rows, err := t.q.ContainingTrigrams(ctx, db.ContainingTrigramsParams{Expression: allOf(trigrams(chars)), Fragment: fragment})
		return asContaining(rows), err
	}
	beyond := fragment + "\xff" // which no character begins with
	n, err := t.q.CountTrigramsBetween(ctx, db.CountTrigramsBetweenParams{Least: fragment, Beyond: beyond, Most: maxEntries + 1})
	if err != nil {
		return nil, err
	}
	if n > maxEntries {
		return t.q.Containing(ctx, fragment)
	}
	rows, err := t.q.ContainingTrigramsBetween(ctx, db.ContainingTrigramsBetweenParams{Least: fragment, Beyond: beyond})
	return asContaining(rows), err
}

// asContaining converts the rows that queries of one shape give.
func asContaining[Row db.ContainingTrigramsRow | db.ContainingTrigramsBetweenRow](rows []Row) []db.ContainingRow {
	found := make([]db.ContainingRow, len(rows))
	for i, row := range rows {
		found[i] = db.ContainingRow(row)
	}
	return found
}

// allOf writes an expression that matches whatever holds all of the terms.
func allOf(terms []string) string {
	phrases := make([]string, len(terms))
	for i, term := range terms {
		phrases[i] = phrase(term)
	}
	return strings.Join(phrases, " AND ")
}

// trigrams returns those of a substring, evenly spread ones if it has many.
func trigrams(chars []rune) []string {
	all := len(chars) - 2
	list := make([]string, min(all, maxTrigrams))
	for i := range list {
		at := i * (all - 1) / max(1, len(list)-1)
		list[i] = string(chars[at : at+3])
	}
	return list
}
