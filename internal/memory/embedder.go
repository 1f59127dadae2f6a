package memory

import "context"

// Dimensions is the length of every embedding (multilingual-e5-small).
const Dimensions = 384

// Kind says what a text is for: e5 models embed questions and what answers
// them differently.
type Kind int

// The kinds of text.
const (
	Passage Kind = iota // a memory
	Query               // a question
)

// Embedder turns texts into unit vectors. Implementations load their model
// lazily and are safe for concurrent use.
type Embedder interface {
	// Ready reports whether a call to Embed would start at once.
	Ready() bool
	// Warm starts to load the model in the background and returns at once.
	// It does nothing when the model is loaded, loading or missing.
	Warm()
	// Load waits until the model is loaded. It returns an error that wraps
	// ErrNoModel when there are no model files; a later call tries again.
	Load(ctx context.Context) error
	// ModelID names the loaded weights; vectors of different ids do not
	// compare. It is empty until Load has succeeded once.
	ModelID() string
	// Embed returns one unit vector of Dimensions a text, loading the model
	// first if need be. Texts beyond 512 tokens are cut.
	Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error)
	// CountTokens returns the number of tokens of each text alone, without
	// special tokens or prefix. It needs a loaded model, as Embed does.
	CountTokens(ctx context.Context, texts []string) ([]int, error)
}
