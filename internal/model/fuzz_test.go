package model_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/model"
)

// FuzzReadGraph reads any file as a model: what it says of its weights lies in
// the file, or it is damaged.
func FuzzReadGraph(f *testing.F) {
	output := message(12, message(1, []byte("y")), message(2, message(1, []byte{0x08, 1}, message(2, message(1, []byte{0x08, 3})))))
	input := message(11, message(1, []byte("x")))
	weight := message(5, message(8, []byte("w")), message(9, make([]byte, 64)))
	whole := message(7, input, weight, output)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(append(message(1, []byte("ignored")), whole...))
	f.Add([]byte{0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{0x39, 1, 2, 3, 4, 5, 6, 7, 8, 0x3d, 1, 2, 3, 4, 0x38, 0x80})
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "model.onnx")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		outline, err := model.Outline(path, 16)
		if err == nil && len(outline) > 20*len(content)+1000 {
			t.Errorf("an outline of %d bytes for %d", len(outline), len(content))
		}
		g, err := model.ReadGraph(path)
		if err != nil {
			if !errors.Is(err, model.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		for _, w := range g.Weights {
			if w.Offset < 0 || w.Length < 0 || w.Offset+w.Length > int64(len(content)) {
				t.Fatalf("%+v lies beyond %d bytes", w, len(content))
			}
		}
	})
}

// message is a field of that number that holds others, all shorter than 128
// bytes together.
func message(number byte, parts ...[]byte) []byte {
	var body []byte
	for _, p := range parts {
		body = append(body, p...)
	}
	return append([]byte{number<<3 | 2, byte(len(body))}, body...)
}
