package onnx_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

// words is a text of n tokens with its prefix and special tokens.
func words(n int) string { return strings.TrimSpace(strings.Repeat("palabra ", n-4)) }

func BenchmarkEmbed(b *testing.B) {
	modelDir(b)
	e := shared()
	if err := e.Load(b.Context()); err != nil {
		b.Fatal(err)
	}
	batch := make([]string, 32)
	for i := range batch {
		batch[i] = words(17)
	}
	for name, texts := range map[string][]string{
		"one_of_17_tokens":  {words(17)},
		"one_of_128_tokens": {words(128)},
		"32_of_17_tokens":   batch,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Embed(b.Context(), memory.Passage, texts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCountTokens(b *testing.B) {
	modelDir(b)
	text := words(480)
	for b.Loop() {
		if _, err := shared().CountTokens(b.Context(), []string{text}); err != nil {
			b.Fatal(err)
		}
	}
}
