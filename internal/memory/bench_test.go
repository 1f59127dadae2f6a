package memory_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// cloudEmbedder stands in for a model where only the cost of everything else
// matters: it makes vectors that lie like those of the real one, all in one
// direction and around some topics, in no time.
type cloudEmbedder struct{ topics [][]float32 }

func newCloudEmbedder() *cloudEmbedder {
	random := rand.New(rand.NewPCG(1, 2))
	common := gaussian(random)
	e := &cloudEmbedder{}
	for range 500 {
		topic := gaussian(random)
		for i := range topic {
			topic[i] = 2*common[i] + topic[i]
		}
		e.topics = append(e.topics, topic)
	}
	return e
}

func (*cloudEmbedder) Ready() bool                { return true }
func (*cloudEmbedder) Warm()                      {}
func (*cloudEmbedder) Load(context.Context) error { return nil }
func (*cloudEmbedder) ModelID() string            { return "cloud/1" }

func (e *cloudEmbedder) Embed(_ context.Context, _ memory.Kind, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		var seed uint64
		for _, c := range []byte(text) {
			seed = seed*31 + uint64(c)
		}
		random := rand.New(rand.NewPCG(seed, 3))
		topic, v := e.topics[random.IntN(len(e.topics))], gaussian(random)
		var sum float64
		for j := range v {
			v[j] = topic[j] + 0.7*v[j]
			sum += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		vectors[i] = v
	}
	return vectors, nil
}

func (*cloudEmbedder) CountTokens(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(text) / 4
	}
	return counts, nil
}

func gaussian(random *rand.Rand) []float32 {
	v := make([]float32, memory.Dimensions)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

// vocabulary draws words as often as texts use them: a few all the time, most
// hardly ever (Zipf).
type vocabulary struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newVocabulary(seed uint64) vocabulary {
	random := rand.New(rand.NewPCG(seed, 4))
	return vocabulary{random, rand.NewZipf(random, 1.1, 3, 50_000)}
}

func (v vocabulary) text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(v.zipf.Uint64())
	}
	return strings.Join(words, " ")
}

// word spells a number as a word.
func word(n uint64) string {
	syllables := []string{"ka", "lo", "mi", "tu", "re", "san", "vel", "por", "din", "que"}
	var b strings.Builder
	for _, digit := range strconv.FormatUint(n+10, 10) {
		b.WriteString(syllables[digit-'0'])
	}
	return b.String()
}

// BenchmarkSearch measures searches without the model's own time, in memories of
// several sizes. MCP_MEMORY_BENCH_ENTITIES=100000 measures one of that size; the
// database is kept in MCP_MEMORY_BENCH_DIR, if that is set, for another time.
// Seven observations make three passages.
func BenchmarkSearch(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if text := os.Getenv("MCP_MEMORY_BENCH_ENTITIES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		sizes = []int{n}
	}
	for _, entities := range sizes {
		b.Run(fmt.Sprintf("entities=%d", entities), func(b *testing.B) {
			service := benchService(b, entities)
			b.Run("semantic", func(b *testing.B) {
				v := newVocabulary(99)
				for b.Loop() {
					if _, err := service.SearchSemantic(b.Context(), memory.Question{Query: v.text(9), Limit: 10}); err != nil {
						b.Fatal(err)
					}
				}
			})
			for name, rank := range map[string]uint64{"semantic/everywhere": 0, "semantic/common": 40} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if _, err := service.SearchSemantic(b.Context(), memory.Question{Query: word(rank), Limit: 10}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			b.Run("semantic/type", func(b *testing.B) {
				v := newVocabulary(99)
				for b.Loop() {
					q := memory.Question{Query: v.text(9), Limit: 10, EntityType: "type3"}
					if _, err := service.SearchSemantic(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
			for name, words := range map[string]int{"nodes/substring": 2, "nodes/words": 9} {
				b.Run(name, func(b *testing.B) {
					v := newVocabulary(98)
					for b.Loop() {
						if _, err := service.SearchNodes(b.Context(), v.text(words), 50, 0); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// benchService opens a memory of that many entities, and makes it first unless
// it is there.
func benchService(b *testing.B, entities int) *memory.Service {
	b.Helper()
	folder := os.Getenv("MCP_MEMORY_BENCH_DIR")
	if folder == "" {
		folder = b.TempDir()
	}
	path := filepath.Join(folder, fmt.Sprintf("bench-%d.db", entities))
	db, err := sqlite.Open(b.Context(), path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	service := memory.New(db, newCloudEmbedder(), memory.Options{})
	service.Start(context.WithoutCancel(b.Context()))
	b.Cleanup(func() {
		service.Close()
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	page, err := service.ReadGraph(b.Context(), 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	v := newVocabulary(97)
	const batch = 500
	for start := page.Total; start < entities; start += batch {
		items := make([]memory.NewEntity, min(batch, entities-start))
		for i := range items {
			items[i] = memory.NewEntity{Name: fmt.Sprint(v.text(2), " ", start+i), Type: new(fmt.Sprint("type", i%10))}
			for range 7 {
				items[i].Observations = append(items[i].Observations, v.text(12))
			}
		}
		if _, err := service.CreateEntities(b.Context(), items); err != nil {
			b.Fatal(err)
		}
	}
	for {
		result, err := service.SearchSemantic(b.Context(), memory.Question{Query: "ready", Limit: 1})
		if err != nil {
			b.Fatal(err)
		}
		if result.Pending == 0 {
			return service
		}
	}
}
