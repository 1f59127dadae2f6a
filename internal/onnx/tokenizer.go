package onnx

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sentencepiece"
)

const (
	// maxTokens is the length of the longest sequence the model takes, special
	// tokens included.
	maxTokens = 512

	// maxEmbeddedBytes bounds what of a text is tokenised to be embedded. 512
	// tokens never need more: pieces have up to 16 code points.
	maxEmbeddedBytes = 1 << 16
)

// prefixes are what multilingual-e5 was trained with.
var prefixes = map[memory.Kind]string{
	memory.Passage: "passage: ",
	memory.Query:   "query: ",
}

// tokenizer turns texts into token ids. It is safe for concurrent use.
type tokenizer struct {
	pieces *sentencepiece.Tokenizer // nil for a tokenizer.json of another kind
	native nativeTokenizer          // reads all kinds, and takes 280 MB where pieces takes 15
}

// nativeTokenizer is Hugging Face's library, where it is linked in.
type nativeTokenizer interface {
	encode(text string, framed bool) ([]uint32, error)
	Close() error
}

func openTokenizer(path string) (*tokenizer, error) {
	pieces, refused := sentencepiece.Open(path)
	if refused == nil {
		debug.FreeOSMemory() // reading takes a multiple of what is kept
		return &tokenizer{pieces: pieces}, nil
	}
	native, err := openNative(path, refused)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer %s: %w", path, err)
	}
	return &tokenizer{native: native}, nil
}

// ids returns the token ids of a text, framed by special tokens or alone.
func (t *tokenizer) ids(text string, framed bool) ([]uint32, error) {
	switch {
	case t.native != nil:
		ids, err := t.native.encode(text, framed)
		if err != nil {
			return nil, fmt.Errorf("tokenise: %w", err)
		}
		return ids, nil
	case framed:
		return t.pieces.EncodeSequence(text), nil
	}
	return t.pieces.Encode(text), nil
}

// Close gives the memory back. The tokenizer cannot be used any more.
func (t *tokenizer) Close() error {
	if t.native != nil {
		return t.native.Close()
	}
	t.pieces = nil
	debug.FreeOSMemory()
	return nil
}

// sequence returns the ids of a text as the model takes it: prefixed, between
// special tokens, cut to maxTokens before the final one.
func (t *tokenizer) sequence(kind memory.Kind, text string) ([]uint32, error) {
	ids, err := t.ids(clean(cut(prefixes[kind]+text, maxEmbeddedBytes)), true)
	if err != nil {
		return nil, err
	}
	if len(ids) < 2 {
		return nil, fmt.Errorf("tokenise: %d tokens, expected two special ones at least: tokenizer.json belongs to another model", len(ids))
	}
	if len(ids) > maxTokens {
		last := ids[len(ids)-1]
		ids = append(ids[:maxTokens-1], last)
	}
	return ids, nil
}

// count returns the number of tokens of a text alone.
func (t *tokenizer) count(text string) (int, error) {
	ids, err := t.ids(clean(text), false)
	return len(ids), err
}

// clean makes a text safe to hand over as a C string of UTF-8. NUL would end
// it; the tokenizer drops control characters anyway.
func clean(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// cut shortens a text to at most n bytes without splitting a code point.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
