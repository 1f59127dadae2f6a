package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

// CheckText compares the whole index with the entities, repairs what differs,
// and counts the entities concerned: the tests' judge of whether both agree.
// Terms that are wrong are counted, but not repaired.
func (d *DB) CheckText(ctx context.Context) (repaired int, err error) {
	if err := d.CheckVectors(ctx); err != nil {
		return 0, err
	}
	wrong := map[int64]bool{}
	missing, err := d.missingIndex(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range missing {
		wrong[id] = true
	}
	j, err := d.readTerms(ctx)
	if err != nil {
		return 0, err
	}
	for after, more := int64(0), true; err == nil && more; {
		var differing []int64
		differing, after, more, err = d.differing(ctx, j, after)
		for _, id := range differing {
			wrong[id] = true
		}
	}
	if err != nil {
		return 0, err
	}
	ids := slices.Sorted(maps.Keys(wrong))
	return len(ids), d.Update(ctx, func(w memory.Writer) error { return w.Reindex(ctx, ids) })
}

// indexedTerms are the terms of each row of the tables without content.
type indexedTerms struct {
	entities, passages, trigrams map[int64][]string
}

// readTerms reads the terms of every row, in order; trigrams are sorted, as
// nothing is known of their places.
func (d *DB) readTerms(ctx context.Context) (t indexedTerms, err error) {
	c, err := d.writer.acquire(ctx, forever)
	if err != nil {
		return t, err
	}
	defer d.writer.release(c)
	read := func(table, order string) map[int64][]string {
		terms := map[int64][]string{}
		if err == nil {
			err = run(ctx, c.sql, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.judge_"+table+" USING fts5vocab(main, "+table+", instance)")
		}
		if err != nil {
			return nil
		}
		rows, queryErr := c.sql.QueryContext(ctx, "SELECT doc, term FROM temp.judge_"+table+" ORDER BY "+order)
		if err = queryErr; err != nil {
			return nil
		}
		defer rows.Close()
		for rows.Next() && err == nil {
			var id int64
			var term string
			err = rows.Scan(&id, &term)
			terms[id] = append(terms[id], term)
		}
		if err == nil {
			err = rows.Err()
		}
		return terms
	}
	t.entities = read("entity_terms", "doc, offset")
	t.passages = read("passage_terms", "doc, offset")
	t.trigrams = read("entity_trigrams", "doc, term")
	return t, err
}

// differing lists the entities, of the next page, of which the index says
// something else.
func (d *DB) differing(ctx context.Context, j indexedTerms, after int64) (ids []int64, last int64, more bool, err error) {
	err = d.View(ctx, func(r memory.Reader) error {
		t := r.(readTx)
		page, err := t.q.EntityIDsAfter(ctx, db.EntityIDsAfterParams{After: after, Size: indexPage})
		if err != nil || len(page) == 0 {
			return err
		}
		last, more = page[len(page)-1], len(page) == indexPage
		sources, err := t.sources(ctx, page)
		if err != nil {
			return err
		}
		texts, err := t.indexedTexts(ctx, page)
		if err != nil {
			return err
		}
		passages, err := t.indexedPassages(ctx, page)
		for _, s := range sources {
			if texts[s.ID] != textOf(s.Entity) || !j.agree(s) || !j.agreePassages(s, passages[s.ID]) {
				ids = append(ids, s.ID)
			}
		}
		return err
	})
	return ids, last, more, err
}

func (j indexedTerms) agree(s source) bool {
	chars := []rune(foldedText(s.Entity) + trigramPadding)
	trigrams := map[string]bool{}
	for i := range len(chars) - 2 {
		trigrams[string(chars[i:i+3])] = true
	}
	return slices.Equal(j.entities[s.ID], strings.Fields(entityTerms(s.Entity))) &&
		slices.Equal(j.trigrams[s.ID], slices.Sorted(maps.Keys(trigrams)))
}

func (j indexedTerms) agreePassages(s source, rows []db.PassagesOfRow) bool {
	windows := s.windows()
	if len(windows) != len(rows) {
		return false
	}
	for i, w := range windows { // rows are sorted by ordinal
		want := s.row(i, w)
		want.ID, want.HasVector, want.HasTerms = rows[i].ID, rows[i].HasVector, 1
		if rows[i] != want || !slices.Equal(j.passages[rows[i].ID], strings.Fields(passageTerms(w))) {
			return false
		}
	}
	return true
}

// vectorRules hold for every passage: where there is a model, there are both
// vectors, and else neither.
var vectorRules = map[string]string{
	"passages with a model and no vector": `SELECT count(*) FROM passages WHERE model IS NOT NULL AND (
		id NOT IN (SELECT passage_id FROM passage_vectors) OR id NOT IN (SELECT rowid FROM passage_embeddings))`,
	"vectors of passages without a model": `SELECT count(*) FROM passage_vectors
		WHERE passage_id NOT IN (SELECT id FROM passages WHERE model IS NOT NULL)`,
	"coarse vectors of passages without a model": `SELECT count(*) FROM passage_embeddings
		WHERE rowid NOT IN (SELECT id FROM passages WHERE model IS NOT NULL)`,
	"free slots that hold something": `SELECT count(*) FROM passages WHERE entity_id IS NULL
		AND (model IS NOT NULL OR text_hash <> '' OR ordinal <> 0 OR first_observation IS NOT NULL)`,
	"words of what is no passage": `SELECT count(*) FROM passage_terms
		WHERE rowid NOT IN (SELECT id FROM passages WHERE entity_id IS NOT NULL)`,
	"passages beyond the number of rows": `SELECT coalesce(max(id), 0) - count(*) FROM passages`,
}

// CheckVectors returns an error that names a rule that does not hold.
func (d *DB) CheckVectors(ctx context.Context) error {
	c, err := d.writer.acquire(ctx, forever)
	if err != nil {
		return err
	}
	defer d.writer.release(c)
	for rule, counting := range vectorRules {
		n, err := number(ctx, c.sql, counting)
		if err != nil {
			return fmt.Errorf("%s: %w", rule, err)
		}
		if n != 0 {
			return fmt.Errorf("%d %s", n, rule)
		}
	}
	return nil
}
