//go:build !race

// One call after the other: nothing for the race detector, which makes it take long.

package onnx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// Token ids equal those of Hugging Face's own binding.
func TestSequence(t *testing.T) {
	dir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if dir == "" {
		t.Fatal("these tests need the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	tokenizer, err := openTokenizer(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer tokenizer.Close()
	content, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Items []struct {
			Kind, Text     string
			Repeat, Tokens int
			IDs            []uint32
		}
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	for _, item := range file.Items {
		kind := memory.Passage
		if item.Kind == "query" {
			kind = memory.Query
		}
		ids, err := tokenizer.sequence(kind, strings.Repeat(item.Text, max(item.Repeat, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) != item.Tokens {
			t.Errorf("%s %.40q: %d tokens, want %d", item.Kind, item.Text, len(ids), item.Tokens)
			continue
		}
		if diff := cmp.Diff(item.IDs, ids[:len(item.IDs)]); diff != "" {
			t.Errorf("%s %.40q: %s", item.Kind, item.Text, diff)
		}
		if ids[0] != 0 || ids[len(ids)-1] != 2 {
			t.Errorf("%s %.40q: not between <s> and </s>", item.Kind, item.Text)
		}
	}
}
