package storetest

import (
	"context"
	"testing"
	"time"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
)

func testStats(t *testing.T, s memory.Store) {
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		got, err := r.Stats(ctx, 10)
		equal(t, "of nothing", got, memory.Stats{
			Types: []memory.Count{}, RelationTypes: []memory.Count{}, Months: []memory.Count{}, MostUsed: []memory.Used{}, Models: []memory.Count{},
		})
		return err
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error {
		ids, err := w.RestoreEntities(ctx, []document.Entity{
			{Name: "Ana", Type: "person", CreatedAt: new("2025-11-30 10:00:00"), UpdatedAt: new("2026-02-01 00:00:00"), Observations: []document.Observation{{Content: "tea"}, {Content: "runs"}}},
			{Name: "Bo", Type: "person", CreatedAt: new("2026-01-01 00:00:00"), UpdatedAt: new("2026-01-01 00:00:00")},
			{Name: "Faro", Type: "project", CreatedAt: new("2026-01-31 23:59:59"), UpdatedAt: new("2026-01-31 23:59:59"), Observations: []document.Observation{{Content: "March"}}},
		})
		if err != nil {
			return err
		}
		for _, r := range []struct {
			from, to int64
			of       string
		}{{ids[0], ids[2], "leads"}, {ids[1], ids[2], "works on"}, {ids[0], ids[1], "works on"}} {
			if _, err := w.InsertRelation(ctx, r.from, r.to, r.of); err != nil {
				return err
			}
		}
		if err := w.Reindex(ctx, ids); err != nil {
			return err
		}
		for range 3 {
			if err := w.RecordAccess(ctx, ids[2:]); err != nil {
				return err
			}
		}
		return w.RecordAccess(ctx, ids[:1])
	})
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		passages, err := r.CountPassages(ctx)
		if err != nil {
			return err
		}
		got, err := r.Stats(ctx, 2)
		if err != nil {
			return err
		}
		for i := range got.MostUsed {
			if got.MostUsed[i].Last.IsZero() {
				t.Errorf("%s was used at no time", got.MostUsed[i].Name)
			}
			got.MostUsed[i].Last = time.Time{}
		}
		equal(t, "Stats", got, memory.Stats{
			Entities: 3, Observations: 3, Relations: 3,
			Types:         []memory.Count{{Name: "person", Count: 2}, {Name: "project", Count: 1}},
			RelationTypes: []memory.Count{{Name: "works on", Count: 2}, {Name: "leads", Count: 1}},
			Months:        []memory.Count{{Name: "2025-11", Count: 1}, {Name: "2026-01", Count: 2}},
			MostUsed:      []memory.Used{{Name: "Faro", Accesses: 3}, {Name: "Ana", Accesses: 1}},
			Oldest:        time.Date(2025, 11, 30, 10, 0, 0, 0, time.UTC),
			Newest:        time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC),
			Changed:       time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
			Models:        []memory.Count{{Name: "", Count: passages}},
		})
		return nil
	})
	update(t, s, func(ctx context.Context, w memory.Writer) error { return embedDue(ctx, w, "m", direction(0)) })
	view(t, s, func(ctx context.Context, r memory.Reader) error {
		got, err := r.Stats(ctx, 0)
		if err != nil {
			return err
		}
		passages, err := r.CountPassages(ctx)
		equal(t, "Models", got.Models, []memory.Count{{Name: "m", Count: passages}})
		equal(t, "none of the most used", got.MostUsed, []memory.Used{})
		return err
	})
}
