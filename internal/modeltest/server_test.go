package modeltest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// server is a memory on a file, served to a client that waits for each answer.
type server struct {
	db      *sqlite.DB
	service *memory.Service
	log     *bytes.Buffer // warnings and errors
	in      *io.PipeWriter
	out     *bufio.Reader
	ended   chan error
	id      int
}

// start serves the database at path.
func start(t testing.TB, path string, e memory.Embedder) *server {
	t.Helper()
	s := &server{log: new(bytes.Buffer), ended: make(chan error, 1)}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var err error
	if s.db, err = sqlite.Open(context.Background(), path, sqlite.Options{Logger: logger}); err != nil {
		t.Fatal(err)
	}
	s.service = memory.New(s.db, e, memory.Options{Logger: logger})
	s.service.Start(context.Background())
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s.in, s.out = toServer, bufio.NewReaderSize(fromServer, 1<<20)
	m := mcpserver.New("1.2.3", tool.Catalog(s.service), logger)
	go func() {
		s.ended <- m.ServeStdio(context.Background(), in, out)
		out.Close()
		in.Close()
	}()
	return s
}

// close ends the server, after which it has recorded all that it does. before
// is called when only the database is left open.
func (s *server) close(before func(*sqlite.DB) error) error {
	s.in.Close()
	rest, _ := io.ReadAll(s.out)
	err := <-s.ended
	s.service.Close()
	if before != nil {
		err = errors.Join(err, before(s.db))
	}
	err = errors.Join(err, s.db.Close())
	if len(rest) > 0 {
		err = errors.Join(err, fmt.Errorf("wrote what nobody asked for: %q", rest))
	}
	if s.log.Len() > 0 {
		err = errors.Join(err, fmt.Errorf("logged %s", s.log))
	}
	return err
}

// result is the answer to a call of a tool.
type result struct {
	IsError bool
	Content []struct{ Type, Text string }
	Object  json.RawMessage `json:"structuredContent"`
}

// text returns the object that the answer holds twice.
func (r *result) text() (string, error) {
	if len(r.Content) != 1 || r.Content[0].Type != "text" || r.Content[0].Text != string(r.Object) {
		return "", fmt.Errorf("text and structured content differ: %.300q and %.300q", r.Content, r.Object)
	}
	return r.Content[0].Text, nil
}

// call is a call of a tool.
type call struct {
	tool string
	args json.RawMessage
}

// send calls tools, one a line or all in one batch, and returns their answers
// in the same order.
func (s *server) send(calls []call, batch bool) ([]*result, error) {
	first := s.id + 1
	lines := make([]string, len(calls))
	for i, c := range calls {
		s.id++
		lines[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, s.id, c.tool, c.args)
	}
	text := strings.Join(lines, "\n") + "\n"
	if batch {
		text = "[" + strings.Join(lines, ",") + "]\n"
	}
	if _, err := io.WriteString(s.in, text); err != nil {
		return nil, err
	}
	results := make([]*result, len(calls))
	for open := len(calls); open > 0; {
		answers, err := s.receive()
		if err != nil {
			return nil, err
		}
		for _, a := range answers {
			i := a.ID - first
			if i < 0 || i >= len(results) || results[i] != nil || a.Result == nil {
				return nil, fmt.Errorf("an answer to nothing, or no result: %+v", a)
			}
			results[i] = a.Result
			open--
		}
	}
	return results, nil
}

type answer struct {
	ID     int
	Result *result
	Error  *struct{ Message string }
}

// receive returns the answers of the next line.
func (s *server) receive() ([]answer, error) {
	late := time.AfterFunc(time.Minute, func() { s.in.CloseWithError(errors.New("no answer within a minute")) })
	defer late.Stop()
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("reading an answer: %w", err)
	}
	if line[0] == '[' {
		var list []answer
		err = json.Unmarshal(line, &list)
		return list, err
	}
	var one answer
	err = json.Unmarshal(line, &one)
	return []answer{one}, err
}

// encode is how replies are encoded.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// fresh is the content of a database without entities.
var fresh = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "modeltest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "memory.db")
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// freshFile makes a database without entities.
func freshFile(t testing.TB, path string) {
	t.Helper()
	content, err := fresh()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// noModel is an embedder without model files.
type noModel struct{}

func (noModel) Ready() bool                { return false }
func (noModel) Warm()                      {}
func (noModel) Load(context.Context) error { return memory.ErrNoModel }
func (noModel) ModelID() string            { return "" }

func (noModel) Embed(context.Context, memory.Kind, []string) ([][]float32, error) {
	return nil, memory.ErrNoModel
}

func (noModel) CountTokens(context.Context, []string) ([]int, error) { return nil, memory.ErrNoModel }
