package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"mcp-memory/gen/db"
	"mcp-memory/internal/passage"
)

// index compares all that is made from the texts of entities with what would be
// made from them now, page by page.
func (v *verifier) index(ctx context.Context) error {
	if v.odd { // Repair makes the index anew
		return nil
	}
	format, err := v.t.q.Metadata(ctx, indexFormatKey)
	if err != nil {
		return err
	}
	if format != "" && format != indexFormat { // the next start has all indexed anew
		v.counted.Pending.Entities = v.counted.Entities
		return nil
	}
	if err := v.readOutdated(ctx); err != nil {
		return err
	}
	if err := v.readTerms(ctx); err != nil {
		return err
	}
	for after := int64(math.MinInt64); ; {
		ids, err := v.t.q.EntityIDsAfter(ctx, db.EntityIDsAfterParams{After: after, Size: indexPage})
		if err != nil {
			return fmt.Errorf("list entities: %w", err)
		}
		if len(ids) == 0 {
			return v.termsOfNone(ctx)
		}
		after = ids[len(ids)-1]
		ids = slices.DeleteFunc(ids, func(id int64) bool { return v.outdated[id] })
		if err := v.page(ctx, ids); err != nil {
			return err
		}
	}
}

func (v *verifier) readOutdated(ctx context.Context) error {
	v.outdated = map[int64]bool{}
	return v.each(ctx, allOutdated, nil, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		v.outdated[id] = true
		return err
	})
}

func (v *verifier) page(ctx context.Context, ids []int64) error {
	sources, err := v.t.sources(ctx, ids)
	if err != nil {
		return err
	}
	var passages map[int64][]db.PassagesOfRow
	err = v.derived("passage_terms", func() (err error) {
		passages, err = v.t.indexedPassages(ctx, ids)
		return err
	})
	if err != nil {
		return err
	}
	var texts, trigrams, parts []document
	for _, s := range sources {
		texts = append(texts, document{s.ID, entityTerms(s.Entity)})
		trigrams = append(trigrams, document{s.ID, foldedText(s.Entity) + trigramPadding})
		if !v.unreadable["passage_terms"] {
			parts = append(parts, v.comparePassages(s, passages[s.ID])...)
		}
	}
	for _, compare := range []func() error{
		func() error {
			return v.derived("entity_fts", func() error { return v.compareTexts(ctx, ids, sources) })
		},
		func() error { return v.compareTerms(ctx, trigramIndex, CheckTrigrams, "entity", trigrams) },
		func() error { return v.compareTerms(ctx, entityTermIndex, CheckEntityTerms, "entity", texts) },
		func() error { return v.compareTerms(ctx, passageTermIndex, CheckPassageTerms, "passage", parts) },
		func() error { return v.compareStates(ctx, ids, sources) },
		func() error {
			return v.derived("entity_embeddings", func() error { return v.compareWhole(ctx, ids, sources) })
		},
	} {
		if err := compare(); err != nil {
			return err
		}
	}
	return nil
}

// compareTexts compares the rows of entity_text and entity_fts.
func (v *verifier) compareTexts(ctx context.Context, ids []int64, sources []source) error {
	want := make(map[int64]db.TextsRow, len(sources))
	for _, s := range sources {
		want[s.ID] = textOf(s.Entity)
	}
	return v.each(ctx, textsOfPage, []any{idList(ids)}, func(scan func(...any) error) error {
		var id int64
		var folded, name, entityType, observations sql.NullString
		if err := scan(&id, &folded, &name, &entityType, &observations); err != nil {
			return fmt.Errorf("read text index: %w", err)
		}
		w := want[id]
		switch {
		case !folded.Valid:
			v.add(CheckText, "entity %d is missing", id)
		case folded.String != w.Folded:
			v.add(CheckText, "entity %d has another", id)
		}
		switch {
		case !name.Valid && !entityType.Valid && !observations.Valid:
			v.add(CheckFTS, "entity %d is missing", id)
		case name.String != w.Name || entityType.String != w.EntityType || observations.String != w.ObsText:
			v.add(CheckFTS, "entity %d has another", id)
		}
		return nil
	})
}

// comparePassages compares the passages of an entity with their rows, and
// returns those whose words can be compared. The words of others are crossed off.
func (v *verifier) comparePassages(s source, rows []db.PassagesOfRow) (parts []document) {
	d := s.differences(rows)
	for _, p := range d.kept {
		if p.row.Ordinal != p.was.Ordinal || p.row.FirstObservation != p.was.FirstObservation || p.row.LastObservation != p.was.LastObservation {
			v.add(CheckPassages, "passage %d of entity %d is at another place of it", p.was.ID, s.ID)
		}
		parts = append(parts, document{p.was.ID, passageTerms(p.window)})
	}
	for _, p := range d.missing {
		v.add(CheckPassages, "the text of passage %d of entity %d is missing", p.row.Ordinal, s.ID)
	}
	for _, row := range d.left {
		if len(d.missing) == 0 {
			v.add(CheckPassages, "passage %d is of a text that entity %d does not have", row.ID, s.ID)
		}
		delete(v.terms[passageTermIndex], row.ID)
	}
	return parts
}

// compareStates compares the hashes of texts that the documented vectors were
// made from. What other programs and older versions noted is up to them.
func (v *verifier) compareStates(ctx context.Context, ids []int64, sources []source) error {
	want := make(map[int64]passage.Entity, len(sources))
	for _, s := range sources {
		want[s.ID] = s.described
	}
	return v.each(ctx, statesOfPage, []any{idList(ids)}, func(scan func(...any) error) error {
		var id int64
		var model, hash string
		if err := scan(&id, &model, &hash); err != nil {
			return fmt.Errorf("read states of vectors: %w", err)
		}
		if isOfForm(model, "/text"+passage.FormatVersion) && hash != passage.Hash(want[id]) {
			v.add(CheckStates, "the vector of entity %d is of another text", id)
			v.stale = append(v.stale, id)
		}
		return nil
	})
}

// termsOfNone looks at what the word indexes hold besides.
func (v *verifier) termsOfNone(ctx context.Context) error {
	err := v.each(ctx, passagesToSkip, nil, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		delete(v.terms[passageTermIndex], id)
		return err
	})
	if err != nil {
		return fmt.Errorf("list passages out of step: %w", err)
	}
	for _, of := range []struct {
		index       termIndex
		check, what string
	}{
		{trigramIndex, CheckTrigrams, "entity"},
		{entityTermIndex, CheckEntityTerms, "entity"},
		{passageTermIndex, CheckPassageTerms, "passage"},
	} {
		for _, id := range slices.Sorted(maps.Keys(v.terms[of.index])) {
			if of.what == "entity" && v.outdated[id] {
				continue
			}
			v.add(of.check, "there is no %s %d", of.what, id)
		}
	}
	return nil
}
