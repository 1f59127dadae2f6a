package sqlite_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/neutral"
	"mcp-memory/internal/passage"
	"mcp-memory/internal/sqlite"
)

// verify checks a database, and that the check leaves its folder as it was.
func verify(t testing.TB, path string) sqlite.Report {
	t.Helper()
	before := fileTexts(t, path)
	report, err := sqlite.Verify(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "files beside the database after Verify", fileTexts(t, path), before)
	return report
}

// fileTexts are the files of a database's folder and what they hold; of the -shm
// file, readers change their marks.
func fileTexts(t testing.TB, path string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range filesBeside(t, path) {
		texts[name] = ""
		if !strings.HasSuffix(name, "-shm") {
			texts[name] = readFile(t, filepath.Join(filepath.Dir(path), name))
		}
	}
	return texts
}

// sound is a database that holds something of everything, with nothing pending:
// entities 1 to 5, and 6, which was deleted.
func sound(t testing.TB) (path string) {
	t.Helper()
	ctx := t.Context()
	path = filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ids := []int64{
		add(t, db, "Ana", "plays the violin", "lives in Córdoba"),
		add(t, db, "Berta", strings.Repeat("A long story about a river. ", 60)),
		add(t, db, "Carlos"),
		add(t, db, "Diego", "東京に住んでいる"),
		add(t, db, "Eva", "knows Ana"),
	}
	gone := add(t, db, "Félix", "was here")
	err = db.Update(ctx, func(w memory.Writer) error {
		for _, to := range ids[1:] {
			if _, err := w.InsertRelation(ctx, ids[0], to, "knows"); err != nil {
				return err
			}
		}
		if err := w.Reindex(ctx, ids); err != nil {
			return err
		}
		if err := embed(t, w); err != nil {
			return err
		}
		for _, id := range append(ids, gone) {
			if err := w.EnsureUsage(ctx, id); err != nil {
				return err
			}
		}
		if err := w.RecordTogether(ctx, ids); err != nil {
			return err
		}
		return w.DeleteEntity(ctx, gone)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const testModel = "test-model"

// embed gives vectors to all passages that have none, and to the whole texts of
// entities, and notes the model.
func embed(t testing.TB, w memory.Writer) error {
	ctx := t.Context()
	due, err := w.PassagesDue(ctx, memory.VectorsOf(testModel), 0, 10_000)
	if err != nil {
		return err
	}
	space := neutral.E5Small()
	for _, p := range due {
		exact := vectorOfText(p.Window.Text)
		free := space.Passage(exact)
		v := memory.PassageVector{Exact: exact, Neutral: free, Length: space.Length(exact, free)}
		if err := w.SetPassageVector(ctx, p.ID, memory.VectorsOf(testModel), p.Window.Hash(), v); err != nil {
			return err
		}
	}
	whole := testModel + "/text" + passage.FormatVersion
	stale, err := w.OutOfDate(ctx, whole, 0, 10_000)
	if err != nil {
		return err
	}
	entities, err := w.Entities(ctx, stale)
	if err != nil {
		return err
	}
	edges, err := w.EdgesTouching(ctx, stale)
	if err != nil {
		return err
	}
	for i, p := range memory.Described(entities, edges) {
		text, err := passage.Text(p, countCharacters, passage.Budget)
		if err != nil {
			return err
		}
		if err := w.SetVector(ctx, entities[i].ID, whole, passage.Hash(p), vectorOfText(text)); err != nil {
			return err
		}
	}
	return w.SetModel(ctx, testModel, memory.Dimensions, passage.FormatVersion)
}

// countCharacters counts no more tokens than a model would.
func countCharacters(texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(text) / 8
	}
	return counts, nil
}

// vectorOfText is a unit vector that a text has.
func vectorOfText(text string) []float32 {
	var seed [32]byte
	copy(seed[:], passage.Window{Text: text}.Hash())
	random := rand.New(rand.NewChaCha8(seed))
	vector := make([]float32, memory.Dimensions)
	var sum float64
	for i := range vector {
		vector[i] = float32(random.NormFloat64())
		sum += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(sum))
	}
	return vector
}

func TestVerifyFindsNothingWrong(t *testing.T) {
	t.Run("new", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "memory.db")
		openAndClose(t, path)
		equal(t, "report", verify(t, path), sqlite.Report{})
	})
	t.Run("of everything", func(t *testing.T) {
		report := verify(t, sound(t))
		if !report.OK() || report.Entities != 5 || report.Passages < 7 || report.Pending != (sqlite.Pending{}) {
			t.Errorf("report: %+v", report)
		}
	})
	for _, name := range oldDatabases {
		t.Run("adopted "+name, func(t *testing.T) {
			path := unpack(t, name)
			openAndClose(t, path)
			report := verify(t, path)
			if !report.OK() || report.Entities == 0 || report.Pending.Passages != report.Passages {
				t.Errorf("report: %+v", report)
			}
		})
	}
}

// Whatever is done to a memory, by its server or past it, nothing is wrong
// afterwards, and nothing is left to do once it was done.
func TestVerifyAfterRandomEdits(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			db := open(t, path)
			e := editor{t: t, random: rand.New(rand.NewPCG(seed, 7))}
			for range 8 {
				if err := db.Update(t.Context(), e.edit); err != nil {
					t.Fatal(err)
				}
				execute(t, path, e.past())
				if report := verify(t, path); !report.OK() {
					t.Fatalf("after %q:\n%v", e.done, report)
				}
			}
			if err := db.Update(t.Context(), e.settle); err != nil {
				t.Fatal(err)
			}
			if report := verify(t, path); !report.OK() || report.Pending != (sqlite.Pending{}) {
				t.Errorf("settled after %q:\n%+v", e.done, report)
			}
		})
	}
}

// editor edits a memory at random.
type editor struct {
	t      *testing.T
	random *rand.Rand
	ids    []int64
	done   []string
}

func (e *editor) pick() int64 {
	if len(e.ids) == 0 {
		return 0
	}
	return e.ids[e.random.IntN(len(e.ids))]
}

func (e *editor) text() string {
	words := []string{"río", "river", "東京", "naïve", "x\x00y", "a\x1fb", "Straße", "ملاحظة", "🙂", "don't", "C++", "12:30", "\ufffd", "  "}
	var b strings.Builder
	for range 1 + e.random.IntN(120) {
		b.WriteString(words[e.random.IntN(len(words))])
		b.WriteString([]string{" ", ". ", "\n", ""}[e.random.IntN(4)])
	}
	return b.String()
}

// edit changes a few things as a server does, in one transaction.
func (e *editor) edit(w memory.Writer) error {
	ctx := e.t.Context()
	touched := []int64{}
	for range 1 + e.random.IntN(6) {
		id, err := e.pick(), error(nil)
		switch kind := e.random.IntN(8); {
		case kind < 2 || id == 0:
			id, err = w.InsertEntity(ctx, fmt.Sprintf("%d %s", len(e.done), e.text()[:1]), e.text())
			e.ids = append(e.ids, id)
		case kind == 2:
			_, err = w.InsertObservations(ctx, id, []string{e.text(), e.text()})
		case kind == 3:
			var entities []memory.Entity
			if entities, err = w.Entities(ctx, []int64{id}); err == nil && len(entities) > 0 && len(entities[0].Observations) > 0 {
				_, err = w.DeleteObservations(ctx, id, entities[0].Observations[:1])
			}
		case kind == 4:
			err = e.relate(w, id, &touched)
		case kind == 5:
			err = errors.Join(w.RecordTogether(ctx, e.ids[:min(len(e.ids), 3)]), w.RecordAccess(ctx, []int64{id}))
		case kind == 6:
			err = e.remove(w, id, &touched)
		default:
			err = embed(e.t, w)
		}
		if err != nil {
			return err
		}
		e.done = append(e.done, strconv.FormatInt(id, 10))
		touched = append(touched, id)
	}
	return w.Reindex(ctx, touched)
}

func (e *editor) relate(w memory.Writer, id int64, touched *[]int64) error {
	to := e.pick()
	*touched = append(*touched, to)
	_, err := w.InsertRelation(e.t.Context(), id, to, e.text())
	return err
}

func (e *editor) remove(w memory.Writer, id int64, touched *[]int64) error {
	edges, err := w.EdgesTouching(e.t.Context(), []int64{id})
	if err != nil {
		return err
	}
	for _, edge := range edges {
		*touched = append(*touched, edge.FromID, edge.ToID)
	}
	e.ids = slices.DeleteFunc(e.ids, func(other int64) bool { return other == id })
	return w.DeleteEntity(e.t.Context(), id)
}

// past is a change that another program makes.
func (e *editor) past() string {
	id := e.pick()
	return []string{
		fmt.Sprintf("UPDATE entities SET name = name || '!' WHERE id = %d", id),
		fmt.Sprintf("UPDATE entities SET entity_type = 'Other' WHERE id = %d", id),
		fmt.Sprintf("INSERT INTO observations (entity_id, content) SELECT id, 'by another program' FROM entities WHERE id = %d", id),
		fmt.Sprintf("DELETE FROM observations WHERE entity_id = %d", id),
		fmt.Sprintf("DELETE FROM relations WHERE from_entity = %d", id),
		fmt.Sprintf("UPDATE relations SET relation_type = relation_type || '!' WHERE to_entity = %d", id),
		fmt.Sprintf("UPDATE embedding_state SET stale = 1 WHERE entity_id = %d", id),
	}[e.random.IntN(7)]
}

// settle does what is left to do.
func (e *editor) settle(w memory.Writer) error {
	outdated, err := w.Outdated(e.t.Context(), 1000)
	if err != nil {
		return err
	}
	return errors.Join(w.Reindex(e.t.Context(), outdated), embed(e.t, w))
}

// TestVerifyMemoryThatWasEmptied: of all that is deleted, rows of passages are
// left to be used again.
func TestVerifyMemoryThatWasEmptied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	id := add(t, db, "Alfa", "uno")
	if err := db.Update(t.Context(), func(w memory.Writer) error { return w.DeleteEntity(t.Context(), id) }); err != nil {
		t.Fatal(err)
	}
	if report, err := sqlite.Verify(t.Context(), path); err != nil || !report.OK() {
		t.Errorf("%v, %v", report, err)
	}
}
