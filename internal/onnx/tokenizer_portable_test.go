//go:build sentencepiece_only

package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without Hugging Face's library a tokenizer of another kind is refused, with the reason.
func TestOtherKindIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(whitespace), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := openTokenizer(path)
	if err == nil || !strings.Contains(err.Error(), "reads tokenizers of multilingual-e5 alone") || !strings.Contains(err.Error(), "no list of pieces") {
		t.Errorf("error = %v, want what is read, and what does not fit", err)
	}
}
