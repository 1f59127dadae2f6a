package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/prompt"
)

// getPrompt answers with the prompt that was asked for, whatever mcp-go takes it for.
func (s *Server) getPrompt(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return own(ctx, s, func(params map[string]json.RawMessage) (*mcp.GetPromptResult, error) {
		name, err := field(params, "name")
		if err != nil {
			return nil, err
		}
		p, err := s.offer.prompt("name", name)
		if err != nil {
			return nil, err
		}
		text, err := p.Text(ctx, params["arguments"])
		if err != nil {
			return nil, err
		}
		message := mcp.PromptMessage{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}
		return &mcp.GetPromptResult{Description: p.Description, Messages: []mcp.PromptMessage{message}}, nil
	})
}

// prompt returns the prompt of a name, which a parameter has.
func (o *offer) prompt(parameter, name string) (prompt.Prompt, error) {
	i := slices.IndexFunc(o.prompts, func(p prompt.Prompt) bool { return p.Name == name })
	if i >= 0 {
		return o.prompts[i], nil
	}
	var known []string
	for _, p := range o.prompts {
		known = append(known, p.Name)
	}
	return prompt.Prompt{}, refuse(mcp.INVALID_PARAMS, "%s: must be one of %s", parameter, strings.Join(known, ", "))
}
