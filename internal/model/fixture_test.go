package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/internal/model"
)

// content is deterministic filler that differs by name.
func content(name string, n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%s %d\n", name, i)
	}
	return b.Bytes()[:n]
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// publication is a tiny model as published, with its content.
type publication struct {
	model.Manifest
	content map[string][]byte // by path in the repository
}

func publish() *publication {
	p := &publication{content: map[string][]byte{}}
	file := func(name, path string, b []byte) model.File {
		p.content[path] = b
		return model.File{Name: name, Repository: "owner/tiny", Revision: "r1", Path: path, Size: int64(len(b)), SHA256: sum(b)}
	}
	p.Manifest = model.Manifest{
		Name:       "tiny",
		Repository: "owner/tiny",
		Variants: []model.Variant{
			{Name: "fp32", File: file("model.onnx", "onnx/model.onnx", content("fp32", 40_000))},
			{Name: "int8", File: file("model.onnx", "onnx/model_quantized.onnx", content("int8", 10_000))},
		},
		Companions: []model.File{
			file("tokenizer.json", "tokenizer.json", []byte(`{"model":"tiny"}`)),
			file("tokenizer_config.json", "tokenizer_config.json", []byte(`{}`)),
		},
		StandIns: []model.StandIn{{Variant: "fp32", SHA256: sum(content("stand-in", 30_000))}},
	}
	return p
}

// fill puts files into a folder under their local names.
func (p *publication) fill(t *testing.T, dir, variant string) {
	t.Helper()
	v, err := p.Variant(variant)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(slices.Clip(p.Companions), v.File) {
		write(t, filepath.Join(dir, f.Name), p.content[f.Path])
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// hub serves a publication as the model hub does, and misbehaves on demand.
type hub struct {
	*httptest.Server
	publication *publication

	mu        sync.Mutex
	requests  []string // "GET path" or "GET path range"
	misbehave misbehaviour
	seen      map[string]int // requests by path
}

// misbehaviour may answer a request for a path in its own way; it counts
// requests for that path from 1.
type misbehaviour func(w http.ResponseWriter, r *http.Request, path string, nth int) bool

func serve(t *testing.T, p *publication, misbehave misbehaviour) *hub {
	h := &hub{publication: p, misbehave: misbehave, seen: map[string]int{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/owner/tiny/resolve/r1/")
	h.mu.Lock()
	h.requests = append(h.requests, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	h.seen[path]++
	nth := h.seen[path]
	misbehave := h.misbehave
	h.mu.Unlock()
	body, exists := h.publication.content[path]
	if !ok || !exists {
		http.NotFound(w, r)
		return
	}
	if misbehave != nil && misbehave(w, r, path, nth) {
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// sent returns the requests so far.
func (h *hub) sent() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.requests...)
}

// options are made for a local server: nothing to wait for.
func (h *hub) options() model.DownloadOptions {
	return model.DownloadOptions{
		Endpoint:     h.URL,
		StallTimeout: 50 * time.Millisecond,
		Backoff:      func(int) time.Duration { return 0 },
	}
}

// checkState fails unless dir is in a state.
func checkState(t *testing.T, p *publication, dir string, want model.State) {
	t.Helper()
	s, err := p.Status(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.State != want {
		t.Errorf("state %q (%s), want %q", s.State, s.Reason, want)
	}
}
