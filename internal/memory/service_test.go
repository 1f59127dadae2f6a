package memory_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
	"mcp-memory/internal/sqlite"
)

// wordEmbedder embeds a text as the bag of its words, which is enough to tell
// what was embedded. It can be missing, and counts what it did.
type wordEmbedder struct {
	missing  atomic.Bool
	loaded   atomic.Bool
	id       string
	refuse   string // texts that contain it cannot be embedded
	passages atomic.Int64

	mu     sync.Mutex
	before func(texts []string) // called before passages are embedded
	query  string               // the last that was embedded
}

func (w *wordEmbedder) Ready() bool { return w.loaded.Load() }

func (w *wordEmbedder) Warm() { w.loaded.Store(!w.missing.Load()) }

func (w *wordEmbedder) Load(context.Context) error {
	if w.missing.Load() {
		return memory.ErrNoModel
	}
	w.loaded.Store(true)
	return nil
}

func (w *wordEmbedder) ModelID() string {
	if !w.loaded.Load() {
		return ""
	}
	return w.id
}

func (w *wordEmbedder) Embed(ctx context.Context, kind memory.Kind, texts []string) ([][]float32, error) {
	if err := w.Load(ctx); err != nil {
		return nil, err
	}
	if kind == memory.Query {
		w.mu.Lock()
		w.query = texts[0]
		w.mu.Unlock()
	}
	if kind == memory.Passage {
		w.passages.Add(int64(len(texts)))
		w.mu.Lock()
		before := w.before
		w.mu.Unlock()
		if before != nil {
			before(texts)
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if w.refuse != "" && strings.Contains(text, w.refuse) {
			return nil, errors.New("refused")
		}
		vectors[i] = bagOfWords(text)
	}
	return vectors, nil
}

func (w *wordEmbedder) CountTokens(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(strings.Fields(text))
	}
	return counts, nil
}

// bagOfWords is a unit vector with one direction for each word, and a common
// one that keeps cosines in the range of the real model.
func bagOfWords(text string) []float32 {
	v := make([]float32, memory.Dimensions)
	words := strings.FieldsFunc(fold.Text(text), func(r rune) bool { return strings.ContainsRune(" |();:,.→", r) })
	for _, word := range words {
		h := fnv.New32a()
		h.Write([]byte(word))
		v[1+h.Sum32()%(memory.Dimensions-1)]++
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	v[0] = float32(math.Sqrt(4 * max(sum, 1)))
	norm := float32(math.Sqrt(sum + float64(v[0])*float64(v[0])))
	for i := range v {
		v[i] /= norm
	}
	return v
}

// bundle is a service on a database of its own.
type bundle struct {
	*memory.Service
	db       *sqlite.DB
	embedder *wordEmbedder
	path     string
	ranking  rank.Settings
}

// newBundle starts a service on an empty database.
func newBundle(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{
		embedder: &wordEmbedder{id: "words/1"},
		path:     filepath.Join(t.TempDir(), "memory.db"),
		ranking:  rank.E5Small,
	}
	b.open(t)
	t.Cleanup(func() { b.close(t) })
	return b
}

func (b *bundle) open(t *testing.T) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), b.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.db = db
	b.Service = memory.New(db, b.embedder, memory.Options{Ranking: &b.ranking})
	b.Start(context.WithoutCancel(t.Context()))
}

func (b *bundle) close(t *testing.T) {
	t.Helper()
	b.Service.Close()
	if err := b.db.Close(); err != nil {
		t.Error(err)
	}
}

func (b *bundle) restart(t *testing.T) {
	t.Helper()
	b.close(t)
	b.open(t)
}

// create stores entities given as name, type and observations.
func (b *bundle) create(t *testing.T, name, entityType string, observations ...string) memory.Entity {
	t.Helper()
	item := memory.NewEntity{Name: name, Observations: observations}
	if entityType != "" {
		item.Type = &entityType
	}
	created, err := b.CreateEntities(t.Context(), []memory.NewEntity{item})
	if err != nil {
		t.Fatal(err)
	}
	return created[0]
}

func (b *bundle) relate(t *testing.T, from, relationType, to string) {
	t.Helper()
	results, err := b.CreateRelations(t.Context(), []memory.Relation{{From: from, To: to, Type: relationType}})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Err != nil {
		t.Fatal(results[0].Err)
	}
}

func (b *bundle) semantic(t *testing.T, query string, limit int) memory.SemanticResult {
	t.Helper()
	result, err := b.SearchSemantic(t.Context(), memory.Question{Query: query, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func entityNames(entities []memory.Entity) []string {
	names := make([]string, len(entities))
	for i, e := range entities {
		names[i] = e.Name
	}
	return names
}

func hitNames(result memory.SemanticResult) []string {
	names := make([]string, len(result.Hits))
	for i, h := range result.Hits {
		names[i] = h.Entity.Name
	}
	return names
}
