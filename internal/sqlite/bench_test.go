package sqlite_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// The sizes of what the benchmarks read. Entities have three observations each.
var (
	benchObservations = flag.Int("bench.observations", 30_000, "observations in the database that benchmarks read")
	benchVectors      = flag.Int("bench.vectors", 10_000, "passages with a vector in it")
)

// writer makes up texts of words as frequent as in a language: the word at
// place n comes up about as often as the first divided by n.
type writer struct {
	random *rand.Rand
	zipf   *rand.Zipf
	words  []string
}

func newWriter() *writer {
	w := &writer{random: rand.New(rand.NewPCG(1, 2))}
	const letters = "etaoinshrdlucmfwypvbgk"
	for range 30_000 {
		word := make([]byte, 2+w.random.IntN(9))
		for i := range word {
			word[i] = letters[min(w.random.IntN(len(letters)), w.random.IntN(len(letters)))]
		}
		w.words = append(w.words, string(word))
	}
	w.zipf = rand.NewZipf(w.random, 1.05, 4, uint64(len(w.words)-1))
	return w
}

// sentence has about a hundred characters.
func (w *writer) sentence() string {
	words := make([]string, 16)
	for i := range words {
		words[i] = w.words[w.zipf.Uint64()]
	}
	return strings.Join(words, " ") + "."
}

func (w *writer) vector() []float32 {
	v := make([]float32, memory.Dimensions)
	for i := range v {
		v[i] = float32(w.random.NormFloat64())
	}
	return v
}

// create stores entities of three observations in one transaction.
func (w *writer) create(b *testing.B, db *sqlite.DB, first, n int) {
	b.Helper()
	ctx := b.Context()
	err := db.Update(ctx, func(tx memory.Writer) error {
		ids := make([]int64, n)
		for i := range ids {
			id, err := tx.InsertEntity(ctx, fmt.Sprintf("Entity number %d", first+i), "Note")
			if err != nil {
				return err
			}
			ids[i] = id
			_, err = tx.InsertObservations(ctx, id, []string{w.sentence(), w.sentence(), w.sentence()})
			if err := errors.Join(err, tx.EnsureUsage(ctx, id)); err != nil {
				return err
			}
		}
		return tx.Reindex(ctx, ids)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// embed gives passages without a vector one, up to n.
func (w *writer) embed(b *testing.B, db *sqlite.DB, n int) {
	b.Helper()
	ctx := b.Context()
	err := db.Update(ctx, func(tx memory.Writer) error {
		due, err := tx.PassagesDue(ctx, "m", 0, n)
		for _, p := range due {
			err = errors.Join(err, tx.SetPassageVector(ctx, p.ID, "m", p.Window.Hash(), stored(w.vector())))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// filled makes the database that benchmarks read.
func filled(b *testing.B) (path string, w *writer) {
	b.Helper()
	path, w = filepath.Join(b.TempDir(), "memory.db"), newWriter()
	db := open(b, path)
	for first := 0; first < *benchObservations/3; first += 1000 {
		w.create(b, db, first, 1000)
	}
	w.embed(b, db, *benchVectors)
	return path, w
}

func BenchmarkCreate1000(b *testing.B) {
	db, w := open(b, filepath.Join(b.TempDir(), "memory.db")), newWriter()
	first := 0
	for b.Loop() {
		w.create(b, db, first, 1000)
		first += 1000
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(first), "us/entity")
}

// BenchmarkAddToLong adds an observation to an entity that has 5,000.
func BenchmarkAddToLong(b *testing.B) {
	db, w := open(b, filepath.Join(b.TempDir(), "memory.db")), newWriter()
	var observations []string
	for range 5000 {
		observations = append(observations, w.sentence())
	}
	ctx := b.Context()
	id := add(b, db, "Long", observations...)
	for b.Loop() {
		err := db.Update(ctx, func(tx memory.Writer) error {
			_, err := tx.InsertObservations(ctx, id, []string{w.sentence()})
			return errors.Join(err, tx.Reindex(ctx, []int64{id}))
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRewrite gives 20 entities of 100 observations others.
func BenchmarkRewrite(b *testing.B) {
	db, w := open(b, filepath.Join(b.TempDir(), "memory.db")), newWriter()
	ids := make([]int64, 20)
	contents := make([][]string, len(ids))
	for i := range ids {
		ids[i] = add(b, db, fmt.Sprint("Entity ", i))
	}
	ctx := b.Context()
	for b.Loop() {
		err := db.Update(ctx, func(tx memory.Writer) error {
			for i, id := range ids {
				_, err := tx.DeleteObservations(ctx, id, contents[i])
				contents[i] = nil
				for range 100 {
					contents[i] = append(contents[i], w.sentence())
				}
				_, err2 := tx.InsertObservations(ctx, id, contents[i])
				if err := errors.Join(err, err2); err != nil {
					return err
				}
			}
			return tx.Reindex(ctx, ids)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSetPassageVector(b *testing.B) {
	db, w := open(b, filepath.Join(b.TempDir(), "memory.db")), newWriter()
	w.create(b, db, 0, 5000)
	for b.Loop() {
		w.embed(b, db, 16)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(16*b.N), "us/passage")
}

func BenchmarkOpen(b *testing.B) {
	path, _ := filled(b)
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
	path, w := filled(b)
	db := open(b, path)
	ctx := b.Context()
	vector, all := w.vector(), make([]int64, *benchObservations/3)
	for i := range all {
		all[i] = int64(i + 1)
	}
	common, usual, rare := w.words[:3], w.words[100:103], w.words[5000:5003]
	someTypes := memory.Filter{Types: []string{"Note"}}
	read := map[string]func(memory.Reader) error{
		"Entities/all":       func(r memory.Reader) error { _, err := r.Entities(ctx, all); return err },
		"EntityTypes":        func(r memory.Reader) error { _, err := r.EntityTypes(ctx); return err },
		"Usages/30":          func(r memory.Reader) error { _, err := r.Usages(ctx, all[:30]); return err },
		"Nearest/30":         nearest(b, vector, memory.Filter{}, 30),
		"Nearest/60":         nearest(b, vector, memory.Filter{}, 60),
		"Nearest/filtered":   nearest(b, vector, someTypes, 30),
		"NearestOf/60":       func(r memory.Reader) error { _, err := r.NearestOf(ctx, "m", asked(vector), all[:60]); return err },
		"PassageTexts/30":    func(r memory.Reader) error { _, err := r.PassageTexts(ctx, all[:30]); return err },
		"PassagesDue/16":     func(r memory.Reader) error { _, err := r.PassagesDue(ctx, "m", 0, 16); return err },
		"CountPassagesDue":   func(r memory.Reader) error { _, _, err := r.CountPassagesDue(ctx, "m"); return err },
		"CountPassages":      func(r memory.Reader) error { _, err := r.CountPassages(ctx); return err },
		"Outdated":           func(r memory.Reader) error { _, err := r.Outdated(ctx, 200); return err },
		"OutOfDate":          func(r memory.Reader) error { _, err := r.OutOfDate(ctx, "m", 0, 8); return err },
		"Containing/none":    containing(b, "nowhere at all"),
		"Containing/rare":    containing(b, rare[0]),
		"Containing/usual":   containing(b, usual[0]),
		"Containing/two":     containing(b, usual[0]+" "+w.words[0]),
		"Containing/common":  containing(b, w.words[0]),
		"Containing/all":     containing(b, "entity number"),
		"Containing/long":    containing(b, strings.Repeat(w.words[0]+" "+usual[1]+" ", 100)),
		"Containing/2 rare":  containing(b, "kk"),
		"Containing/2":       containing(b, "et"),
		"Containing/1":       containing(b, "e"),
		"Containing/Chinese": containing(b, "\u4eac\u90fd"),
	}
	for name, terms := range map[string][]string{"rare": rare, "usual": usual, "common": common} {
		for level, of := range map[memory.Level]string{memory.Entities: "entities", memory.Passages: "passages"} {
			read["MatchAny/"+name+"/"+of] = func(r memory.Reader) error {
				_, err := r.MatchAny(ctx, level, anyOf(terms), memory.Filter{}, 30)
				return err
			}
			read["MatchAny/"+name+"/"+of+"/filtered"] = func(r memory.Reader) error {
				_, err := r.MatchAny(ctx, level, anyOf(terms), someTypes, 30)
				return err
			}
		}
		read["TermCounts/"+name] = func(r memory.Reader) error {
			_, err := r.TermCounts(ctx, terms)
			return err
		}
	}
	for name, fn := range read {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := db.View(ctx, fn); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func nearest(b *testing.B, vector []float32, f memory.Filter, k int) func(memory.Reader) error {
	return func(r memory.Reader) error {
		_, err := r.NearestPassages(b.Context(), "m", asked(vector), f, k)
		return err
	}
}

func containing(b *testing.B, folded string) func(memory.Reader) error {
	return func(r memory.Reader) error {
		_, _, err := r.Containing(b.Context(), folded, 50, 0)
		return err
	}
}

// anyOf is a word for each term.
func anyOf(terms []string) []memory.WeighedWord {
	list := make([]memory.WeighedWord, len(terms))
	for i, term := range terms {
		list[i] = memory.WeighedWord{Terms: []string{term}, IDF: 1}
	}
	return list
}
