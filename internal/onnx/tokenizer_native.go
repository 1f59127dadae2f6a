//go:build !sentencepiece_only

package onnx

import "github.com/daulet/tokenizers"

// allKinds is Hugging Face's library, which reads tokenizers of all kinds.
type allKinds struct{ *tokenizers.Tokenizer }

// openNative reads a tokenizer.json that package sentencepiece has refused.
func openNative(path string, _ error) (nativeTokenizer, error) {
	t, err := tokenizers.FromFile(path)
	if err != nil {
		return nil, err
	}
	return allKinds{t}, nil
}

func (t allKinds) encode(text string, framed bool) ([]uint32, error) {
	encoding, err := t.EncodeWithOptionsErr(text, framed)
	return encoding.IDs, err
}
