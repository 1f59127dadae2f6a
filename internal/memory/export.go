package memory

import (
	"context"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"mcp-memory/internal/document"
	"mcp-memory/internal/jsonl"
)

// exportPage is how many entities or relations of an export are in memory at a
// time.
const exportPage = 500

// ExportReport counts what an export wrote.
type ExportReport struct {
	Entities      int `json:"entities"`
	Relations     int `json:"relations"`
	CoOccurrences int `json:"co_occurrences"`
	Vectors       int `json:"vectors"`
}

// ExportLines writes the memory as the official server's JSON lines: entities, then
// relations, in the order in which they were made. Times, use and vectors are not part
// of it.
func (s *Service) ExportLines(ctx context.Context, w io.Writer) (ExportReport, error) {
	out := jsonl.NewWriter(w)
	return s.export(ctx, func(x *exporter) error {
		err := x.entities(ctx, func(page []document.Entity) error {
			for _, e := range page {
				contents := make([]string, len(e.Observations))
				for i, o := range e.Observations {
					contents[i] = o.Content
				}
				if err := out.Entity(jsonl.Entity{Name: e.Name, Type: e.Type, Observations: contents}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = x.relations(ctx, func(r document.Relation) error {
			return out.Relation(jsonl.Relation{From: r.From, To: r.To, Type: r.Type})
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
}

// ExportDocument writes the memory as a document of package document, vectors only
// if asked. To import it into an empty memory and to export that writes the same
// bytes again.
func (s *Service) ExportDocument(ctx context.Context, w io.Writer, vectors bool) (ExportReport, error) {
	return s.export(ctx, func(x *exporter) error {
		model := ""
		if vectors {
			var err error
			if model, err = x.r.Model(ctx); err != nil {
				return err
			}
		}
		out := document.NewWriter(w, model)
		steps := []func() error{
			func() error {
				return x.entities(ctx, func(page []document.Entity) error { return each(page, out.Entity) })
			},
			func() error { return x.relations(ctx, out.Relation) },
			func() error {
				return pages(ctx, x, x.r.WholeCoOccurrences, func(c document.CoOccurrence) error {
					asUTF8(&c.A, &c.B, c.Last)
					return out.CoOccurrence(c)
				}, &x.CoOccurrences)
			},
		}
		if vectors {
			steps = append(steps,
				func() error { return pages(ctx, x, x.r.PassageVectors, ofUTF8(out.PassageVector), &x.Vectors) },
				func() error { return pages(ctx, x, x.r.EntityVectors, ofUTF8(out.EntityVector), &x.Vectors) })
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// exporter reads one snapshot, page by page.
type exporter struct {
	ExportReport
	r     Reader
	total int // of entities and relations
}

// export runs fn on a snapshot.
func (s *Service) export(ctx context.Context, fn func(*exporter) error) (ExportReport, error) {
	x := &exporter{}
	err := s.store.View(ctx, func(r Reader) error {
		x.r = r
		_, entities, err := r.EntityPage(ctx, 0, 0)
		if err != nil {
			return err
		}
		relations, err := r.CountEdges(ctx)
		if err != nil {
			return err
		}
		x.total = entities + relations
		return fn(x)
	})
	return x.ExportReport, err
}

// ids calls fn with the ids of all entities, page by page.
func (x *exporter) ids(ctx context.Context, fn func([]int64) error) error {
	for after := int64(math.MinInt64); ; {
		ids, err := x.r.EntityIDsAfter(ctx, after, exportPage)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		after = ids[len(ids)-1]
		if err := fn(ids); err != nil {
			return err
		}
	}
}

func (x *exporter) entities(ctx context.Context, fn func([]document.Entity) error) error {
	return x.ids(ctx, func(ids []int64) error {
		page, err := x.r.WholeEntities(ctx, ids)
		if err != nil {
			return err
		}
		for i := range page {
			e := &page[i]
			asUTF8(&e.Name, &e.Type, e.CreatedAt, e.UpdatedAt)
			if e.Access != nil {
				asUTF8(e.Access.Last)
			}
			for j := range e.Observations {
				asUTF8(&e.Observations[j].Content, e.Observations[j].CreatedAt)
			}
		}
		if err := fn(page); err != nil {
			return fmt.Errorf("write entities: %w", err)
		}
		x.Entities += len(page)
		report(ctx, x.Entities, x.total, "exporting")
		return nil
	})
}

func (x *exporter) relations(ctx context.Context, fn func(document.Relation) error) error {
	for after := int64(math.MinInt64); ; {
		page, last, err := x.r.WholeRelations(ctx, after, exportPage)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		after = last
		for i := range page {
			asUTF8(&page[i].From, &page[i].To, &page[i].Type, page[i].CreatedAt)
		}
		if err := each(page, fn); err != nil {
			return fmt.Errorf("write relations: %w", err)
		}
		x.Relations += len(page)
		report(ctx, x.Entities+x.Relations, x.total, "exporting")
	}
}

// pages writes what belongs to entities, page by page of these.
func pages[T any](ctx context.Context, x *exporter, read func(context.Context, []int64) ([]T, error), write func(T) error, count *int) error {
	return x.ids(ctx, func(ids []int64) error {
		page, err := read(ctx, ids)
		if err != nil {
			return err
		}
		*count += len(page)
		return each(page, write)
	})
}

// asUTF8 puts U+FFFD in place of bytes that are not UTF-8, as JSON would, but as a
// character like any other: so what is imported is exported the same.
func asUTF8(texts ...*string) {
	for _, text := range texts {
		if !utf8.ValidString(*text) {
			*text = string([]rune(*text))
		}
	}
}

func ofUTF8(write func(document.Vector) error) func(document.Vector) error {
	return func(v document.Vector) error {
		asUTF8(&v.Entity)
		return write(v)
	}
}

func each[T any](list []T, fn func(T) error) error {
	for _, item := range list {
		if err := fn(item); err != nil {
			return err
		}
	}
	return nil
}
