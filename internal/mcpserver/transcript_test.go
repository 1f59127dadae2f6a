package mcpserver_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// TestTranscripts plays what a client sends in the files of testdata and
// compares what the server writes. The order of answers is free; "*" in an
// expected message stands for anything, and in a list for the rest of it. Lines
// may have 1,000 bytes.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sections := map[string]string{}
			for _, f := range archive.Files {
				sections[f.Name] = string(f.Data)
			}
			c := serve(t.Context(), t, append(fakes(), others(t)...), mcpserver.WithMaxLine(1000))
			c.send(sections["client"])
			c.send(strings.TrimSuffix(sections["client, no line feed at the end"], "\n"))
			compareMessages(t, sections["server"], c.close())
		})
	}
}

// others are a write and a read that go on until they are cancelled, and the
// real migrate.
func others(t *testing.T) []tool.Tool {
	t.Helper()
	db, err := sqlite.Open(t.Context(), ":memory:", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := memory.New(db, noModel{}, memory.Options{})
	t.Cleanup(func() {
		service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	endless := func(ctx context.Context, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	tools := []tool.Tool{writing("add_observations", endless), reading("search_semantic", endless)}
	for _, real := range tool.Catalog(service) {
		if real.Name == "migrate" {
			tools = append(tools, real)
		}
	}
	return tools
}

// noModel is an embedder without its model.
type noModel struct{ slowEmbedder }

func (noModel) Ready() bool                { return false }
func (noModel) Load(context.Context) error { return memory.ErrNoModel }
func (noModel) ModelID() string            { return "" }

func compareMessages(t *testing.T, expected string, lines []string) {
	t.Helper()
	for want := range strings.Lines(expected) {
		i := slices.IndexFunc(lines, func(got string) bool { return matches(decoded(t, want), decoded(t, got)) })
		if i < 0 {
			t.Errorf("missing:    %s", want)
			continue
		}
		lines = slices.Delete(lines, i, i+1)
	}
	for _, got := range lines {
		t.Errorf("unexpected: %s", got)
	}
}

// decoded keeps numbers as they are written.
func decoded(t *testing.T, line string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return v
}

func matches(want, got any) bool {
	if want == "*" {
		return true
	}
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for key := range want {
			if value, ok := got[key]; !ok || !matches(want[key], value) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok {
			return false
		}
		if len(want) > 0 && want[len(want)-1] == "*" {
			want = want[:len(want)-1]
			got = got[:min(len(got), len(want))]
		}
		return slices.EqualFunc(want, got, matches)
	default:
		return want == got
	}
}
