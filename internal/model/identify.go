package model

import (
	"context"
	"path/filepath"
)

// Identity names the weights of a model folder.
type Identity struct {
	// ID tells models apart whose vectors do not compare, such as
	// "multilingual-e5-small/fp32@ca456c06b3a9". Stand-ins have "-standin"
	// after the name; anything unknown is "custom@" and its hash.
	ID      string
	State   State
	Variant string // "" when foreign
	// Reproducible reports whether a text's vector is the same in every batch.
	// Models that quantise activations as they run scale them by the batch.
	Reproducible bool
}

// Identify names the weights in a folder. It takes no time when their hashes
// are remembered. The error wraps fs.ErrNotExist when a file is missing.
func (m *Manifest) Identify(ctx context.Context, dir string) (Identity, error) {
	weights, err := hashOf(ctx, dir, ModelFile)
	if err != nil {
		return Identity{}, err
	}
	tokenizer, err := hashOf(ctx, dir, TokenizerFile)
	if err != nil {
		return Identity{}, err
	}
	published, known := m.companion(TokenizerFile)
	if !known || tokenizer != published.SHA256 { // other tokens, other vectors
		return Identity{ID: "custom@" + short(weights) + "-" + short(tokenizer), State: Foreign}, nil
	}
	if v, ok := m.variantOf(weights); ok {
		return m.identity(m.Name, Genuine, v.Name, weights), nil
	}
	if s, ok := m.standInOf(weights); ok {
		return m.identity(m.Name+"-standin", Built, s.Variant, weights), nil
	}
	return Identity{ID: "custom@" + short(weights), State: Foreign}, nil
}

func (m *Manifest) identity(name string, state State, variant, weights string) Identity {
	return Identity{
		ID:           name + "/" + variant + "@" + short(weights),
		State:        state,
		Variant:      variant,
		Reproducible: variant != "int8",
	}
}

// short abbreviates a hash for people.
func short(sha256 string) string { return sha256[:min(12, len(sha256))] }

// Paths returns the files of a folder that the engine reads.
func Paths(dir string) (weights, tokenizer string) {
	return filepath.Join(dir, ModelFile), filepath.Join(dir, TokenizerFile)
}
