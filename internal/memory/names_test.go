package memory_test

import (
	"testing"

	"mcp-memory/internal/memory"
)

func TestCanonicalName(t *testing.T) {
	for in, want := range map[string]string{
		" Orion\t":    "Orion",
		"cafe\u0301":  "café",
		"\u00a0a b\n": "a b",
		"a\tb":        "a\tb",
	} {
		if got := memory.CanonicalName(in); got != want {
			t.Errorf("CanonicalName(%q) = %q, want %q", in, got, want)
		}
	}
}
