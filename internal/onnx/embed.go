package onnx

import (
	"context"
	"slices"

	"mcp-memory/internal/memory"
)

// maxBatchTokens bounds one run, padding included: half a second on a slow
// processor, which is what a query waits at most for its share. Larger runs take
// as long a text, and the session keeps what the largest one took: 35 MB for
// 512 tokens, 70 MB for 1,024.
const maxBatchTokens = 512

// Embed returns the unit vector of each text.
func (e *Engine) Embed(ctx context.Context, kind memory.Kind, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return [][]float32{}, ctx.Err()
	}
	var vectors [][]float32
	err := e.use(ctx, func(n *network) error {
		sequences, err := n.sequences(ctx, kind, texts)
		if err != nil {
			return err
		}
		vectors = make([][]float32, len(texts))
		for _, batch := range batches(sequences, n.identity.Reproducible) {
			if err := e.run(ctx, n, kind, batch, sequences, vectors); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// run embeds the sequences of one batch when it is this kind's turn. Native
// code cannot be interrupted: when ctx ends, run returns and leaves the batch
// to end by itself.
func (e *Engine) run(ctx context.Context, n *network, kind memory.Kind, batch []int, sequences [][]uint32, vectors [][]float32) error {
	turn := e.passages
	if kind == memory.Query {
		turn = e.queries
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case turn <- struct{}{}:
	}
	rows := make([][]uint32, len(batch))
	for i, index := range batch {
		rows[i] = sequences[index]
	}
	var embedded [][]float32
	var err error
	done := make(chan struct{})
	e.retain()
	go func() {
		defer e.release()
		defer func() { <-turn }()
		defer close(done)
		embedded, err = n.session.embed(rows)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-done:
	}
	if err != nil {
		return err
	}
	for i, index := range batch {
		vectors[index] = embedded[i]
	}
	return nil
}

// sequences tokenises texts to be embedded.
func (n *network) sequences(ctx context.Context, kind memory.Kind, texts []string) ([][]uint32, error) {
	sequences := make([][]uint32, len(texts))
	for i, text := range texts {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var err error
		if sequences[i], err = n.tokenizer.sequence(kind, text); err != nil {
			return nil, err
		}
	}
	return sequences, nil
}

// batches groups the indices of sequences of similar length, so that little
// is padded. Vectors that depend on their batch are made alone.
func batches(sequences [][]uint32, together bool) [][]int {
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(sequences[a]) - len(sequences[b]) })
	var out [][]int
	start := 0
	for i, index := range order {
		shortest, longest := len(sequences[order[start]]), len(sequences[index]) // the order is ascending
		full := (i-start+1)*longest > maxBatchTokens
		uneven := longest > shortest+shortest/4+8 // padding would cost more than a run
		if i > start && (!together || full || uneven) {
			out = append(out, order[start:i])
			start = i
		}
	}
	return append(out, order[start:])
}

// CountTokens returns the number of tokens of each text alone.
func (e *Engine) CountTokens(ctx context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	err := e.use(ctx, func(n *network) error {
		for i, text := range texts {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			if counts[i], err = n.tokenizer.count(text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}
