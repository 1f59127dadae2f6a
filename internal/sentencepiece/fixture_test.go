package sentencepiece_test

import (
	"encoding/base64"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/internal/sentencepiece"
)

// tiny is a tokenizer.json of a few pieces; CHARSMAP stands for the table.
const tiny = `{
  "version": "1.0", "truncation": null, "padding": null,
  "added_tokens": [
    {"id": 0, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 1, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 20, "content": "</s></s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}
  ],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "Precompiled", "precompiled_charsmap": "CHARSMAP"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
  ]},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
  "post_processor": {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "pair": [],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}
  },
  "decoder": null,
  "model": {"type": "Unigram", "unk_id": 2, "vocab": [
    ["<s>", 0.0], ["</s>", 0], ["<unk>", 0.0], [ "\u2581" , -2 ],
    ["a", -3.5], ["b", -3.5], ["ab", -6.5], ["\u2581a", -4e0], ["abc", -12.0], ["\"", -4.5],
    ["é", -5.0], ["▁ab", -7.4]
  ]}
}`

// Ids of tiny's pieces.
const (
	start, end, unknown, blank, a, b        = 0, 1, 2, 3, 4, 5
	ab, blankA, abc, quote, eAcute, blankAB = 6, 7, 8, 9, 10, 11
	twoEnds                                 = 20
)

// replaced is what tiny's table replaces.
var replaced = map[string]string{"\t": " ", "e\u0301": "é", "ﬁ": "ab", "\u200b": ""}

// tinyWith is tiny with some texts replaced: old, new, old, new …
func tinyWith(changes ...string) string {
	return strings.NewReplacer(append(changes, tableOf(compile(replaced))...)...).Replace(tiny)
}

// tableOf is a change of tiny.
func tableOf(compiled []byte) []string {
	return []string{"CHARSMAP", base64.StdEncoding.EncodeToString(compiled)}
}

func open(t testing.TB, content string) (*sentencepiece.Tokenizer, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return sentencepiece.Open(path)
}

// compile writes a table of characters: each node of its trie has a block of
// 256 units for its children to itself.
func compile(replacements map[string]string) []byte {
	units := make([]uint32, 256)
	var texts []byte
	var place func(node int, prefix string)
	place = func(node int, prefix string) {
		base := len(units)
		units = append(units, make([]uint32, 256)...)
		units[node] |= uint32(node^base) << 10
		if text, ok := replacements[prefix]; ok {
			units[node] |= 1 << 8
			units[base] = 1<<31 | uint32(len(texts))
			texts = append(append(texts, text...), 0)
		}
		var next []byte
		for key := range replacements {
			if len(key) > len(prefix) && strings.HasPrefix(key, prefix) && !slices.Contains(next, key[len(prefix)]) {
				next = append(next, key[len(prefix)])
			}
		}
		for _, label := range next {
			child := base ^ int(label)
			units[child] = uint32(label)
			place(child, prefix+string([]byte{label}))
		}
	}
	place(0, "")
	out := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, unit := range units {
		out = binary.LittleEndian.AppendUint32(out, unit)
	}
	return append(out, texts...)
}
