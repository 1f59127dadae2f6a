//go:build !race && !sentencepiece_only

// One text after the other: nothing for the race detector, which makes it take long.

package onnx_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/daulet/tokenizers"
	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/sentencepiece"
)

// hostile are texts on which tokenizers are known to differ.
var hostile = []string{
	"", " ", "  a  b ", "a\r\nb", "a\tb\u00a0c\u3000d", "\x01\x02", "a\x01b\x7f", "\ufeffa", "a\u200db", "a\u00adb",
	"x</s>y <mask> z<pad>", "<unk><unk> <s", "</s", "＜s＞ ＜unk＞",
	"▁a▁▁b ▁", "▁", "a▁", "  ▁  ",
	"\u0301\u0301e\u0301", "ﬁ\u0301", "e\u0301\u0327", "q\u0307\u0323", "ｱｲｳﾞ", "①½㎏ﬃ",
	"क्ष त्र", "ต่ำ aำ", "\u0600a", "각", "\u1100\u1161\u11a8",
	"👩‍👩‍👧 🇪🇸🇫🇷 👍🏽", "𝒜𝔅 𓂀𓂀x", "\U0010fffd\ue000\ue001 \ue000",
	strings.Repeat("x", 300), strings.Repeat("🜁", 50),
}

// randomTexts mix a script with marks, signs and controls. They are the same
// every time.
func randomTexts(n int) []string {
	scripts := []*unicode.RangeTable{
		unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Tamil,
		unicode.Thai, unicode.Han, unicode.Hiragana, unicode.Hangul, unicode.P, unicode.S, unicode.Z, unicode.Cf,
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(table *unicode.RangeTable) rune {
		if len(table.R32) > 0 && (len(table.R16) == 0 || random.IntN(3) == 0) {
			r := table.R32[random.IntN(len(table.R32))]
			return rune(r.Lo + r.Stride*random.Uint32N((r.Hi-r.Lo)/r.Stride+1))
		}
		r := table.R16[random.IntN(len(table.R16))]
		return rune(uint32(r.Lo) + uint32(r.Stride)*random.Uint32N(uint32((r.Hi-r.Lo)/r.Stride)+1))
	}
	texts := make([]string, n)
	for i := range texts {
		var text strings.Builder
		script := scripts[random.IntN(len(scripts))]
		for range 1 + random.IntN(30) {
			switch random.IntN(8) {
			case 0:
				text.WriteByte(' ')
			case 1:
				text.WriteRune(pick(scripts[random.IntN(len(scripts))]))
			case 2:
				text.WriteRune(pick(unicode.M))
			case 3:
				text.WriteByte(byte(1 + random.IntN(127)))
			default:
				text.WriteRune(pick(script))
			}
		}
		texts[i] = text.String()
	}
	return texts
}

// Our own tokenizer gives the ids that Hugging Face's library gives.
func TestPieces(t *testing.T) {
	path := filepath.Join(modelDir(t), "tokenizer.json")
	own, err := sentencepiece.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := tokenizers.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reference.Close()
	texts := append(randomTexts(5000), hostile...)
	for _, r := range recordings(t) {
		texts = append(texts, r.text())
	}
	differing := 0
	for _, text := range texts {
		framed := cmp.Diff(reference.EncodeWithOptions(text, true).IDs, own.EncodeSequence(text))
		alone := cmp.Diff(append([]uint32{}, reference.EncodeWithOptions(text, false).IDs...), own.Encode(text))
		if diff := framed + alone; diff != "" {
			t.Errorf("%.200s (-want +got):\n%s", fmt.Sprintf("%+q", text), diff)
			if differing++; differing == 10 {
				t.FailNow()
			}
		}
	}
}
