package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"mcp-memory/internal/memory"
)

func TestErrorText(t *testing.T) {
	relation := memory.Relation{From: "A", To: "B", Type: "knows"}
	for _, test := range []struct {
		err   error
		want  string
		known bool
	}{
		{&memory.InputError{Path: "entities[2].name", Reason: "must not be empty"}, "entities[2].name: must not be empty", true},
		{&memory.NotFoundError{Name: "Ana"}, "Entity not found: Ana", true},
		{&memory.RelationNotFoundError{Relation: relation}, "Relation not found: A -> B (knows)", true},
		{failures{&memory.NotFoundError{Name: "A"}, &memory.NotFoundError{Name: "B"}, &memory.NotFoundError{Name: "A"}}, "Entity not found: A; Entity not found: B", true},
		{memory.ErrBusy, memory.ErrBusy.Error(), true},
		{fmt.Errorf("UPDATE entities: %w", memory.ErrFull), memory.ErrFull.Error(), true},
		{memory.ErrReadOnly, memory.ErrReadOnly.Error(), true},
		{fmt.Errorf("%w (disk I/O error)", memory.ErrDisk), memory.ErrDisk.Error(), false},
		{memory.ErrCorrupt, memory.ErrCorrupt.Error(), true},
		{memory.ErrNoSource, "source_path is required — provide the path to an Anthropic MCP Memory JSONL file", true},
		{
			fmt.Errorf("model.onnx: %w", memory.ErrNoModel),
			"Embedding model not available. Run 'mcp-memory model download' to download the model first; search_nodes works without it.", true,
		},
		{
			fmt.Errorf("loading: %w", &memory.ModelError{Reason: "the model in /models cannot be used", Err: errors.New("internal text")}),
			"Embedding model not available: the model in /models cannot be used. search_nodes works without it.", true,
		},
		{fmt.Errorf("querying: %w", context.Canceled), "cancelled", true},
		{context.DeadlineExceeded, "cancelled", true},
		{fmt.Errorf("%w (no such table)", memory.ErrUnsound), "the memory database is not as it should be; 'mcp-memory doctor' says what is wrong with it", false},
		{errors.New("SQL logic error: no such table"), "internal error: see the server's log (stderr)", false},
		{fs.ErrPermission, "internal error: see the server's log (stderr)", false},
	} {
		if text, known := ErrorText(fmt.Errorf("calling: %w", test.err)); text != test.want || known != test.known {
			t.Errorf("ErrorText(%v) = %q, %v; want %q, %v", test.err, text, known, test.want, test.known)
		}
	}
}

// People are told of what they can do without the model, not of a tool.
func TestErrorTextForPeople(t *testing.T) {
	damaged := &memory.ModelError{Reason: "the model in /models cannot be used"}
	for _, test := range []struct {
		err             error
		meanwhile, want string
	}{
		{memory.ErrNoModel, "words do", "Embedding model not available. Run 'mcp-memory model download' to download the model first; words do."},
		{memory.ErrNoModel, "", "Embedding model not available. Run 'mcp-memory model download' to download the model first."},
		{damaged, "words do", "Embedding model not available: the model in /models cannot be used. words do."},
		{damaged, "", "Embedding model not available: the model in /models cannot be used."},
		{memory.ErrBusy, "words do", memory.ErrBusy.Error()},
	} {
		if text, known := ErrorTextFor(test.err, test.meanwhile); text != test.want || !known {
			t.Errorf("ErrorTextFor(%v, %q) = %q, %v; want %q", test.err, test.meanwhile, text, known, test.want)
		}
	}
}
