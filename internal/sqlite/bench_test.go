package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

const benchEntities = 10_000

// filled makes a database of many entities with three observations and a
// vector each.
func filled(b *testing.B) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "memory.db")
	db := open(b, path)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range benchEntities / 1000 {
		create(b, db, i*1000, 1000, random)
	}
	return path
}

// create stores entities in one transaction, with vectors if there is a source
// of randomness.
func create(b *testing.B, db *sqlite.DB, first, n int, random *rand.Rand) {
	b.Helper()
	ctx := b.Context()
	err := db.Update(ctx, func(w memory.Writer) error {
		ids := make([]int64, n)
		for i := range ids {
			name := fmt.Sprintf("Entity number %d", first+i)
			id, err := w.InsertEntity(ctx, name, "Note")
			if err != nil {
				return err
			}
			ids[i] = id
			_, err = w.InsertObservations(ctx, id, []string{
				fmt.Sprintf("Observaci\u00f3n %d sobre la boya del puerto y su bater\u00eda", first+i),
				"The second observation is about something else altogether, and a bit longer than the first",
				fmt.Sprintf("Third, with the number %d", (first+i)%97),
			})
			if err != nil {
				return err
			}
			if err := w.EnsureUsage(ctx, id); err != nil {
				return err
			}
			if random != nil {
				if _, err := w.InsertRelation(ctx, id, ids[i/2], "refers to"); err != nil {
					return err
				}
				if err := w.RecordTogether(ctx, []int64{id, ids[i/2]}); err != nil {
					return err
				}
				if err := w.SetVector(ctx, id, "m", "hash", randomVector(random)); err != nil {
					return err
				}
			}
			if _, err := w.Entities(ctx, []int64{id}); err != nil {
				return err
			}
		}
		if err := w.RefreshText(ctx, ids); err != nil {
			return err
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func randomVector(random *rand.Rand) []float32 {
	v := make([]float32, memory.Dimensions)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

func BenchmarkCreate50(b *testing.B) {
	db := open(b, filepath.Join(b.TempDir(), "memory.db"))
	first := 0
	for b.Loop() {
		create(b, db, first, 50, nil)
		first += 50
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(first), "us/entity")
}

func BenchmarkOpen(b *testing.B) {
	path := filled(b)
	for b.Loop() {
		db, err := sqlite.Open(b.Context(), path, sqlite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	db := open(b, filled(b))
	ctx := b.Context()
	vector := randomVector(rand.New(rand.NewPCG(3, 4)))
	all := make([]int64, benchEntities)
	for i := range all {
		all[i] = int64(i + 1)
	}
	for name, read := range map[string]func(memory.Reader) error{
		"Entities/all":      func(r memory.Reader) error { _, err := r.Entities(ctx, all); return err },
		"EdgesUpTo/all":     func(r memory.Reader) error { _, err := r.EdgesUpTo(ctx, all); return err },
		"EdgesTouching/50":  func(r memory.Reader) error { _, err := r.EdgesTouching(ctx, all[:50]); return err },
		"CoOccurrences/all": func(r memory.Reader) error { _, err := r.CoOccurrences(ctx, all); return err },
		"Usages/30":         func(r memory.Reader) error { _, err := r.Usages(ctx, all[:30]); return err },
		"Containing/none":   func(r memory.Reader) error { _, _, err := r.Containing(ctx, "nowhere at all", 50, 0); return err },
		"Containing/few":    func(r memory.Reader) error { _, _, err := r.Containing(ctx, "bateria", 50, 0); return err },
		"Containing/all":    func(r memory.Reader) error { _, _, err := r.Containing(ctx, "observa", 50, 0); return err },
		"ContainingAny": func(r memory.Reader) error {
			_, err := r.ContainingAny(ctx, []string{"no", "um", "mb", "zz", "qq", "xq", "jw", "vv"}, 50)
			return err
		},
		"MatchAny/rare": func(r memory.Reader) error { _, err := r.MatchAny(ctx, []string{"42"}, 30); return err },
		"MatchAny/common": func(r memory.Reader) error {
			_, err := r.MatchAny(ctx, []string{"boya", "number", "the"}, 30)
			return err
		},
		"TermCounts": func(r memory.Reader) error {
			_, err := r.TermCounts(ctx, []string{"boya", "number", "the"})
			return err
		},
		"Nearest/30":     func(r memory.Reader) error { _, err := r.Nearest(ctx, "m", vector, 30); return err },
		"Nearest/4096":   func(r memory.Reader) error { _, err := r.Nearest(ctx, "m", vector, 4096); return err },
		"CountOutOfDate": func(r memory.Reader) error { _, err := r.CountOutOfDate(ctx, "m"); return err },
		"OutOfDate":      func(r memory.Reader) error { _, err := r.OutOfDate(ctx, "m", 0, 64); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := db.View(ctx, read); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheckText(b *testing.B) {
	db := open(b, filled(b))
	for b.Loop() {
		if _, err := db.CheckText(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
