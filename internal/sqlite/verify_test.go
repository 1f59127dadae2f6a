package sqlite_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
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
		if err := w.SetVector(ctx, entities[i].ID, whole, passage.Hash(p), vectorOfText(p.Name)); err != nil {
			return err
		}
	}
	return w.SetModel(ctx, testModel, memory.Dimensions, passage.FormatVersion)
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
