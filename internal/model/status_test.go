package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/model"
)

// outputOnly is an ONNX file of a graph with one output.
const outputOnly = "\x3a\x05\x62\x03\x0a\x01y"

func TestStatus(t *testing.T) {
	p := publish()
	tests := []struct {
		name   string
		change func(t *testing.T, dir string) // of a folder with the genuine fp32 model
		state  model.State
		id     string // its start
		reason string // part of it
	}{
		{"genuine", func(*testing.T, string) {}, model.Genuine, "tiny/fp32@" + sum(content("fp32", 40_000))[:12], ""},
		{"other variant", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "model.onnx"), content("int8", 10_000))
		}, model.Genuine, "tiny/int8@", ""},
		{"settings missing", func(t *testing.T, dir string) {
			remove(t, dir, "tokenizer_config.json")
		}, model.Genuine, "tiny/fp32@", ""},
		{"stand-in", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "model.onnx"), content("stand-in", 30_000))
		}, model.Built, "tiny-standin/fp32@", "built locally"},
		{"foreign", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "model.onnx"), []byte(outputOnly))
		}, model.Foreign, "custom@" + sum([]byte(outputOnly))[:12], "unknown origin"},
		{"foreign tokenizer", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "tokenizer.json"), []byte(`{"model":"other"}`))
		}, model.Foreign, "custom@", "tokenizer.json of unknown origin"},
		{"cut off", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "model.onnx"), []byte(outputOnly[:5]))
		}, model.Damaged, "", "model.onnx"},
		{"no model file", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "model.onnx"), []byte("version https://git-lfs.github.com/spec/v1"))
		}, model.Damaged, "", "model.onnx"},
		{"broken tokenizer", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "tokenizer.json"), []byte(`{"model":`))
		}, model.Damaged, "", "tokenizer.json"},
		{"half", func(t *testing.T, dir string) {
			remove(t, dir, "model.onnx")
		}, model.Incomplete, "", "model.onnx missing"},
		{"downloading", func(t *testing.T, dir string) {
			remove(t, dir, "model.onnx")
			write(t, partialName(p, dir), content("fp32", 100))
		}, model.Incomplete, "", "has not ended"},
		{"missing", func(t *testing.T, dir string) {
			remove(t, dir, "model.onnx", "tokenizer.json", "tokenizer_config.json")
		}, model.Missing, "", "no model files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			p.fill(t, dir, "fp32")
			test.change(t, dir)
			s, err := p.Status(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if s.State != test.state || !strings.HasPrefix(s.ID, test.id) || !strings.Contains(s.Reason, test.reason) || s.Ready != (test.id != "") {
				t.Errorf("status %+v, want %s, id %s…, reason …%s…", s, test.state, test.id, test.reason)
			}
			if s.ID == "" && test.id != "" {
				t.Error("no id")
			}
		})
	}
	t.Run("no folder", func(t *testing.T) {
		checkState(t, p, filepath.Join(t.TempDir(), "none"), model.Missing)
	})
}

// Hashes are computed once; a changed file is noticed.
func TestHashesAreRemembered(t *testing.T) {
	p := publish()
	dir := t.TempDir()
	p.fill(t, dir, "fp32")
	if _, err := p.Identify(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.onnx")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Bytes that change behind the back of size and time are not read.
	write(t, path, content("evil", 40_000))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	id, err := p.Identify(t.Context(), dir)
	if err != nil || id.State != model.Genuine {
		t.Errorf("identity %+v, %v: hashed again", id, err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime().Add(1)); err != nil {
		t.Fatal(err)
	}
	if id, err = p.Identify(t.Context(), dir); err != nil || id.State != model.Foreign {
		t.Errorf("identity %+v, %v after a change, want a foreign one", id, err)
	}
}

// A folder that cannot be written, such as a system-wide one, works too.
func TestHashesOfReadOnlyFolder(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	p := publish()
	dir := t.TempDir()
	p.fill(t, dir, "fp32")
	// A folder in the place of the file keeps even root from writing it.
	if err := os.MkdirAll(filepath.Join(dir, ".sha256.json", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Identify(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	var kept []string
	_ = filepath.WalkDir(cache, func(path string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			kept = append(kept, path)
		}
		return nil
	})
	if len(kept) != 1 {
		t.Fatalf("digests in the user's cache: %q, want one file", kept)
	}
}

func TestIdentifyMissing(t *testing.T) {
	p := publish()
	dir := t.TempDir()
	p.fill(t, dir, "fp32")
	remove(t, dir, "tokenizer.json")
	if _, err := p.Identify(t.Context(), dir); !os.IsNotExist(err) {
		t.Errorf("error = %v, want that the file does not exist", err)
	}
}

// The manifest itself: what the engine relies on.
func TestE5Small(t *testing.T) {
	m := model.E5Small
	seen := map[string]bool{}
	check := func(f model.File) {
		if len(f.SHA256) != 64 || f.Size <= 0 || f.Repository == "" || len(f.Revision) != 40 || seen[f.SHA256] {
			t.Errorf("bad file %+v", f)
		}
		seen[f.SHA256] = true
	}
	for _, v := range m.Variants {
		check(v.File)
		if v.File.Name != model.ModelFile {
			t.Errorf("%s is called %s", v.Name, v.File.Name)
		}
	}
	for _, f := range m.Companions {
		check(f)
	}
	for _, s := range m.StandIns {
		if len(s.SHA256) != 64 || seen[s.SHA256] {
			t.Errorf("bad stand-in %+v", s)
		}
		seen[s.SHA256] = true
	}
	if v, err := m.Variant(""); err != nil || v.Name != "fp32" {
		t.Errorf("default variant %q, %v, want fp32", v.Name, err)
	}
}

func remove(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
