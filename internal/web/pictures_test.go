//go:build browser && pictures

package web_test

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/internal/onnx"
)

//go:embed testdata/lighthouse.json
var lighthouse string

// TestPictures takes the pictures of the documents, into the folder that
// MCP_MEMORY_PICTURES names: `make pictures`. It needs the model.
func TestPictures(t *testing.T) {
	folder := os.Getenv("MCP_MEMORY_PICTURES")
	if folder == "" {
		t.Fatal("MCP_MEMORY_PICTURES names no folder")
	}
	engine := onnx.New(onnx.Options{ModelDir: os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")})
	t.Cleanup(func() { _ = engine.Close() })
	s := newServer(t, engine)
	s.load(t, lighthouse)
	p := s.page(t)
	p.prefers("light")
	p.screen(1280, 800)
	p.click("#query")
	p.write("why is there no database server?")
	p.wait(`document.querySelector("#summary").innerText.endsWith("by meaning")`)
	p.click("#list li .why summary")
	p.click("#list li > a")
	p.wait(`document.querySelector("#entity h1")`)
	p.eval(`document.querySelector("#results").scrollTop = 0, document.activeElement.blur()`, nil)
	p.mouse("mouseMoved", 640, 790, 0)
	p.picture(filepath.Join(folder, "search.png"))
	p.prefers("dark")
	p.eval(`location.hash = "#/graph"`, nil)
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("22 memories")`)
	p.settled()
	p.eval(`location.hash = "#/graph/Project%20Faro"`, nil)
	p.wait(`document.querySelector("#graph-note").innerText.includes("of 9 neighbours")`)
	p.settled()
	p.eval(`new Promise((resolve) => setTimeout(resolve, 1500))`, nil)
	p.picture(filepath.Join(folder, "graph.png"))
}
