package mcpserver

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/gen/schemas"
)

// definitionOf reads the generated definition of a tool, which is a part of
// the program: that there is none is a mistake in building it.
func definitionOf(name string) mcp.Tool {
	content, err := schemas.Files.ReadFile(name + ".json")
	if err != nil {
		panic(fmt.Sprintf("mcpserver: tool %s has no generated definition: %v", name, err))
	}
	var d struct {
		Name         string             `json:"name"`
		Title        string             `json:"title"`
		Description  string             `json:"description"`
		InputSchema  json.RawMessage    `json:"inputSchema"`
		OutputSchema json.RawMessage    `json:"outputSchema"`
		Annotations  mcp.ToolAnnotation `json:"annotations"`
		Meta         map[string]any     `json:"_meta"`
	}
	if err := json.Unmarshal(content, &d); err != nil {
		panic(fmt.Sprintf("mcpserver: definition of %s: %v", name, err))
	}
	t := mcp.NewToolWithRawSchema(d.Name, d.Description, d.InputSchema)
	t.Title = d.Title
	t.RawOutputSchema = d.OutputSchema
	t.Annotations = d.Annotations
	if d.Meta != nil {
		t.Meta = mcp.NewMetaFromMap(d.Meta)
	}
	return t
}
