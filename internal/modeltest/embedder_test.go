package modeltest_test

import (
	"context"
	"hash/fnv"
	"math"
	"strings"

	"mcp-memory/internal/memory"
)

// wordModel is a loaded model that takes no time: a text's vector has a
// direction for each of its words.
type wordModel struct{}

func (wordModel) Ready() bool                { return true }
func (wordModel) Warm()                      {}
func (wordModel) Load(context.Context) error { return nil }
func (wordModel) ModelID() string            { return "words/1" }

func (wordModel) Embed(_ context.Context, _ memory.Kind, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, memory.Dimensions)
		vectors[i][0] = 1
		for word := range strings.FieldsSeq(folded(text)) {
			h := fnv.New32a()
			h.Write([]byte(word))
			vectors[i][1+h.Sum32()%(memory.Dimensions-1)] += 0.1
		}
		scale(vectors[i])
	}
	return vectors, nil
}

// scale makes a unit vector.
func scale(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
}

func (wordModel) CountTokens(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(strings.Fields(text))
	}
	return counts, nil
}
