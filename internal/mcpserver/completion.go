package mcpserver

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/resource"
)

// maxCompletions is how many values the protocol lets a completion have.
const maxCompletions = 100

// completer answers completion/complete, whatever mcp-go takes the request for.
type completer struct{ server *Server }

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c completer) CompletePromptArgument(ctx context.Context, _ string, _ mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return own(ctx, c.server, func(params map[string]json.RawMessage) (*mcp.Completion, error) {
		argument := members(params["argument"])
		isName, err := c.server.offer.takesName(members(params["ref"]), text(argument["name"]))
		if err != nil {
			return nil, err
		}
		typed, err := field(argument, "value")
		if err != nil || !utf8.ValidString(typed) {
			return nil, refuse(mcp.INVALID_PARAMS, "argument.value: must be a string")
		}
		if !isName {
			return &mcp.Completion{}, nil
		}
		names, total, err := c.server.offer.resources.Names(ctx, typed, maxCompletions)
		if err != nil {
			return nil, err
		}
		return &mcp.Completion{Values: names, Total: total, HasMore: total > len(names)}, nil
	})
}

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, x mcp.CompleteContext) (*mcp.Completion, error) {
	return c.CompletePromptArgument(ctx, uri, a, x)
}

// takesName reports whether an argument of what ref refers to is the name of an
// entity.
func (o *offer) takesName(ref map[string]json.RawMessage, argument string) (bool, error) {
	switch text(ref["type"]) {
	case "ref/prompt":
		p, err := o.prompt("ref.name", text(ref["name"]))
		if err != nil {
			return false, err
		}
		a, ok := p.Argument(argument)
		if !ok {
			return false, refuse(mcp.INVALID_PARAMS, "argument.name: the prompt %s has no argument %q", p.Name, argument)
		}
		return a.IsEntity, nil
	case "ref/resource":
		switch uri := text(ref["uri"]); {
		case uri == resource.EntityTemplate && argument == "name":
			return true, nil
		case uri == resource.GraphTemplate && (argument == "offset" || argument == "limit"):
			return false, nil
		case uri == resource.EntityTemplate || uri == resource.GraphTemplate:
			return false, refuse(mcp.INVALID_PARAMS, "argument.name: %s has no variable %q", uri, argument)
		}
		return false, refuse(mcp.INVALID_PARAMS, "ref.uri: must be %s or %s", resource.EntityTemplate, resource.GraphTemplate)
	}
	return false, refuse(mcp.INVALID_PARAMS, `ref.type: must be "ref/prompt" or "ref/resource"`)
}
