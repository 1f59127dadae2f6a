package neutral_test

import (
	"testing"

	"mcp-memory/internal/neutral"
)

func BenchmarkPassage(b *testing.B) {
	vector := make([]float32, neutral.Dimensions)
	for i := range vector {
		vector[i] = float32(i%7) - 3
	}
	space := neutral.E5Small()
	b.ReportAllocs()
	for b.Loop() {
		space.Passage(vector)
	}
}
