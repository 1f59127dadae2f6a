package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
	"mcp-memory/internal/sqlite"
)

// BenchmarkSearchWithModel compares, in one run, what a search takes beyond the
// model's work on its question with that work, and the whole search with the same
// work on one thread: processors differ, and are never quiet, so that only the share
// of the one to the other says something. 1,000 entities, and questions of some 20
// tokens.
func BenchmarkSearchWithModel(b *testing.B) {
	modelDir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if modelDir == "" {
		b.Fatal("MCP_MEMORY_TEST_MODEL_DIR names no model: run `make bench`")
	}
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	engine := onnx.New(onnx.Options{ModelDir: modelDir})
	oneThread := onnx.New(onnx.Options{ModelDir: modelDir, Threads: 1})
	service := memory.New(db, engine, memory.Options{})
	service.Start(context.WithoutCancel(b.Context()))
	b.Cleanup(func() {
		oneThread.Close()
		service.Close()
		if err := db.Close(); err != nil {
			b.Error(err)
		}
		engine.Close()
	})
	v := newVocabulary(96)
	items := make([]memory.NewEntity, 1_000)
	for i := range items {
		items[i] = memory.NewEntity{Name: fmt.Sprint(v.text(2), " ", i), Observations: []string{v.text(12), v.text(12), v.text(12)}}
	}
	if _, err := service.CreateEntities(b.Context(), items); err != nil {
		b.Fatal(err)
	}
	if err := service.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	embed := func(e *onnx.Engine, question string) time.Duration {
		return timed(b, func() error {
			_, err := e.Embed(b.Context(), memory.Query, []string{question})
			return err
		})
	}
	var model, single, search []time.Duration
	for b.Loop() {
		question := v.text(5)
		single = append(single, embed(oneThread, question))
		model = append(model, embed(engine, question))
		search = append(search, timed(b, func() error {
			_, err := service.SearchSemantic(b.Context(), memory.Question{Query: question, Limit: 10})
			return err
		}))
	}
	alone, whole := median(model), median(search)
	b.ReportMetric(milliseconds(alone), "model-ms")
	b.ReportMetric(milliseconds(whole-alone), "beyond-ms")
	b.ReportMetric(float64(whole-alone)/float64(alone), "beyond/model")
	b.ReportMetric(float64(whole)/float64(median(single)), "search/one-thread-model")
}

func timed(b *testing.B, run func() error) time.Duration {
	b.Helper()
	start := time.Now()
	if err := run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
