package sentencepiece

import (
	"bytes"
)

// Tokenizer turns texts into the ids of pieces. It is safe for concurrent use.
type Tokenizer struct {
	special    trie     // tokens that stand in texts as they are
	specialIDs []uint32 // by entry of special
	characters charsMap
	words      unigram
	before     []uint32 // special tokens around a sequence
	after      []uint32
}

// blank is how SentencePiece writes a blank, with which every word begins.
var blank = []byte("▁")

// Encode returns the ids of a text of valid UTF-8, without special tokens
// around it. Those that the text itself names are taken for what they are.
func (t *Tokenizer) Encode(text string) []uint32 {
	ids := []uint32{}
	var w writer
	start := 0
	for i := 0; i < len(text); {
		entry, length := t.special.longest(text[i:])
		if entry == none {
			i++
			continue
		}
		ids = w.plain(t, ids, text[start:i])
		ids = append(ids, t.specialIDs[entry])
		i += length
		start = i
	}
	return w.plain(t, ids, text[start:])
}

// EncodeSequence returns the ids of a text between the special tokens that the
// model wants around it.
func (t *Tokenizer) EncodeSequence(text string) []uint32 {
	ids := append(append([]uint32{}, t.before...), t.Encode(text)...)
	return append(ids, t.after...)
}

// writer has the room that encoding a text needs.
type writer struct {
	normal, spelt []byte
	best          []ending
}

// plain appends the ids of a text without special tokens.
func (w *writer) plain(t *Tokenizer, ids []uint32, text string) []uint32 {
	if text == "" {
		return ids
	}
	w.normal = t.characters.normalize(w.normal[:0], text)
	w.spelt = spell(w.spelt[:0], w.normal)
	for rest := w.spelt; len(rest) > 0; {
		end := len(rest)
		if next := bytes.Index(rest[1:], blank); next >= 0 {
			end = next + 1
		}
		ids, w.best = t.words.split(ids, rest[:end], w.best)
		rest = rest[end:]
	}
	return ids
}

// spell appends a text as words that begin with a blank, of which runs are one.
func spell(out, text []byte) []byte {
	if len(text) == 0 {
		return out
	}
	if text[0] != ' ' && !bytes.HasPrefix(text, blank) {
		out = append(out, blank...)
	}
	for i, b := range text {
		switch {
		case b != ' ':
			out = append(out, b)
		case i == 0 || text[i-1] != ' ':
			out = append(out, blank...)
		}
	}
	return out
}
