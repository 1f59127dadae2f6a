//go:build !race && !sentencepiece_only

// One text after the other: nothing for the race detector, which makes it take long.

package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The small tokenizer is used where it fits, the native one elsewhere.
func TestChoiceOfTokenizer(t *testing.T) {
	other := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(other, []byte(whitespace), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		native bool
		ids    []uint32
	}{
		filepath.Join(os.Getenv("MCP_MEMORY_TEST_MODEL_DIR"), "tokenizer.json"): {false, []uint32{10, 501, 876}},
		other: {true, []uint32{1, 0, 2}},
	} {
		tokenizer, err := openTokenizer(path)
		if err != nil {
			t.Fatal(err)
		}
		if native := tokenizer.native != nil; native != want.native || native == (tokenizer.pieces != nil) {
			t.Errorf("%s: native %v, want %v", path, native, want.native)
		}
		ids, err := tokenizer.ids("a c b", false)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want.ids, ids); diff != "" {
			t.Errorf("ids by %s (-want +got):\n%s", path, diff)
		}
		if n, err := tokenizer.count("a c b"); err != nil || n != len(want.ids) {
			t.Errorf("count = %d, %v, want %d", n, err, len(want.ids))
		}
		if err := tokenizer.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := openTokenizer(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "read tokenizer") {
		t.Errorf("error = %v of a file that is missing", err)
	}
}
