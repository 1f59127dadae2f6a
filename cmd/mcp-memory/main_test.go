package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // for the sqlite command
	"github.com/rogpeppe/go-internal/testscript"

	"mcp-memory/internal/cli"
	"mcp-memory/internal/model"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcp-memory": main,
		// The same program with a model of a few bytes instead of 490 MB.
		"mcp-memory-tiny": func() {
			cli.Leave(cli.Program{Version: "v1.2.3", Model: &tiny}.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			hub := httptest.NewServer(http.HandlerFunc(serveTiny))
			env.Defer(hub.Close)
			env.Setenv("TINY_HUB", hub.URL)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			for _, name := range []string{"MCP_MEMORY_ONNXRUNTIME", "MCP_MEMORY_TEST_MODEL_DIR"} {
				env.Setenv(name, os.Getenv(name))
			}
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"tinyfiles": tinyFiles,
			"sqlite":    sqliteExec,
			"needmodel": needModel,
		},
	})
}

// withRace are the scripts in which much happens at the same time. The others run
// commands that do one thing each, one after the other: nothing for the race detector,
// which makes them take minutes.
var withRace = []string{"repair", "semantic", "serve", "start_errors"}

func scripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	if !underRace {
		return files
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return !slices.Contains(withRace, strings.TrimSuffix(filepath.Base(file), ".txtar"))
	})
}

// needModel stops a script with a hint where there is no model to test with.
func needModel(ts *testscript.TestScript, _ bool, _ []string) {
	if ts.Getenv("MCP_MEMORY_TEST_MODEL_DIR") == "" {
		ts.Fatalf("this script needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
}

// sqliteExec runs `sqlite FILE SQL`.
func sqliteExec(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(err)
	ts.Check(db.Close())
}

// tinyContent is what the tiny model publishes, by path.
var tinyContent = map[string][]byte{
	"onnx/model.onnx":           bytes.Repeat([]byte("fp32 weights\n"), 1000),
	"onnx/model_quantized.onnx": bytes.Repeat([]byte("int8 weights\n"), 300),
	"tokenizer.json":            []byte(`{"model":"tiny"}`),
	"tokenizer_config.json":     []byte(`{}`),
	"special_tokens_map.json":   []byte(`{}  `),
}

var tinyStandIn = bytes.Repeat([]byte("4-bit weights\n"), 1000)

var tiny = model.Manifest{
	Name:       "tiny",
	Repository: "owner/tiny",
	Variants: []model.Variant{
		{Name: "fp32", File: tinyFile("model.onnx", "onnx/model.onnx")},
		{Name: "int8", File: tinyFile("model.onnx", "onnx/model_quantized.onnx")},
	},
	Companions: []model.File{
		tinyFile("tokenizer.json", "tokenizer.json"),
		tinyFile("tokenizer_config.json", "tokenizer_config.json"),
		tinyFile("special_tokens_map.json", "special_tokens_map.json"),
	},
	StandIns: []model.StandIn{{Variant: "fp32", SHA256: digest(tinyStandIn)}},
}

func tinyFile(name, path string) model.File {
	b := tinyContent[path]
	return model.File{Name: name, Repository: "owner/tiny", Revision: "r1", Path: path, Size: int64(len(b)), SHA256: digest(b)}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// serveTiny answers as the model hub does; /wrong answers with other bytes.
func serveTiny(w http.ResponseWriter, r *http.Request) {
	path, wrong := strings.CutPrefix(r.URL.Path, "/wrong")
	path, ok := strings.CutPrefix(path, "/owner/tiny/resolve/r1/")
	b, exists := tinyContent[path]
	if !ok || !exists {
		http.NotFound(w, r)
		return
	}
	if wrong {
		b = bytes.ToUpper(b)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// tinyFiles runs `tinyfiles FOLDER fp32|int8|stand-in|foreign`.
func tinyFiles(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	weights := map[string][]byte{
		"fp32":     tinyContent["onnx/model.onnx"],
		"int8":     tinyContent["onnx/model_quantized.onnx"],
		"stand-in": tinyStandIn,
		"foreign":  []byte("\x3a\x05\x62\x03\x0a\x01y"), // an ONNX file of a graph with one output
	}[args[1]]
	ts.Check(os.WriteFile(filepath.Join(dir, "model.onnx"), weights, 0o644))
	for _, f := range tiny.Companions {
		ts.Check(os.WriteFile(filepath.Join(dir, f.Name), tinyContent[f.Path], 0o644))
	}
}

// A signal ends the server cleanly, also while its input is open.
func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("this signal is ignored here")
			}
			db := filepath.Join(t.TempDir(), "memory.db")
			server := command(t, "--db", db, "--model-dir", t.TempDir())
			in, err := server.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := server.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
			replies := bufio.NewReader(out)
			if line, err := replies.ReadString('\n'); err != nil || !strings.Contains(line, `"memory"`) {
				t.Fatalf("initialize: %q, %v", line, err)
			}
			if err := server.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if sig == syscall.SIGHUP { // a terminal that closes sends it twice
				_ = server.Process.Signal(sig)
			}
			if rest, err := io.ReadAll(replies); err != nil || len(rest) > 0 {
				t.Errorf("after the signal: %q, %v", rest, err)
			}
			if err := server.Wait(); err != nil {
				t.Errorf("exit: %v", err)
			}
			if _, err := os.Stat(db + "-wal"); err == nil {
				t.Error("a -wal file is left")
			}
		})
	}
}

// Input may end at any moment of the model's being loaded, which native code does.
func TestInputEndsWhileTheModelLoads(t *testing.T) {
	model := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if model == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	const calls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"Horno","entityType":"Bakery","observations":["bakes rye bread"]}]}}}
`
	var servers sync.WaitGroup // at once, so that each is at another point
	for range 16 {
		servers.Go(func() {
			server := command(t, "--db", filepath.Join(t.TempDir(), "memory.db"), "--model-dir", model)
			server.Stdin = strings.NewReader(calls)
			out, err := server.CombinedOutput()
			if err != nil || !strings.Contains(string(out), `"id":2,`) {
				t.Errorf("%v, printed:\n%s", err, out)
			}
		})
	}
	servers.Wait()
}

// A client that goes away without closing our input must not leave a damaged
// file or a running process.
func TestClientGone(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	server := command(t, "--db", db, "--model-dir", t.TempDir())
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	var failed *exec.ExitError
	if err := server.Wait(); !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Errorf("exit: %v, want code 1", err)
	}
	if !strings.Contains(log.String(), "mcp-memory: writing to the client") {
		t.Errorf("stderr %q, want what went wrong", log.String())
	}
	if _, err := os.Stat(db + "-wal"); err == nil {
		t.Error("a -wal file is left")
	}
}

// command is this test's program as mcp-memory.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"mcp-memory"}, args...)
	return cmd
}
