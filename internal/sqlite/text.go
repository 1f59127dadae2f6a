package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

const (
	// fieldSeparator stands between the parts of a folded text, so that no
	// substring spans two of them.
	fieldSeparator = "\x1f"
	// observationSeparator is the documented one of entity_fts.obs_text.
	observationSeparator = " | "
	// textPage is how many texts are in memory at a time.
	textPage = 500
)

// foldedText is the text that Containing searches.
func foldedText(e memory.Entity) string {
	var b strings.Builder
	b.WriteString(withoutSeparator(memory.Fold(e.Name)))
	b.WriteString(fieldSeparator)
	b.WriteString(withoutSeparator(memory.Fold(e.Type)))
	for _, o := range e.Observations {
		b.WriteString(fieldSeparator)
		b.WriteString(withoutSeparator(memory.Fold(o)))
	}
	return b.String()
}

// withoutSeparator makes the separator in a text, or in what is looked for, a blank.
func withoutSeparator(s string) string { return strings.ReplaceAll(s, fieldSeparator, " ") }

func (t readTx) Containing(ctx context.Context, folded string, limit, offset int) (ids []int64, total int, err error) {
	folded = withoutSeparator(folded)
	rows, err := t.q.Containing(ctx, db.ContainingParams{Fragment: folded, Size: rowLimit(limit), Skip: int64(offset)})
	if err != nil {
		return nil, 0, fmt.Errorf("search substring: %w", err)
	}
	ids = make([]int64, len(rows))
	for i, row := range rows {
		ids[i], total = row.EntityID, int(row.Total)
	}
	if len(rows) == 0 && (offset > 0 || limit <= 0) { // no row that could tell the total
		n, err := t.q.CountContaining(ctx, folded)
		if err != nil {
			return nil, 0, fmt.Errorf("count substring: %w", err)
		}
		total = int(n)
	}
	return ids, total, nil
}

func (t readTx) ContainingAny(ctx context.Context, fragments []string, limit int) ([]memory.FragmentCount, error) {
	cleaned := make([]string, len(fragments))
	for i, f := range fragments {
		cleaned[i] = withoutSeparator(f)
	}
	list, err := textList(cleaned)
	if err != nil {
		return nil, fmt.Errorf("list fragments: %w", err)
	}
	rows, err := t.q.ContainingAny(ctx, db.ContainingAnyParams{FragmentsJSON: list, Size: rowLimit(limit)})
	if err != nil {
		return nil, fmt.Errorf("search fragments: %w", err)
	}
	counts := make([]memory.FragmentCount, len(rows))
	for i, row := range rows {
		counts[i] = memory.FragmentCount{EntityID: row.EntityID, Count: int(row.Fragments)}
	}
	return counts, nil
}

func (t readTx) MatchAny(ctx context.Context, terms []string, limit int) ([]memory.TextMatch, error) {
	if len(terms) == 0 || limit <= 0 {
		return []memory.TextMatch{}, nil
	}
	phrases := make([]string, len(terms))
	for i, term := range terms {
		phrases[i] = phrase(term)
	}
	rows, err := t.q.MatchText(ctx, db.MatchTextParams{Expression: strings.Join(phrases, " OR "), Size: int64(limit)})
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	matches := make([]memory.TextMatch, len(rows))
	for i, row := range rows {
		matches[i] = memory.TextMatch{EntityID: row.EntityID, BM25: row.Score}
	}
	return matches, nil
}

// phrase writes a term as an FTS5 string, in which nothing is an operator. A
// NUL would end the whole expression.
func phrase(term string) string {
	return `"` + strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(term) + `"`
}

// TermCounts asks the index itself rather than its vocabulary: the tokenizer
// then treats the terms as it treated the texts.
func (t readTx) TermCounts(ctx context.Context, terms []string) (memory.TermCounts, error) {
	counts := memory.TermCounts{Holding: map[string]int{}}
	documents, err := t.q.CountEntities(ctx)
	if err != nil {
		return counts, fmt.Errorf("count entities: %w", err)
	}
	counts.Documents = int(documents)
	phrases := make([]string, len(terms))
	for i, term := range terms {
		phrases[i] = phrase(term)
	}
	list, err := textList(phrases)
	if err != nil {
		return counts, fmt.Errorf("list terms: %w", err)
	}
	rows, err := t.q.CountTerms(ctx, list)
	if err != nil {
		return counts, fmt.Errorf("count terms: %w", err)
	}
	for _, row := range rows {
		if row.Holding > 0 {
			counts.Holding[terms[row.Position]] = int(row.Holding)
		}
	}
	return counts, nil
}

func (t writeTx) RefreshText(ctx context.Context, ids []int64) error {
	for page := range slices.Chunk(ids, textPage) {
		entities, err := t.Entities(ctx, page)
		if err != nil {
			return err
		}
		gone := make(map[int64]bool, len(page))
		for _, id := range page {
			gone[id] = true
		}
		for _, e := range entities {
			delete(gone, e.ID)
			if err := t.putText(ctx, e); err != nil {
				return fmt.Errorf("index text of entity %d: %w", e.ID, err)
			}
		}
		for id := range gone {
			if err := errors.Join(t.q.DeleteText(ctx, id), t.q.DeleteFolded(ctx, id), t.deleteVector(ctx, id)); err != nil {
				return fmt.Errorf("delete traces of entity %d: %w", id, err)
			}
		}
		if err := t.q.TextsUpToDate(ctx, idList(page)); err != nil {
			return fmt.Errorf("note that texts are in step: %w", err)
		}
	}
	return nil
}

func (t readTx) OutdatedTexts(ctx context.Context, limit int) ([]int64, error) {
	ids, err := t.q.TextsOutdated(ctx, rowLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("list texts out of step: %w", err)
	}
	return ids, nil
}

func (t writeTx) putText(ctx context.Context, e memory.Entity) error {
	err := t.q.PutText(ctx, db.PutTextParams{
		EntityID:   e.ID,
		Name:       e.Name,
		EntityType: e.Type,
		ObsText:    strings.Join(e.Observations, observationSeparator),
	})
	if err != nil {
		return err
	}
	return t.q.PutFolded(ctx, db.PutFoldedParams{EntityID: e.ID, Folded: foldedText(e)})
}
