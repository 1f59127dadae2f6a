package model_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/internal/model"
)

func TestDownloadFromFlatServer(t *testing.T) {
	p := publish()
	var requests []string
	files := http.NewServeMux()
	files.HandleFunc("/mirror/", func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path)
		name, _ := strings.CutPrefix(r.URL.Path, "/mirror/")
		b, ok := p.content[name]
		if name == "model.onnx" {
			b, ok = p.content[weights]
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	})
	h := serve(t, p, nil)
	h.Config.Handler = files
	o := h.options()
	dir := t.TempDir()
	o.From = h.URL + "/mirror/"
	if err := p.Download(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	checkState(t, p, dir, model.Genuine)
	if !slices.Contains(requests, "/mirror/model.onnx") {
		t.Errorf("requests %q, want /mirror/model.onnx", requests)
	}
	for _, from := range []string{"ftp://example.org/x", "http://"} {
		o.From = from
		if err := p.Download(t.Context(), t.TempDir(), o); err == nil || !strings.Contains(err.Error(), "neither an http(s) address nor a folder") {
			t.Errorf("from %q: error = %v", from, err)
		}
	}
}

func TestDownloadFromHubMirror(t *testing.T) {
	p := publish()
	h := serve(t, p, nil)
	o := h.options()
	o.From = h.URL // answers only in the hub's layout
	dir := t.TempDir()
	if err := p.Download(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	checkState(t, p, dir, model.Genuine)
}
