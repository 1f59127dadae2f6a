package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/model"
)

func TestDownloadFromFolder(t *testing.T) {
	p := publish()
	layouts := map[string]string{
		"flat":       "",
		"repository": "repository",
		"hub cache":  "models--owner--tiny/snapshots/r1",
		"mirror":     "owner/tiny/resolve/r1",
	}
	for name, sub := range layouts {
		t.Run(name, func(t *testing.T) {
			source := t.TempDir()
			for path, b := range p.content {
				switch name {
				case "flat":
					p.fill(t, source, "fp32")
				case "repository":
					write(t, filepath.Join(source, path), b)
				default:
					write(t, filepath.Join(source, sub, path), b)
				}
			}
			dir := t.TempDir()
			if err := p.Download(t.Context(), dir, model.DownloadOptions{From: source}); err != nil {
				t.Fatal(err)
			}
			checkState(t, p, dir, model.Genuine)
		})
	}
}

func TestDownloadFromBadFolder(t *testing.T) {
	p := publish()
	tests := []struct {
		name  string
		model []byte
		want  string
	}{
		{"no model", nil, "holds no model.onnx"},
		{"other variant", content("int8", 10_000), "--variant int8"},
		{"stand-in", content("stand-in", 30_000), "stand-in, not the published model"},
		{"cut off", content("fp32", 39_999), "not the published file"},
		{"changed", content("evil", 40_000), "not the published file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source, dir := t.TempDir(), t.TempDir()
			p.fill(t, source, "fp32")
			p.fill(t, dir, "int8")
			if err := os.Remove(filepath.Join(source, "model.onnx")); err != nil {
				t.Fatal(err)
			}
			if test.model != nil {
				write(t, filepath.Join(source, "model.onnx"), test.model)
			}
			err := p.Download(t.Context(), dir, model.DownloadOptions{From: source})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one that says %q", err, test.want)
			}
			checkState(t, p, dir, model.Genuine)
		})
	}
	if err := p.Download(t.Context(), t.TempDir(), model.DownloadOptions{From: "/no/such/folder"}); err == nil || !strings.HasPrefix(err.Error(), "there is no folder /no/such/folder: ") {
		t.Errorf("error = %v, want that there is no such folder", err)
	}
}

// A complete folder needs neither a source nor the right to write.
func TestDownloadNothing(t *testing.T) {
	p := publish()
	dir := t.TempDir()
	p.fill(t, dir, "fp32")
	if err := p.Download(t.Context(), dir, model.DownloadOptions{From: "/no/such/folder"}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".download.lock")); err == nil {
		t.Error("a lock was taken for nothing")
	}
}
