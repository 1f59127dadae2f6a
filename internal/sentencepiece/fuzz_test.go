package sentencepiece_test

import "testing"

// FuzzOpen reads any file as a tokenizer. One that is taken gives each text some
// tokens of its own.
func FuzzOpen(f *testing.F) {
	f.Add(tinyWith(), "ab a")
	for _, change := range [][]string{
		{`"vocab": [`, `"vocab": [[`},
		{`["a", -3.5]`, `["", 1e999]`},
		{`["a", -3.5]`, `["\ud800", -3]`},
		{`"unk_id": 2`, `"unk_id": -1`},
		{`"ids": [0]`, `"ids": []`},
		{`"content": "<s>"`, `"content": "a"`},
		{`["ab", -6.5]`, `["ab", NaN]`},
	} {
		f.Add(tinyWith(change...), "abc\x00\xff<s>")
	}
	f.Fuzz(func(t *testing.T, content, text string) {
		tokenizer, err := open(t, content)
		if err != nil || len(text) > 10_000 {
			return
		}
		tokenizer.Encode(text)
		tokenizer.EncodeSequence(text)
	})
}
