package sentencepiece_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncode(t *testing.T) {
	tokenizer, err := open(t, tinyWith())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		want []uint32
	}{
		{"", nil},
		{" ", []uint32{blank}},
		{"a", []uint32{blankA}},
		{"ab", []uint32{blankAB}},                         // -7.4, before ▁a b of -7.5
		{"bab", []uint32{blank, b, ab}},                   // -6.5, before a b of -7
		{"babc", []uint32{blank, b, abc}},                 // unlikely, but c alone is unknown
		{"  a \t  b ", []uint32{blankA, blank, b, blank}}, // one blank each
		{"xyaz", []uint32{blank, unknown, a, unknown}},
		{"x y", []uint32{blank, unknown, blank, unknown}},
		{"a▁▁a", []uint32{blankA, blank, blankA}},
		{`"`, []uint32{blank, quote}},
		{"e\u0301", []uint32{blank, eAcute}},
		{"e\u0301\u0301", []uint32{blank, eAcute}},        // the table's beginning stands for the whole
		{"e\u0301\u0301\u0301", []uint32{blank, unknown}}, // of up to 5 bytes
		{"ﬁ", []uint32{blankAB}},
		{"\u200b", nil},
		{"a\u200bb", []uint32{blankAB}},
		{"a<s>a</s></s></s>", []uint32{blankA, start, blankA, twoEnds, end}},
		{"a</s", []uint32{blankA, unknown}},
		{"\xff", []uint32{blank, unknown}},
	} {
		got := tokenizer.Encode(test.text)
		if diff := cmp.Diff(append([]uint32{}, test.want...), got); diff != "" {
			t.Errorf("%+q (-want +got):\n%s", test.text, diff)
		}
		if diff := cmp.Diff(append(append([]uint32{start}, test.want...), end), tokenizer.EncodeSequence(test.text)); diff != "" {
			t.Errorf("%+q as a sequence (-want +got):\n%s", test.text, diff)
		}
	}
}

// What is not understood is refused, rather than tokenised in another way.
func TestRefusals(t *testing.T) {
	for name, changes := range map[string][]string{
		"no JSON":              {`"version"`, `version`},
		"truncation":           {`"truncation": null`, `"truncation": {"max_length": 512}`},
		"padding":              {`"padding": null`, `"padding": {}`},
		"token in words":       {`"single_word": false`, `"single_word": true`},
		"token with blanks":    {`"lstrip": false`, `"lstrip": true`},
		"token after changes":  {`"normalized": false`, `"normalized": true`},
		"empty token":          {`"content": "<s>"`, `"content": ""`},
		"other normalizer":     {`"type": "Precompiled"`, `"type": "NFKC"`},
		"other pattern":        {`{2,}`, `+`},
		"other blanks":         {`"content": " "`, `"content": "_"`},
		"other words":          {`"type": "Metaspace"`, `"type": "Whitespace"`},
		"other sign":           {`"replacement": "▁"`, `"replacement": "_"`},
		"no blank first":       {`"add_prefix_space": true`, `"add_prefix_space": false`},
		"blank once":           {`"add_prefix_space": true`, `"prepend_scheme": "first"`},
		"whole text":           {`"add_prefix_space": true`, `"split": false`},
		"other frame":          {`"TemplateProcessing"`, `"BertProcessing"`},
		"no sequence":          {`"Sequence": {`, `"Else": {`},
		"other model":          {`"Unigram"`, `"BPE"`},
		"bytes":                {`"unk_id": 2`, `"unk_id": 2, "byte_fallback": true`},
		"nothing unknown":      {`"unk_id": 2`, `"unk_id": null`},
		"unknown out of range": {`"unk_id": 2`, `"unk_id": 12`},
		"pieces by name":       {`"vocab": [`, `"vocab": {"a": 1}, "else": [`},
		"piece without score":  {`["a", -3.5]`, `["a"]`},
		"piece of numbers":     {`["a", -3.5]`, `[1, -3.5]`},
		"piece alone":          {`["a", -3.5]`, `"a"`},
		"score in words":       {`["a", -3.5]`, `["a", "-3.5"]`},
		"empty table":          tableOf(nil),
		"table cut off":        tableOf(compile(replaced)[:1000]),
		"table of no size":     tableOf([]byte{0, 0, 0, 0}),
	} {
		if tokenizer, err := open(t, tinyWith(changes...)); err == nil || tokenizer != nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q is not one line", name, err)
		}
	}
}

// Whatever the file and the text hold, nothing ends the process.
func FuzzEncode(f *testing.F) {
	f.Add("a\tb", compile(replaced))
	f.Add("e\u0301 ﬁ \u200b</s>", compile(replaced)[:2000])
	f.Add("aaaa", []byte{4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, text string, table []byte) {
		tokenizer, err := open(t, tinyWith(tableOf(table)...))
		if err != nil || len(text)*len(table) > 1<<20 { // every character may be replaced by the whole table
			return
		}
		for _, id := range tokenizer.EncodeSequence(text) {
			if id > blankAB && id != twoEnds {
				t.Errorf("id %d of no piece", id)
			}
		}
	})
}
