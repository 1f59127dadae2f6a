//go:build sentencepiece_only

package onnx

import "fmt"

// openNative tells that this build reads the model's own kind of tokenizer alone.
func openNative(_ string, refused error) (nativeTokenizer, error) {
	return nil, fmt.Errorf("this build of mcp-memory reads tokenizers of multilingual-e5 alone: %w", refused)
}
