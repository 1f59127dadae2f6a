package memory

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/words"
)

const (
	// worthShowing is the part of the best hit's share that a hit by words
	// needs: below it, it shares but the words that everything has.
	worthShowing = 0.3
	// maxWordHits bounds the hits by words that can be paged through.
	maxWordHits = 2_000
)

// SearchNodes finds entities of which the name, the type or an observation
// contains the query, whatever its case and accents: those of that name first, one
// that has it to the letter before the others, then those that have it in their name,
// each by id. If there is none, it looks for the query without what WithoutWildcards
// leaves out, and then finds those that share words with it, best first. Blank finds
// nothing.
func (s *Service) SearchNodes(ctx context.Context, query string, limit, offset int) (Page, error) {
	page := Page{Graph: Graph{Entities: []Entity{}, Relations: []Relation{}}}
	if asksNothing(fold.Text(bothEnds(query, MaxQueryLength))) {
		return page, nil
	}
	s.rewarm()
	complete, err := s.refresh(ctx)
	if err != nil {
		return page, err
	}
	page.Incomplete = !complete
	err = s.store.View(ctx, func(r Reader) error {
		ids, total, err := containing(ctx, r, query, limit, offset)
		if err != nil {
			return err
		}
		if total == 0 {
			if ids, total, err = s.byWords(ctx, r, query, limit, offset); err != nil {
				return err
			}
		}
		page.Total = total
		page.Graph, err = graphOf(ctx, r, ids)
		return err
	})
	return page, err
}

// containing pages through the entities that contain the query, as it is or else
// without wildcards.
func containing(ctx context.Context, r Reader, query string, limit, offset int) (ids []int64, total int, err error) {
	look := func(text string) error {
		folded := fold.Text(cut(text, MaxQueryLength))
		if asksNothing(folded) {
			return nil
		}
		ids, total, err = exactFirst(ctx, r, text, folded, limit, offset)
		return err
	}
	if err = look(query); err != nil || total > 0 {
		return ids, total, err
	}
	if plain := WithoutWildcards(query); plain != query {
		err = look(plain)
	}
	return ids, total, err
}

// exactFirst is Containing with the entity first that has the very name, of several whose
// names differ in nothing but case and accents.
func exactFirst(ctx context.Context, r Reader, query, folded string, limit, offset int) (ids []int64, total int, err error) {
	known, err := resolve(ctx, r, []string{query})
	if err != nil {
		return nil, 0, err
	}
	exact, found := known.id(query)
	if !found || fold.Text(CanonicalName(query)) != folded {
		return r.Containing(ctx, folded, limit, offset)
	}
	named, err := r.Named(ctx, folded)
	if err != nil {
		return nil, 0, err
	}
	at := slices.Index(named, exact)
	if at <= 0 || offset > at {
		return r.Containing(ctx, folded, limit, offset)
	}
	// Those before it are one place further on.
	if ids, total, err = r.Containing(ctx, folded, limit+1, max(offset-1, 0)); err != nil {
		return nil, 0, err
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id == exact })
	if offset == 0 {
		ids = slices.Insert(ids, 0, exact)
	}
	return ids[:min(limit, len(ids))], total, nil
}

// WithoutWildcards returns the words of a query with single blanks between them and
// without the asterisks at their ends, which people write for any ending.
func WithoutWildcards(query string) string {
	var list []string
	for word := range strings.FieldsSeq(query) {
		if word = strings.Trim(word, "*"); word != "" {
			list = append(list, word)
		}
	}
	return strings.Join(list, " ")
}

// asksNothing reports whether a folded query is blank.
func asksNothing(folded string) bool { return strings.TrimFunc(folded, isBlank) == "" }

// isBlank reports whether a query of nothing else asks for nothing. A store takes
// U+001F for a blank, too.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\x1f' }

// byWords pages through the entities that share words with the query.
func (s *Service) byWords(ctx context.Context, r Reader, query string, limit, offset int) (ids []int64, total int, err error) {
	asked := words.Query(bothEnds(query, MaxQueryLength))
	found := textHits{}
	for _, try := range []struct {
		words  []words.Word
		afford func([]weighed) []WeighedWord
	}{
		{contentWords(asked), affordable},
		{asked, affordable}, // there may be nothing but function words,
		{asked, func(list []weighed) []WeighedWord { // or words that most entities hold, each of them
			if len(list) < len(asked) {
				return nil
			}
			return evenCommon(list)
		}},
	} {
		found, _, err = matchWords(ctx, r, try.words, Filter{}, s.ranking, maxWordHits, try.afford)
		if err != nil || len(found) > 0 {
			break
		}
	}
	if err != nil {
		return nil, 0, err
	}
	hits := found.best(s.ranking, maxWordHits)
	for i, hit := range hits {
		if hit.weight(s.ranking) < worthShowing*hits[0].weight(s.ranking) {
			hits = hits[:i]
			break
		}
	}
	for _, hit := range hits[min(offset, len(hits)):min(offset+limit, len(hits))] {
		ids = append(ids, hit.id)
	}
	return ids, len(hits), nil
}

// bothEnds returns the beginning and the end of a text of more than n code points,
// as many: what is asked stands before or after what is pasted.
func bothEnds(s string, n int) string {
	chars := []rune(s)
	if len(chars) <= n {
		return s
	}
	return string(chars[:n/2]) + " … " + string(chars[len(chars)-n/2:])
}

// cut returns the first n code points of s.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
