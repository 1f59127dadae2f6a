package memory_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
	"mcp-memory/internal/sqlite"
)

// exported is the memory as a document, with its vectors.
func exported(t *testing.T, s *memory.Service) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.ExportDocument(t.Context(), &b, true); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// imported imports a text of any format.
func imported(t *testing.T, s *memory.Service, text string) memory.ImportReport {
	t.Helper()
	report, err := s.ImportFrom(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// idle is a service on a database, without a model or background work.
func idle(t *testing.T, path string) (*memory.Service, *sqlite.DB) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	embedder := &wordEmbedder{id: "words/1"}
	embedder.missing.Store(true)
	s := memory.New(db, embedder, memory.Options{})
	t.Cleanup(func() {
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, db
}

// checkRoundTrip imports a document into an empty memory and compares what is
// exported from that.
func checkRoundTrip(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	report := imported(t, s, text)
	if len(report.Problems) > 0 {
		t.Errorf("problems: %v", report.Problems)
	}
	if diff := cmp.Diff(strings.Split(text, "\n"), strings.Split(exported(t, s), "\n")); diff != "" {
		t.Errorf("exported after the import (-want +got):\n%.3000s", diff)
	}
	found, err := sqlite.Verify(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Findings {
		if f.Check != sqlite.CheckNames && f.Check != sqlite.CheckTexts { // those of the document itself
			t.Errorf("%s: %d %q", f.Check, f.Count, f.Examples)
		}
	}
	if found.Pending.Entities > 0 {
		t.Errorf("%d entities are to be indexed", found.Pending.Entities)
	}
}

func TestOldDatabasesComeBackFromDocuments(t *testing.T) {
	for _, name := range []string{"first-release", "seed", "v3"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			packed, err := os.Open(filepath.Join("..", "sqlite", "testdata", name+".db.gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer packed.Close()
			unpacked, err := gzip.NewReader(packed)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(unpacked)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, _ := idle(t, path)
			text := exported(t, s)
			if n := strings.Count(text, `{"name":`); n < 30 {
				t.Fatalf("only %d entities", n)
			}
			checkRoundTrip(t, text)
		})
	}
}

func TestAUsedMemoryComesBackWithItsVectors(t *testing.T) {
	b := newBundle(t)
	b.embedder.Warm()
	for i := range 30 {
		b.create(t, fmt.Sprintf("Faro %d", i), "Sistema", "envía alertas "+strings.Repeat(fmt.Sprintf("número %d. ", i), i*10), "牡蛎")
		b.relate(t, fmt.Sprintf("Faro %d", i), "sigue a", fmt.Sprintf("Faro %d", i/2))
	}
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b.semantic(t, "alertas número 7", 5)
	}
	wholeVectors(t, b.db)
	text := exported(t, b.Service)
	for _, section := range []string{"passageVectors", "entityVectors", "coOccurrences"} {
		if !strings.Contains(text, "\n\""+section+"\":[\n{") {
			t.Errorf("no %s are exported", section)
		}
	}
	checkRoundTrip(t, text)

	c := newBundle(t)
	c.embedder.Warm()
	imported(t, c.Service, text)
	if err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.embedder.passages.Load(); n > 0 {
		t.Errorf("%d passages were embedded again", n)
	}
	want, got := hitNames(b.semantic(t, "alertas número 12", 5)), hitNames(c.semantic(t, "alertas número 12", 5))
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("found after the import (-want +got):\n%s", diff)
	}
}

// wholeVectors gives every entity a vector of its whole text.
func wholeVectors(t *testing.T, db *sqlite.DB) {
	t.Helper()
	ctx := t.Context()
	err := db.Update(ctx, func(w memory.Writer) error {
		ids, _, err := w.EntityPage(ctx, 10_000, 0)
		if err != nil {
			return err
		}
		entities, err := w.Entities(ctx, ids)
		if err != nil {
			return err
		}
		edges, err := w.EdgesTouching(ctx, ids)
		if err != nil {
			return err
		}
		for i, p := range memory.Described(entities, edges) {
			if err := w.SetVector(ctx, ids[i], "words/1/text"+passage.FormatVersion, passage.Hash(p), bagOfWords(p.Name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What no client would store any more, older ones may have: blank names and such
// that only differ to a program, texts stored twice, odd times.
func TestRandomMemoriesComeBack(t *testing.T) {
	for seed := range uint64(12 / slowness) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			s, db := idle(t, filepath.Join(t.TempDir(), "memory.db"))
			ctx := t.Context()
			err := db.Update(ctx, func(w memory.Writer) error { return fillRandomly(ctx, w, random) })
			if err != nil {
				t.Fatal(err)
			}
			text := exported(t, s)
			checkRoundTrip(t, text)
			if imported(t, s, text); exported(t, s) != text {
				t.Error("importing its own export changed the memory")
			}
			checkLines(t, s)
		})
	}
}

// checkLines compares what is left after a way through JSON lines with the memory.
func checkLines(t *testing.T, s *memory.Service) {
	t.Helper()
	var lines, again bytes.Buffer
	report, err := s.ExportLines(t.Context(), &lines)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(lines.Bytes(), []byte("\n")); n != report.Entities+report.Relations {
		t.Errorf("%d lines of %+v", n, report)
	}
	if _, err := s.ExportLines(t.Context(), &again); err != nil || !bytes.Equal(lines.Bytes(), again.Bytes()) {
		t.Errorf("the second export differs: %v", err)
	}
}

func fillRandomly(ctx context.Context, w memory.Writer, random *rand.Rand) error {
	names := []string{"", " ", "caf\u00e9", "cafe\u0301", "CAFÉ", "a\u2028b", "\u202e", "😀", "\\u0041", "<>&"}
	for range random.IntN(60) {
		names = append(names, randomText(random))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var entities []document.Entity
	for _, name := range names {
		e := document.Entity{Name: name, Type: randomText(random), CreatedAt: randomTime(random), UpdatedAt: randomTime(random)}
		for range random.IntN(5) {
			o := document.Observation{Content: randomText(random), CreatedAt: randomTime(random)}
			e.Observations = append(e.Observations, o)
			if random.IntN(9) == 0 {
				e.Observations = append(e.Observations, o)
			}
		}
		if random.IntN(3) > 0 {
			e.Access = &document.Access{Count: random.Int64N(document.MaxCount), Last: randomTime(random)}
		}
		entities = append(entities, e)
	}
	ids, err := w.RestoreEntities(ctx, entities)
	if err != nil {
		return err
	}
	for range random.IntN(3 * len(ids)) {
		from, to := ids[random.IntN(len(ids))], ids[random.IntN(len(ids))]
		edge := memory.RestoredEdge{FromID: from, ToID: to, Type: randomText(random), CreatedAt: randomTime(random)}
		if _, err := w.RestoreRelations(ctx, []memory.RestoredEdge{edge}); err != nil {
			return err
		}
		if from != to {
			pair := memory.RestoredPair{A: from, B: to, Count: random.Int64N(1000), Last: randomTime(random)}
			if err := w.RestoreTogether(ctx, []memory.RestoredPair{pair}); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(w.Reindex(ctx, ids), w.SetModel(ctx, "words/1", memory.Dimensions, passage.FormatVersion)); err != nil {
		return err
	}
	due, err := w.PassagesDue(ctx, "words/1/neutral", 0, 1000)
	for _, p := range due {
		if random.IntN(3) == 0 {
			continue
		}
		v := bagOfWords(p.Window.Text)
		model := fmt.Sprintf("model %d", random.IntN(3))
		err = errors.Join(err, w.SetPassageVector(ctx, p.ID, model, p.Window.Hash(), memory.PassageVector{Exact: v, Neutral: v, Length: 1}))
	}
	return err
}

// randomText is of characters of all scripts and kinds, but NUL and surrogates.
func randomText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(12) {
		limit := []int32{0x80, 0x250, 0x3000, 0xd800, 0x10000, 0x110000}[random.IntN(6)]
		r := 1 + random.Int32N(limit-1)
		if r >= 0xd800 && r < 0xe000 {
			r = '�'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func randomTime(random *rand.Rand) *string {
	switch random.IntN(8) {
	case 0:
		return new("2025-06-07T08:09:10.123456")
	case 1:
		return new("yesterday")
	case 2:
		return new("")
	}
	return new(fmt.Sprintf("20%02d-%02d-%02d 12:00:%02d", random.IntN(30), 1+random.IntN(12), 1+random.IntN(28), random.IntN(60)))
}

func TestMergingADocument(t *testing.T) {
	s, _ := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	imported(t, s, `{"format":"mcp-memory","version":1,"entities":[
{"name":"Café","entityType":"Place","createdAt":"2025-01-01 00:00:00","updatedAt":"2025-02-01 00:00:00","access":{"count":5,"lastAccess":"2025-03-01 00:00:00"},"observations":[{"content":"old","createdAt":"2025-01-01 00:00:00"}]},
{"name":"Kept","entityType":"Note","createdAt":"2025-01-01 00:00:00","updatedAt":"2025-02-01 00:00:00","observations":[]}
],"relations":[{"from":"Kept","to":"Café","relationType":"is in","createdAt":"2025-01-01 00:00:00"}],
"coOccurrences":[{"a":"Café","b":"Kept","count":4,"lastTogether":"2025-03-01 00:00:00"}]}`)
	other := `{"format":"mcp-memory","version":1,"entities":[
{"name":"Cafe\u0301","entityType":"Shop","createdAt":"2024-01-01 00:00:00","updatedAt":"2024-02-01 00:00:00","access":{"count":3,"lastAccess":"2025-09-01 00:00:00"},"observations":[{"content":"new","createdAt":"2024-01-01 00:00:00"},"old"]},
{"name":"Kept","entityType":"Other","createdAt":"2025-06-01 00:00:00","updatedAt":"2025-07-01 00:00:00","observations":[]},
{"name":"New","entityType":"Note","createdAt":"2024-01-01 00:00:00","updatedAt":"2024-02-01 00:00:00","observations":["one"]}
],"relations":[
{"from":"Kept","to":"Cafe\u0301","relationType":"is in","createdAt":"2024-01-01 00:00:00"},
{"from":"New","to":"Café","relationType":"is in","createdAt":"2024-01-01 00:00:00"},
{"from":"New","to":"Nobody","relationType":"knows","createdAt":"2024-01-01 00:00:00"}],
"coOccurrences":[{"a":"New","b":"Kept","count":2,"lastTogether":"2024-03-01 00:00:00"},{"a":"Kept","b":"Cafe\u0301","count":3,"lastTogether":"2025-09-01 00:00:00"}]}`
	report := imported(t, s, other)
	if diff := cmp.Diff(memory.ImportReport{
		Entities: 3, Relations: 1, CoOccurrences: 2, Skipped: 1,
		Problems: []memory.ImportProblem{{Line: 8, Reason: "relations[2]: Entity not found: Nobody"}},
	}, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	text := exported(t, s)
	var moved string // the time of the import
	if _, rest, ok := strings.Cut(text, `"name":"Café","entityType":"Place","createdAt":"2024-01-01 00:00:00","updatedAt":"`); ok {
		moved = rest[:len("2006-01-02 15:04:05")]
	}
	if moved < "2025-02-01" {
		t.Errorf("the entity that got an observation was updated at %q", moved)
	}
	observedNow := `"content":"one","createdAt":"`
	_, rest, _ := strings.Cut(text, observedNow)
	want := `{"format":"mcp-memory","version":1,
"entities":[
{"name":"Café","entityType":"Place","createdAt":"2024-01-01 00:00:00","updatedAt":"` + moved + `","access":{"count":5,"lastAccess":"2025-09-01 00:00:00"},"observations":[{"content":"old","createdAt":"2025-01-01 00:00:00"},{"content":"new","createdAt":"2024-01-01 00:00:00"}]},
{"name":"Kept","entityType":"Note","createdAt":"2025-01-01 00:00:00","updatedAt":"2025-07-01 00:00:00","observations":[]},
{"name":"New","entityType":"Note","createdAt":"2024-01-01 00:00:00","updatedAt":"2024-02-01 00:00:00","observations":[{` + observedNow + rest[:min(len(rest), len("2006-01-02 15:04:05"))] + `"}]}
],
"relations":[
{"from":"Kept","to":"Café","relationType":"is in","createdAt":"2025-01-01 00:00:00"},
{"from":"New","to":"Café","relationType":"is in","createdAt":"2024-01-01 00:00:00"}
],
"coOccurrences":[
{"a":"Café","b":"Kept","count":4,"lastTogether":"2025-09-01 00:00:00"},
{"a":"Kept","b":"New","count":2,"lastTogether":"2024-03-01 00:00:00"}
]}
`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	imported(t, s, other)
	if again := exported(t, s); again != text {
		t.Errorf("importing twice changed the memory:\n%s", cmp.Diff(text, again))
	}
	page, err := s.SearchNodes(t.Context(), "one", 1, 0)
	if err != nil || page.Total != 1 {
		t.Errorf("an imported observation is not found: %d, %v", page.Total, err)
	}
}

// Vectors of other models are kept as theirs, and made anew when due; what is
// no vector, or that of another text, is not stored.
func TestVectorsOfDocuments(t *testing.T) {
	b := newBundle(t)
	b.embedder.missing.Store(true)
	b.create(t, "Faro", "Sistema", "envía alertas")
	b.create(t, "Boya", "Sistema", "mide olas")
	hash := map[string]string{}
	err := b.db.View(t.Context(), func(r memory.Reader) error {
		due, err := r.PassagesDue(t.Context(), "none", 0, 10)
		for _, p := range due {
			hash[strings.Fields(p.Window.Text)[0]] = p.Window.Hash()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	good := encoded(bagOfWords("Faro"))
	vector := func(entity, model, textHash, numbers string) string {
		return fmt.Sprintf(`{"entity":%q,"model":%q,"textHash":%q,"vector":%q}`, entity, model, textHash, numbers)
	}
	nan := bagOfWords("x")
	nan[3] = float32(math.NaN())
	report := imported(t, b.Service, `{"format":"mcp-memory","version":1,"entities":[
{"name":"Faro","entityType":"Sistema","observations":["envía alertas"]},
{"name":"Boya","entityType":"Sistema","observations":["mide olas"]}],
"passageVectors":[
`+strings.Join([]string{
		vector("Faro", "other/9", hash["Faro"], good),
		vector("Boya", "other/9", "another text", good),
		vector("Boya", "other/9", hash["Boya"], encoded(make([]float32, memory.Dimensions))),
		vector("Boya", "other/9", hash["Boya"], encoded(nan)),
		vector("Boya", "other/9", hash["Boya"], good[:8]),
		vector("Boya", "", hash["Boya"], good),
		vector("Nobody", "other/9", hash["Boya"], good),
	}, ",\n")+`],
"entityVectors":[`+vector("Faro", "other/9", "h", good)+`,`+vector("Nobody", "other/9", "", good)+`,`+vector("Faro", "", "h", good)+`]}`)
	if report.Vectors != 1 || report.Errors != 5 || report.Skipped != 1 {
		t.Errorf("report %+v, want one vector, five errors and one left out", report)
	}
	text := exported(t, b.Service)
	if !strings.Contains(text, `{"entity":"Faro","model":"other/9","textHash":"`+hash["Faro"]+`","vector":"`+good+`"}`) {
		t.Errorf("the vector of the other model is not kept:\n%s", text)
	}
	if strings.Contains(text, `"entity":"Boya"`) {
		t.Errorf("what is no vector is stored:\n%s", text)
	}
	b.embedder.missing.Store(false)
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := exported(t, b.Service); strings.Contains(text, "other/9") || !strings.Contains(text, `"model":"words/1/`) {
		t.Errorf("the vector of the other model is not made anew:\n%s", text)
	}
}

func encoded(vector []float32) string {
	var b []byte
	for _, x := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func TestABrokenDocumentChangesNothing(t *testing.T) {
	s, _ := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	imported(t, s, `{"type":"entity","name":"Present","entityType":"Note","observations":["stays"]}`)
	before := exported(t, s)
	for _, text := range []string{
		`{"format":"mcp-memory","version":1,"entities":[{"name":"New","entityType":"Note"},`,
		`{"format":"mcp-memory","version":2,"entities":[{"name":"New","entityType":"Note"}]}`,
		`{"format":"mcp-memory","version":1,"entities":[{"name":"New","entityType":"Note"}],"relations":5}`,
	} {
		_, err := s.ImportFrom(t.Context(), strings.NewReader(text))
		if _, ok := errors.AsType[*document.SyntaxError](err); !ok {
			t.Errorf("%s: %v, want a syntax error", text, err)
		}
		path := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = s.Import(t.Context(), path)
		if input, ok := errors.AsType[*memory.InputError](err); !ok || !strings.Contains(input.Reason, "line 1: ") {
			t.Errorf("%s as a file: %v, want an error about source_path with its line", text, err)
		}
	}
	if diff := cmp.Diff(before, exported(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An export is of one moment, whatever others write meanwhile.
func TestExportIsASnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s, _ := idle(t, path)
	for i := range 100 {
		imported(t, s, fmt.Sprintf(`{"type":"entity","name":"%d","entityType":"T","observations":[%q]}`, i, strings.Repeat("x", 2000)))
	}
	other, _ := idle(t, path)
	want := exported(t, s)
	var got bytes.Buffer
	interfering := writerFunc(func(p []byte) (int, error) {
		if got.Len() == 0 {
			imported(t, other, `{"type":"entity","name":"later","entityType":"T","observations":[]}
{"type":"relation","from":"later","to":"1","relationType":"r"}`)
		}
		return got.Write(p)
	})
	if _, err := s.ExportDocument(t.Context(), interfering, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%.1000s", diff)
	}
	if !strings.Contains(exported(t, s), `"later"`) {
		t.Error("nothing was written meanwhile")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestExportTellsFailureToWrite(t *testing.T) {
	s, _ := idle(t, filepath.Join(t.TempDir(), "memory.db"))
	imported(t, s, `{"type":"entity","name":"A","entityType":"T","observations":[]}`)
	failure := errors.New("failure")
	full := writerFunc(func([]byte) (int, error) { return 0, failure })
	if _, err := s.ExportDocument(t.Context(), full, false); !errors.Is(err, failure) {
		t.Errorf("document: %v", err)
	}
	if _, err := s.ExportLines(t.Context(), full); !errors.Is(err, failure) {
		t.Errorf("lines: %v", err)
	}
}
