//go:build !race

// Processes beside each other: within one, internal/memory tests the same with the race detector.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/sqlite"
)

// reindexAnswer is what `reindex --json` prints.
type reindexAnswer struct {
	Complete, Resumed       bool
	Texts, Passages, Failed int
}

// TestReindexGoesOnAfterAKill beside a server that writes and searches: what was
// computed before the kill is not computed again.
func TestReindexGoesOnAfterAKill(t *testing.T) {
	const notes = 80
	model := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if model == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	db := filepath.Join(t.TempDir(), "memory.db")
	args := []string{"--db", db, "--model-dir", model}
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	var lines strings.Builder
	for i := range notes {
		fmt.Fprintf(&lines, `{"type":"entity","name":"Note %d","entityType":"note","observations":["meeting %d about the budget of week %d"]}`+"\n", i, i, i)
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"import", file}, {"reindex"}} {
		if out, err := command(t, append(args, more...)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", more[0], err, out)
		}
	}

	first := command(t, append(args, "reindex")...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() int { return count(t, db, "SELECT count(*) FROM renewals WHERE part = 'passage'") }
	begun := func() bool { return count(t, db, "SELECT count(*) FROM renewals WHERE part = 'entity'") == notes }
	for !begun() || left() > notes*3/4 {
		if t.Context().Err() != nil {
			t.Fatal("nothing was embedded")
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("it ended before it was killed")
	}
	due := left()
	if due == 0 || due >= notes {
		t.Fatalf("%d of %d passages are left: the kill was not in the midst of it", due, notes)
	}

	server := startServer(t, nil, args...)
	call := func(tool, arguments string) string {
		fmt.Fprintf(server.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments)
		reply, err := server.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	second := command(t, append(args, "reindex", "--json")...)
	out, err := second.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if reply := call("search_semantic", `{"query":"Note 71","limit":1}`); !strings.Contains(reply, `"name":"Note 71"`) || strings.Contains(reply, `"isError":true`) {
		t.Errorf("the server found %s", reply)
	}
	call("create_entities", `{"entities":[{"name":"Lighthouse","entityType":"note","observations":["its lamp is green"]}]}`)
	if reply := call("search_semantic", `{"query":"green lamp","limit":1}`); !strings.Contains(reply, `"name":"Lighthouse"`) {
		t.Errorf("what was just stored is not found: %s", reply)
	}
	var answer reindexAnswer
	if err := json.NewDecoder(out).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Fatal(err)
	}
	// What the server stored meanwhile is embedded by either, or both.
	if !answer.Complete || !answer.Resumed || answer.Texts != 0 || answer.Passages < due || answer.Passages > due+1 {
		t.Errorf("the second run did %+v; %d passages were left to it", answer, due)
	}
	server.in.Close()
	if err := server.cmd.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	report, err := sqlite.Verify(t.Context(), db)
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("afterwards: %+v, %v", report.Findings, err)
	}
}
