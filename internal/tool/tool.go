package tool

import (
	"context"
	"encoding/json"
	"reflect"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool/arguments"
)

// Tool is one tool: its definition and what it does.
type Tool struct {
	Name        string
	Title       string
	Description string

	ReadOnly    bool // changes no memory
	Destructive bool // takes something away
	Idempotent  bool // the same call again changes nothing more

	// MaxResult is the length in characters that a reply may have where that
	// is more than clients show by themselves; 0 elsewhere.
	MaxResult int

	// Everyday says that a memory is of no use without it: clients that show only
	// names until a tool is asked for should show it at once.
	Everyday bool

	Input  reflect.Type // struct; its tags make the input schema
	Output reflect.Type // struct; its tags make the output schema

	// Check says what is wrong with arguments by themselves, as Call would, and does
	// nothing else.
	Check func(args json.RawMessage) error

	// Call runs the tool. It returns a value that marshals to a JSON object, or
	// an error for ErrorText.
	Call func(ctx context.Context, args json.RawMessage) (any, error)
}

// largestResult is the longest reply, in characters, that a client can be
// asked to take.
const largestResult = 500_000

// Catalog lists all tools. A nil service is enough to read their definitions.
func Catalog(s *memory.Service) []Tool {
	return []Tool{
		createEntities(s.CreateEntities),
		createRelations(s.CreateRelations),
		addObservations(s.AddObservations),
		deleteEntities(s.DeleteEntities),
		deleteObservations(s.DeleteObservations),
		deleteRelations(s.DeleteRelations),
		searchNodes(s.SearchNodes),
		openNodes(s.OpenNodes),
		searchSemantic(s.SearchSemantic),
		readGraph(s.ReadGraph),
		migrate(s.Import),
	}
}

// typed completes a tool with what takes In and answers Out.
func typed[In, Out any](t Tool, run func(context.Context, In) (Out, error)) Tool {
	t.Input, t.Output = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	t.Check = func(args json.RawMessage) error {
		_, err := read[In](args)
		return err
	}
	t.Call = func(ctx context.Context, args json.RawMessage) (any, error) {
		in, err := read[In](args)
		if err != nil {
			return nil, err
		}
		out, err := run(ctx, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	return t
}

// read decodes arguments and checks them.
func read[In any](args json.RawMessage) (in In, err error) {
	if err := arguments.Decode(args, &in); err != nil {
		return in, err
	}
	if checked, ok := any(in).(interface{ check() error }); ok {
		err = checked.check()
	}
	return in, err
}
