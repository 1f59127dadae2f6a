package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/neutral"
)

// means returns the mean vector of each language as questions and as passages.
func means(ctx context.Context, model memory.Embedder, languages []language) (queries, passages [][]float64, err error) {
	for _, l := range languages {
		q, err := embed(ctx, model, memory.Query, l.sentences)
		if err != nil {
			return nil, nil, fmt.Errorf("embed questions in %s: %w", l.code, err)
		}
		p, err := embed(ctx, model, memory.Passage, l.passages())
		if err != nil {
			return nil, nil, fmt.Errorf("embed passages in %s: %w", l.code, err)
		}
		queries, passages = append(queries, mean(q)), append(passages, mean(p))
	}
	return queries, passages, nil
}

// embed embeds texts one by one, since vectors may depend on their batch.
func embed(ctx context.Context, model memory.Embedder, kind memory.Kind, texts []string) ([][]float64, error) {
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		embedded, err := model.Embed(ctx, kind, []string{text})
		if err != nil {
			return nil, err
		}
		for _, x := range embedded[0] {
			vectors[i] = append(vectors[i], float64(x))
		}
	}
	return vectors, nil
}

// constants are the rows that package neutral reads: the mean of questions and
// that of passages over all languages, and the directions between languages.
func constants(queries, passages [][]float64) []byte {
	centres := [][]float64{mean(queries), mean(passages)}
	differences := slices.Concat(minus(queries, centres[0]), minus(passages, centres[1]))
	var text []byte
	for _, row := range slices.Concat(centres, orthonormal(differences)) {
		var data []byte
		for _, x := range row {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		}
		text = append(base64.StdEncoding.AppendEncode(text, data), '\n')
	}
	return text
}

// negligible is the part of a vector's length below which what is new in it is
// due to rounding.
const negligible = 1e-6

// orthonormal returns an orthonormal basis of what vectors span: each gives what
// it has beside the ones before (Gram and Schmidt, twice for accuracy).
func orthonormal(vectors [][]float64) [][]float64 {
	var basis [][]float64
	for _, v := range vectors {
		rest := slices.Clone(v)
		for range 2 {
			for _, b := range basis {
				along := dot(rest, b)
				for i := range rest {
					rest[i] -= along * b[i]
				}
			}
		}
		n := math.Sqrt(dot(rest, rest))
		if n <= negligible*math.Sqrt(dot(v, v)) {
			continue
		}
		for i := range rest {
			rest[i] /= n
		}
		basis = append(basis, rest)
	}
	return basis
}

func mean(vectors [][]float64) []float64 {
	sum := make([]float64, neutral.Dimensions)
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += x / float64(len(vectors))
		}
	}
	return sum
}

// minus takes one vector from each.
func minus(vectors [][]float64, centre []float64) [][]float64 {
	differences := make([][]float64, len(vectors))
	for i, v := range vectors {
		for j, x := range v {
			differences[i] = append(differences[i], x-centre[j])
		}
	}
	return differences
}

func dot(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
