package onnx_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

// recording is a text with what the float32 model made of it.
type recording struct {
	Kind   string
	Text   string
	Repeat int // of Text, 0 for once
	Tokens int
	IDs    []uint32 // the first 40
	Vector string   // base64 of float32, little endian
}

func (r recording) text() string { return strings.Repeat(r.Text, max(r.Repeat, 1)) }

func (r recording) kind() memory.Kind {
	if r.Kind == "query" {
		return memory.Query
	}
	return memory.Passage
}

func (r recording) vector(t *testing.T) []float32 {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(r.Vector)
	if err != nil {
		t.Fatal(err)
	}
	vector := make([]float32, len(raw)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return vector
}

// recordings reads what an independent implementation computed, with the
// float32 stand-in: onnxruntime's Python binding, one text a run, unpadded.
func recordings(t *testing.T) []recording {
	t.Helper()
	content, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Items []recording }
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	return file.Items
}

// closeness is the cosine to the recordings that a model must reach.
func closeness(modelID string) float64 {
	switch {
	case strings.Contains(modelID, "-standin/fp32"):
		return 0.9999
	case strings.Contains(modelID, "-standin/fp16"):
		return 0.999
	}
	return 0.96 // int8, and the genuine weights, which the stand-in rounds
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

func checkUnit(t *testing.T, vector []float32) {
	t.Helper()
	if len(vector) != memory.Dimensions {
		t.Fatalf("vector of %d dimensions, want %d", len(vector), memory.Dimensions)
	}
	var square float64
	for _, v := range vector {
		square += float64(v) * float64(v)
	}
	if math.Abs(square-1) > 1e-5 {
		t.Errorf("squared length %v, want 1", square)
	}
}

func TestVectorsAlone(t *testing.T) {
	modelDir(t)
	e := shared()
	for _, r := range recordings(t) {
		got, err := e.Embed(t.Context(), r.kind(), []string{r.text()})
		if err != nil {
			t.Fatal(err)
		}
		checkUnit(t, got[0])
		if c := cosine(got[0], r.vector(t)); c < closeness(e.ModelID()) {
			t.Errorf("%s %.40q: cosine %v to the recorded vector", r.Kind, r.Text, c)
		}
	}
}

// Texts of 5 to 512 tokens together, so that they are grouped, padded and put
// back in order.
func TestVectorsTogether(t *testing.T) {
	modelDir(t)
	e := shared()
	for _, kind := range []memory.Kind{memory.Query, memory.Passage} {
		var texts []string
		var want [][]float32
		for _, r := range recordings(t) {
			if r.kind() == kind {
				texts = append(texts, r.text())
				want = append(want, r.vector(t))
			}
		}
		got, err := e.Embed(t.Context(), kind, texts)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(texts) {
			t.Fatalf("%d vectors of %d texts", len(got), len(texts))
		}
		for i := range got {
			checkUnit(t, got[i])
			if c := cosine(got[i], want[i]); c < closeness(e.ModelID()) {
				t.Errorf("text %d %.40q: cosine %v to the recorded vector", i, texts[i], c)
			}
		}
	}
}
