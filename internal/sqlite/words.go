package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
	"mcp-memory/internal/sqlite/wordrank"
	"mcp-memory/internal/words"
)

// entityTerms are the words of a whole entity as the index takes them.
func entityTerms(e memory.Entity) string {
	parts := append([]string{e.Name, e.Type}, e.Observations...)
	return joinTerms(strings.Join(parts, "\n"))
}

// passageTerms are those of a passage, with the name and type above it.
func passageTerms(w passage.Window) string { return joinTerms(w.Text) }

func joinTerms(text string) string { return strings.Join(words.Terms(text), " ") }

func (t readTx) MatchAny(ctx context.Context, level memory.Level, list []memory.WeighedWord, f memory.Filter, limit int) ([]memory.TextMatch, error) {
	e := expressionOf(list)
	if e.match == "" || limit <= 0 {
		return []memory.TextMatch{}, nil
	}
	matches, err := t.matchBest(ctx, level, e, f, int64(limit))
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	parted := e.weights.Scores()
	for i := range matches {
		matches[i].BM25, matches[i].All = parted(matches[i].BM25)
	}
	slices.SortFunc(matches, func(a, b memory.TextMatch) int {
		switch {
		case a.All && !b.All:
			return -1
		case b.All && !a.All:
			return 1
		}
		return cmp.Or(cmp.Compare(b.BM25, a.BM25), cmp.Compare(a.PassageID, b.PassageID), cmp.Compare(a.EntityID, b.EntityID))
	})
	return matches, nil
}

// matchBest takes the best of all, and looks at each match only where a filter
// or what is outdated may stand in front of others.
func (t readTx) matchBest(ctx context.Context, level memory.Level, e expression, f memory.Filter, limit int64) ([]memory.TextMatch, error) {
	if isZero(f) {
		matches, err := t.match(ctx, level, e, limit)
		if err != nil || int64(len(matches)) == limit {
			return matches, err
		}
		outdated, err := t.q.Outdated(ctx, 1)
		if err != nil || len(outdated) == 0 {
			return matches, err
		}
	}
	filter, err := filterOf(f)
	if err != nil {
		return nil, err
	}
	return t.matchAmong(ctx, level, e, filter, limit)
}

func (t readTx) match(ctx context.Context, level memory.Level, e expression, limit int64) ([]memory.TextMatch, error) {
	matches := []memory.TextMatch{}
	if level == memory.Entities {
		rows, err := t.q.MatchEntities(ctx, db.MatchEntitiesParams{Expression: e.match, Weights: e.weights, Size: limit})
		for _, row := range rows {
			matches = append(matches, memory.TextMatch{EntityID: row.EntityID, BM25: row.Score})
		}
		return matches, err
	}
	rows, err := t.q.MatchPassages(ctx, db.MatchPassagesParams{Expression: e.match, Weights: e.weights, Size: limit})
	for _, row := range rows {
		matches = append(matches, memory.TextMatch{EntityID: row.EntityID, PassageID: row.ID, BM25: row.Score})
	}
	return matches, err
}

func (t readTx) matchAmong(ctx context.Context, level memory.Level, e expression, f filter, limit int64) ([]memory.TextMatch, error) {
	matches := []memory.TextMatch{}
	if level == memory.Entities {
		rows, err := t.q.MatchEntitiesAmong(ctx, db.MatchEntitiesAmongParams{
			Expression: e.match, Weights: e.weights, Size: limit, TypesJSON: f.types, Since: f.since, Until: f.until,
		})
		for _, row := range rows {
			matches = append(matches, memory.TextMatch{EntityID: row.EntityID, BM25: row.Score})
		}
		return matches, err
	}
	rows, err := t.q.MatchPassagesAmong(ctx, db.MatchPassagesAmongParams{
		Expression: e.match, Weights: e.weights, Size: limit, TypesJSON: f.types, Since: f.since, Until: f.until,
	})
	for _, row := range rows {
		matches = append(matches, memory.TextMatch{EntityID: row.EntityID, PassageID: row.ID, BM25: row.Score})
	}
	return matches, err
}

// expression matches whatever holds a term of any word.
type expression struct {
	match   string
	weights wordrank.Weights // of its phrases
}

func expressionOf(list []memory.WeighedWord) expression {
	var (
		phrases []string
		weights wordrank.Weights
	)
	for i, word := range list[:min(len(list), wordrank.MaxWords)] {
		for _, term := range word.Terms {
			if !strings.ContainsFunc(term, isTermRune) {
				continue // FTS5 would count no phrase
			}
			phrases = append(phrases, phrase(term))
			weights = weights.Add(i, word.IDF)
		}
	}
	return expression{strings.Join(phrases, " OR "), weights}
}

// isTermRune reports whether the tokenizer takes r for a part of a term.
func isTermRune(r rune) bool {
	return r >= 0x80 || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// phrase writes a term as an FTS5 string, in which nothing is an operator. A
// NUL would end the whole expression.
func phrase(term string) string {
	return `"` + strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(term) + `"`
}

func (t readTx) TermCounts(ctx context.Context, terms []string) (memory.TermCounts, error) {
	counts := memory.TermCounts{Holding: map[string]int{}}
	list, err := textList(terms)
	if err != nil {
		return counts, fmt.Errorf("list terms: %w", err)
	}
	documents, err := t.q.CountEntities(ctx)
	if err != nil {
		return counts, fmt.Errorf("count entities: %w", err)
	}
	rows, err := t.q.CountTerms(ctx, list)
	if err != nil {
		return counts, fmt.Errorf("count terms: %w", err)
	}
	counts.Entities = int(documents)
	for _, row := range rows {
		counts.Holding[row.Term] = int(row.Doc)
	}
	return counts, nil
}
