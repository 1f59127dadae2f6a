package onnx_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
)

// modelDir is the folder of the model to test with.
func modelDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if dir == "" {
		t.Fatal("these tests need the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR to a folder that holds model.onnx and tokenizer.json")
	}
	return dir
}

// shared is one loaded engine for all tests that only embed.
var shared = sync.OnceValue(func() *onnx.Engine {
	return onnx.New(onnx.Options{ModelDir: os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")})
})

func newEngine(t *testing.T, o onnx.Options) *onnx.Engine {
	t.Helper()
	e := onnx.New(o)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestCountTokens(t *testing.T) {
	modelDir(t)
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"Hola", 1},
		{"東京の天気は今日も晴れです", 9}, // 13 with "passage: " and special tokens
		{strings.TrimSpace(strings.Repeat("palabra ", 700)), 700},
		{"Ho\x00la", 1},
	}
	var texts []string
	for _, test := range tests {
		texts = append(texts, test.text)
	}
	got, err := shared().CountTokens(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		if got[i] != test.want {
			t.Errorf("CountTokens(%.40q) = %d, want %d", test.text, got[i], test.want)
		}
	}
}

// What native code cannot take as it is must not cut a text or end the process.
func TestHostileTexts(t *testing.T) {
	modelDir(t)
	e := shared()
	embed := func(text string) []float32 {
		t.Helper()
		v, err := e.Embed(t.Context(), memory.Passage, []string{text})
		if err != nil {
			t.Fatalf("%.40q: %v", text, err)
		}
		checkUnit(t, v[0])
		return v[0]
	}
	plain := embed("the boat sails at noon")
	if c := cosine(plain, embed("the boat\x00 sails at noon")); c < 0.99999 {
		t.Errorf("NUL changes the vector: cosine %v", c)
	}
	embed("\xff\xfe broken \xc3")
	embed("<s></s><pad><mask><unk>")
	embed(strings.Repeat("\u0301", 5000))
	long := strings.Repeat("palabra ", 100_000)
	if c := cosine(embed(long), embed(long[:8*700])); c < 0.99999 {
		t.Errorf("text beyond 512 tokens changes the vector: cosine %v", c)
	}
}

func TestNoTexts(t *testing.T) {
	modelDir(t)
	got, err := shared().Embed(t.Context(), memory.Query, nil)
	if err != nil || len(got) != 0 || got == nil {
		t.Errorf("Embed of nothing = %v, %v, want an empty list", got, err)
	}
}

func TestCancelledContext(t *testing.T) {
	modelDir(t)
	e := shared()
	if err := e.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, memory.Passage, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed error = %v, want %v", err, context.Canceled)
	}
	if _, err := e.CountTokens(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("CountTokens error = %v, want %v", err, context.Canceled)
	}
}

// However many calls race, the model is loaded once.
func TestOneLoad(t *testing.T) {
	log := &countingHandler{count: map[string]int{}}
	e := newEngine(t, onnx.Options{ModelDir: tinyDir(t), Logger: slog.New(log)})
	if e.Ready() || e.ModelID() != "" {
		t.Fatal("ready before anything was asked for")
	}
	e.Warm()
	var calls sync.WaitGroup
	for i := range 24 {
		calls.Go(func() {
			var err error
			switch i % 4 {
			case 0:
				err = e.Load(t.Context())
			case 1:
				_, err = e.Embed(t.Context(), memory.Query, []string{"who leads the project?"})
			case 2:
				_, err = e.CountTokens(t.Context(), []string{"one two"})
			case 3:
				e.Warm()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if got := log.of("embedding model loaded"); got != 1 {
		t.Errorf("loaded %d times, want once", got)
	}
	if !e.Ready() || !strings.Contains(e.ModelID(), "@") {
		t.Errorf("Ready() = %v, ModelID() = %q after loading", e.Ready(), e.ModelID())
	}
}

func TestModelAppearsLater(t *testing.T) {
	dir := t.TempDir()
	e := newEngine(t, onnx.Options{ModelDir: dir})
	source := tinyDir(t)
	for _, missing := range []string{"model.onnx", "tokenizer.json"} {
		e.Warm()
		err := e.Load(t.Context())
		if !errors.Is(err, memory.ErrNoModel) || !strings.Contains(err.Error(), missing) {
			t.Fatalf("Load error = %v, want ErrNoModel that names %s", err, missing)
		}
		if _, err := e.Embed(t.Context(), memory.Query, []string{"x"}); !errors.Is(err, memory.ErrNoModel) {
			t.Fatalf("Embed error = %v, want ErrNoModel", err)
		}
		if err := os.Rename(filepath.Join(source, missing), filepath.Join(dir, missing)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Load(t.Context()); err != nil {
		t.Fatalf("Load after the files appeared: %v", err)
	}
}

func TestMissingLibrary(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "libmissing.so")
	if os.Getenv("ONNX_TEST_CHILD") == "" { // the library is loaded once a process
		runChild(t, "^TestMissingLibrary$")
		return
	}
	e := newEngine(t, onnx.Options{ModelDir: tinyDir(t), Library: missing})
	if err := e.Load(t.Context()); !errors.Is(err, memory.ErrNoModel) || !strings.Contains(err.Error(), missing) {
		t.Errorf("Load error = %v, want ErrNoModel that names the library", err)
	}
}

func TestBadModels(t *testing.T) {
	lookup := lookupModel()
	tests := []struct {
		name      string
		model     []byte
		tokenizer string
		want      string
	}{
		{"text as model", []byte("<html>please log in</html>"), tinyTokenizer, "not an ONNX model"},
		{"empty model", nil, tinyTokenizer, "not an ONNX model"},
		{"cut off model", lookup[:len(lookup)-100], tinyTokenizer, "cut off"},
		{"other dimensions", brokenModel(2, "input_ids", "attention_mask"), tinyTokenizer, "expected [batch, tokens, 384]"},
		{"other inputs", brokenModel(384, "pixels"), tinyTokenizer, "expected input_ids and attention_mask"},
		{"graph that cannot run", brokenModel(384, "input_ids", "attention_mask"), tinyTokenizer, "ONNX Runtime cannot read"},
		{"broken tokenizer", lookup, `{"version":`, "read tokenizer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "model.onnx", test.model)
			write(t, dir, "tokenizer.json", []byte(test.tokenizer))
			e := newEngine(t, onnx.Options{ModelDir: dir})
			err := e.Load(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("Load error = %v, want one that says %q", err, test.want)
			}
			var unfit *memory.ModelError
			if !errors.As(err, &unfit) || strings.Contains(unfit.Text(), test.want) {
				t.Errorf("%v is not a ModelError that keeps the details for the log", err)
			}
			if again := e.Load(t.Context()); again == nil || again.Error() != err.Error() {
				t.Errorf("second Load error = %v, want the same", again)
			}
			write(t, dir, "model.onnx", lookup)
			write(t, dir, "tokenizer.json", []byte(tinyTokenizer))
			if err := e.Load(t.Context()); err != nil {
				t.Errorf("Load after the files were replaced: %v", err)
			}
		})
	}
}

func TestClose(t *testing.T) {
	e := onnx.New(onnx.Options{ModelDir: tinyDir(t)})
	if err := e.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			_, err := e.Embed(t.Context(), memory.Passage, []string{strings.Repeat("a ", 100)})
			if err != nil && !errors.Is(err, onnx.ErrClosed) {
				t.Error(err)
			}
		})
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	if e.Ready() {
		t.Error("ready after Close")
	}
	if err := e.Load(t.Context()); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("Load error = %v, want ErrClosed", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// Inputs are found by name in the graph, texts keep their order, and masked
// means count each token once.
func TestTinyModel(t *testing.T) {
	e := newEngine(t, onnx.Options{ModelDir: tinyDir(t)})
	got, err := e.Embed(t.Context(), memory.Passage, []string{"a a a", "b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	// Tokens: <s>, passage and the colon (both unknown), the words, </s>.
	for i, want := range [][]float64{{1, 2, 1, 3, 0}, {1, 2, 1, 0, 1}, {1, 2, 1, 1, 0}} {
		checkUnit(t, got[i])
		norm := 0.0
		for _, n := range want {
			norm += n * n
		}
		for d, n := range want {
			if math.Abs(float64(got[i][d])-n/math.Sqrt(norm)) > 1e-6 {
				t.Errorf("vector %d starts with %v, want a multiple of %v", i, got[i][:5], want)
				break
			}
		}
	}
	if !strings.HasPrefix(e.ModelID(), "custom@") {
		t.Errorf("ModelID() = %q, want custom@…", e.ModelID())
	}
}

// A model that is dropped while idle is loaded again on need.
func TestIdleModelIsDropped(t *testing.T) {
	dropped := &signalHandler{message: "embedding model dropped until it is needed again", seen: make(chan struct{}, 8)}
	e := newEngine(t, onnx.Options{ModelDir: tinyDir(t), IdleTimeout: 1, Logger: slog.New(dropped)})
	if err := e.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := e.ModelID()
	<-dropped.seen
	if e.Ready() {
		t.Error("ready after the model was dropped")
	}
	if e.ModelID() != id {
		t.Errorf("ModelID() = %q, want %q still", e.ModelID(), id)
	}
	got, err := e.Embed(t.Context(), memory.Query, []string{"again"})
	if err != nil {
		t.Fatal(err)
	}
	checkUnit(t, got[0])
}
