package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/model"
)

func TestProgressLines(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b)
	p.update(model.Progress{File: "tokenizer.json", Done: 100, Total: 200})
	p.update(model.Progress{File: "tokenizer.json", Done: 200, Total: 200})
	for done := int64(0); done <= 50_000_000; done += 1_000_000 {
		p.update(model.Progress{File: "model.onnx", Done: done, Total: 50_000_000})
		if done == 26_000_000 {
			p.update(model.Progress{Note: "going on"})
		}
	}
	p.end()
	want := `tokenizer.json: 200 B
model.onnx: 5 MB of 50 MB
model.onnx: 10 MB of 50 MB
model.onnx: 15 MB of 50 MB
model.onnx: 20 MB of 50 MB
model.onnx: 25 MB of 50 MB
going on
model.onnx: 30 MB of 50 MB
model.onnx: 35 MB of 50 MB
model.onnx: 40 MB of 50 MB
model.onnx: 45 MB of 50 MB
model.onnx: 50 MB
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestShellLine(t *testing.T) {
	for _, test := range []struct {
		command []string
		want    string
	}{
		{[]string{"/usr/bin/mcp-memory"}, "/usr/bin/mcp-memory"},
		{[]string{"/my apps/mcp-memory", "--db", "it's.db"}, `'/my apps/mcp-memory' --db 'it'\''s.db'`},
		{[]string{"/a", "$HOME"}, `/a '$HOME'`},
	} {
		if got := shellLine(test.command); got != test.want {
			t.Errorf("shellLine(%q) = %s, want %s", test.command, got, test.want)
		}
	}
}
