package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

// TestLogIsSilentAboutTheMemory runs a session in which every text of the user's
// holds a mark, and every kind of call also fails, and looks for the mark in the
// log.
func TestLogIsSilentAboutTheMemory(t *testing.T) {
	const mark = "Quetzalcoatlus"
	folder := t.TempDir()
	db, file := filepath.Join(folder, "memory.db"), filepath.Join(folder, "import.jsonl")
	lines := []string{
		`{"type":"entity","name":"Quetzalcoatlus file","entityType":"Quetzalcoatlus","observations":["Quetzalcoatlus"]}`,
		`{"type":"Quetzalcoatlus"}`,
		`{"type":"relation","from":"Quetzalcoatlus 1","to":"Quetzalcoatlus 2","relationType":"Quetzalcoatlus"}`,
		`Quetzalcoatlus`,
		`{"type":"entity","name":"Quetzalcoatlus`,
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	models := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if models == "" {
		models = t.TempDir()
	}
	var log bytes.Buffer
	p := startServer(t, &log, "--db", db, "--model-dir", models, "--log-level", "info")
	calls := []string{
		`"create_entities","arguments":{"entities":[{"name":"Quetzalcoatlus","entityType":"Quetzalcoatlus","observations":["Quetzalcoatlus flew","Quetzalcoatlus ate"]},{"name":"Quetzalcoatlus B"}]}`,
		`"create_entities","arguments":{"entities":[{"name":"Quetzalcoatlus","observations":[{"Quetzalcoatlus":1}]}]}`,
		`"create_entities","arguments":"Quetzalcoatlus"`,
		`"create_entities","arguments":{"entities":"Quetzalcoatlus"}`,
		`"create_relations","arguments":{"relations":[{"from":"Quetzalcoatlus","to":"Quetzalcoatlus B","relationType":"Quetzalcoatlus"}]}`,
		`"create_relations","arguments":{"relations":[{"from":"Quetzalcoatlus X","to":"Quetzalcoatlus Y","relationType":"Quetzalcoatlus"}]}`,
		`"add_observations","arguments":{"name":"Quetzalcoatlus","observations":["Quetzalcoatlus slept"]}`,
		`"add_observations","arguments":{"name":"Quetzalcoatlus X","observations":["Quetzalcoatlus"]}`,
		`"search_nodes","arguments":{"query":"Quetzalcoatlus"}`,
		`"search_semantic","arguments":{"query":"What did Quetzalcoatlus eat?","entityType":"Quetzalcoatlus"}`,
		`"search_semantic","arguments":{"query":"Quetzalcoatlus","since":"Quetzalcoatlus"}`,
		`"open_nodes","arguments":{"names":["Quetzalcoatlus","Quetzalcoatlus X"]}`,
		`"read_graph","arguments":{"limit":"Quetzalcoatlus"}`,
		`"migrate","arguments":{"source_path":"FILE"}`,
		`"migrate","arguments":{"source_path":"/Quetzalcoatlus/Quetzalcoatlus"}`,
		`"delete_observations","arguments":{"name":"Quetzalcoatlus","observations":["Quetzalcoatlus slept","Quetzalcoatlus X"]}`,
		`"delete_relations","arguments":{"relations":[{"from":"Quetzalcoatlus","to":"Quetzalcoatlus X","relationType":"Quetzalcoatlus"}]}`,
		`"delete_entities","arguments":{"entityNames":["Quetzalcoatlus X","Quetzalcoatlus B"]}`,
		`"Quetzalcoatlus","arguments":{"Quetzalcoatlus":"Quetzalcoatlus"}`,
	}
	ask := func(line string) string {
		t.Helper()
		if _, err := fmt.Fprintln(p.in, strings.ReplaceAll(line, "FILE", file)); err != nil {
			t.Fatal(err)
		}
		reply, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return reply
	}
	all := func() (failed int) {
		t.Helper()
		for i, call := range calls {
			if strings.Contains(ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, i, call)), memory.ErrUnsound.Error()) {
				failed++
			}
		}
		return failed
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Quetzalcoatlus","version":"1"}}}`)
	ask(`Quetzalcoatlus`)
	ask(`{"jsonrpc":"2.0","id":"Quetzalcoatlus","method":"Quetzalcoatlus"}`)
	ask(`["Quetzalcoatlus"]`)
	if n := all(); n != 0 {
		t.Errorf("%d calls found the database unsound", n)
	}
	// Now each call fails for a reason that only the log may tell.
	other, err := sql.Open("sqlite3", db)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, statement := range []string{"DROP TABLE observations", "DROP TABLE entity_text"} {
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if n := all(); n < 5 {
		t.Errorf("%d calls found the database unsound, want many", n)
	}
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if strings.Count(log.String(), "tool failed") < 5 {
		t.Errorf("the failures are not in the log:\n%s", log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(strings.ToLower(line), strings.ToLower(mark)) {
			t.Errorf("the log tells what users store: %s", line)
		}
	}
}
