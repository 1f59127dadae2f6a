//go:build !race

// One call after the other to a server that loads the model four times: what drops it is tested for races in internal/onnx.

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// idleServer is a server that is talked to line by line.
type idleServer struct {
	in            io.Writer
	replies, logs *bufio.Reader
}

// call calls a tool and returns the reply.
func (s idleServer) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments)
	reply, err := s.replies.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// waitFor reads the log until a line says something.
func (s idleServer) waitFor(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := s.logs.ReadString('\n')
		if err != nil {
			t.Fatalf("no %q in the log: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// A model that was dropped comes back when something is read, and a search
// right after it was dropped waits for it.
func TestModelIdle(t *testing.T) {
	dir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if dir == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	server := command(t, "--db", filepath.Join(t.TempDir(), "memory.db"), "--model-dir", dir, "--model-idle", "200ms")
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	logs, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	s := idleServer{in, bufio.NewReader(out), bufio.NewReader(logs)}
	const loaded, dropped = "embedding model loaded", "embedding model dropped"
	found := func() {
		t.Helper()
		reply := s.call(t, "search_semantic", `{"query":"Which system warns ships about bad weather?"}`)
		if !strings.Contains(reply, "Marea") || strings.Contains(reply, `"isError":true`) {
			t.Errorf("found %s", reply)
		}
	}
	s.call(t, "create_entities", `{"entities":[{"name":"Marea","entityType":"Project","observations":["warns ships of a storm"]}]}`)
	found()
	s.waitFor(t, loaded)
	s.waitFor(t, dropped)
	s.call(t, "open_nodes", `{"names":["Marea"]}`)
	s.waitFor(t, loaded)
	s.waitFor(t, dropped)
	found()
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, s.logs); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}
