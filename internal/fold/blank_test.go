package fold_test

import (
	"testing"

	"mcp-memory/internal/fold"
)

func TestIsBlank(t *testing.T) {
	for _, s := range []string{
		"", " \t\n", "\u00a0\u3000", "\u200b", "\u200c", "\u200d", "\u200e\u202e", "\ufeff", "\u2060", "\u00ad", "\u061c", "\u180e", "\u2800",
		"\u3164", "\u115f", "\ufe0f", "\u034f", "\U000e0041", "\x01\x1b", " \u200b \ufeff\t",
	} {
		if !fold.IsBlank(s) {
			t.Errorf("%+q is not blank", s)
		}
	}
	for _, s := range []string{"a", "\u200ba", "👩\u200d👩\u200d👧", "می\u200cخواهم", "co\u00adop", "-", ".", "\u0301", "❤\ufe0f", "\ufffd", "🏴\U000e0067\U000e007f"} {
		if fold.IsBlank(s) {
			t.Errorf("%+q is blank", s)
		}
	}
}
