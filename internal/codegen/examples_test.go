//go:build !race

// One call after the other, each on a memory of its own: nothing for the race detector.

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

var update = flag.Bool("update", false, "write what the calls answer to examples.json")

// sameNumber is how far apart scores may be that count as the same: processors
// round differently.
const sameNumber = 0.005

// TestExamplesAreTrue carries out all examples, each on a memory of its own.
func TestExamplesAreTrue(t *testing.T) {
	modelDir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if modelDir == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := `{"type":"entity","name":"Cleo","entityType":"person","observations":["likes maps"]}` + "\n" + `{"type":"relation","from":"Cleo"` + "\n"
	if err := os.WriteFile(filepath.Join(home, "memory.jsonl"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	engine := onnx.New(onnx.Options{ModelDir: modelDir})
	defer engine.Close()
	e, err := readExamples()
	if err != nil {
		t.Fatal(err)
	}
	for _, tl := range tool.Catalog(nil) {
		if len(e.of(tl.Name)) == 0 {
			t.Errorf("%s has no example", tl.Name)
		}
	}
	for i, c := range e.Calls {
		got := carryOut(t, engine, e.Setup, c)
		if *update {
			e.Calls[i].Reply = got
			continue
		}
		if diff := cmp.Diff(value(t, c.Reply), value(t, got), cmp.Comparer(about)); diff != "" {
			t.Errorf("%s %s answers something else, see -update (-told +answered):\n%s", c.Tool, c.Arguments, diff)
		}
	}
	if *update {
		writeExamples(t, e)
	}
}

func about(a, b float64) bool { return math.Abs(a-b) <= sameNumber }

// carryOut runs a call on a memory that the setup has made, and returns the reply.
func carryOut(t *testing.T, engine *onnx.Engine, setup []call, c call) json.RawMessage {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := memory.New(db, engine, memory.Options{})
	s.Start(t.Context())
	defer s.Close()
	tools := map[string]tool.Tool{}
	for _, tl := range tool.Catalog(s) {
		tools[tl.Name] = tl
	}
	for _, before := range setup {
		if _, err := tools[before.Tool].Call(t.Context(), before.Arguments); err != nil {
			t.Fatalf("setup %s: %v", before.Arguments, err)
		}
	}
	if c.Tool == "search_semantic" {
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	out, err := tools[c.Tool].Call(t.Context(), c.Arguments)
	if c.Fails != (err != nil) {
		t.Fatalf("%s %s: %v", c.Tool, c.Arguments, err)
	}
	if err != nil {
		text, _ := tool.ErrorText(err)
		out = map[string]string{"error": text}
	}
	return encoded(t, out)
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func value(t *testing.T, raw json.RawMessage) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func writeExamples(t *testing.T, e examples) {
	t.Helper()
	text, err := spread(encoded(t, e))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("examples.json", []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestToolReferenceIsCurrent(t *testing.T) {
	out := t.TempDir()
	if err := writeToolReference(out); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(out, "docs", "tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/tools.md is out of date, run make generate (-want +got):\n%s", diff)
	}
}

func TestSpread(t *testing.T) {
	long := strings.Repeat("x", lineLength)
	for raw, want := range map[string]string{
		`{"a":[1,{"b":"c,d"}],"e":{},"f":[]}`: `{"a": [1, {"b": "c,d"}], "e": {}, "f": []}`,
		`{"a":{"b":1},"c":["` + long + `"]}`:  "{\n  \"a\": {\"b\": 1},\n  \"c\": [\n    \"" + long + "\"\n  ]\n}",
	} {
		got, err := spread(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}
