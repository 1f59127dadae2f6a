package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/gen/schemas"
	"mcp-memory/internal/tool"
)

// maxListSize is the length in bytes of a tools/list answer that all clients
// take without complaint.
const maxListSize = 20_000

func TestListIsWhatWasGenerated(t *testing.T) {
	c := serve(t.Context(), t, tool.Catalog(nil))
	c.request("1", "tools/list", "{}")
	lines := c.close()
	if len(lines) != 1 {
		t.Fatalf("%d answers", len(lines))
	}
	if n := len(lines[0]); n > maxListSize {
		t.Errorf("the list of tools has %d bytes, more than %d", n, maxListSize)
	}
	var answer struct {
		Result struct{ Tools []map[string]any }
	}
	if err := json.Unmarshal([]byte(lines[0]), &answer); err != nil {
		t.Fatal(err)
	}
	served := map[string]map[string]any{}
	for _, definition := range answer.Result.Tools {
		served[definition["name"].(string)+".json"] = definition
	}
	if diff := cmp.Diff(generated(t), served); diff != "" {
		t.Errorf("the list differs from gen/schemas (-generated +served):\n%s", diff)
	}
}

// generated reads all definitions by the names of their files.
func generated(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := schemas.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	definitions := map[string]map[string]any{}
	for _, file := range files {
		content, err := schemas.Files.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		var definition map[string]any
		if err := json.NewDecoder(bytes.NewReader(content)).Decode(&definition); err != nil {
			t.Fatalf("%s: %v", file.Name(), err)
		}
		definitions[file.Name()] = definition
	}
	return definitions
}
