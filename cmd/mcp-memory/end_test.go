package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestEndWhileWriting ends the server in the midst of work: what it has read is
// answered, and stored unless the answer says that there was no time for it.
func TestEndWhileWriting(t *testing.T) {
	const calls = 300
	for name, end := range map[string]func(*process){
		"SIGTERM":      func(p *process) { p.signal(t, syscall.SIGTERM) },
		"end of input": func(p *process) { p.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "memory.db")
			p := startServer(t, nil, "--db", db, "--model-dir", t.TempDir())
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				for i := range calls {
					if name == "end of input" && i == calls/2 {
						end(p)
						return
					}
					_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"e%d","observations":["o"]}]}}}`+"\n", i, i)
					if err != nil {
						return // it has ended
					}
				}
			}()
			answered := map[string]bool{}
			var stored, unknown int
			for {
				line, err := p.out.ReadString('\n')
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				id, rest, _ := strings.Cut(strings.TrimPrefix(line, `{"jsonrpc":"2.0","id":`), ",")
				if answered[id] || !strings.HasPrefix(rest, `"result":{"content":`) {
					t.Errorf("call %s was answered again or wrong: %.200s", id, line)
				}
				answered[id] = true
				switch {
				case !strings.Contains(rest, `"isError":true`), strings.Contains(rest, "this call was carried out"):
					stored++
				case strings.Contains(rest, "it is not known"):
					unknown++
				case !strings.Contains(rest, "nothing of this call was stored"):
					t.Errorf("call %s failed: %.200s", id, rest)
				}
				if len(answered) == 20 && name == "SIGTERM" {
					end(p)
				}
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("exit: %v", err)
			}
			p.in.Close()
			<-sent
			if name == "end of input" && len(answered) != calls/2 {
				t.Errorf("%d of %d calls were answered", len(answered), calls/2)
			}
			if n := count(t, db, "SELECT count(*) FROM entities"); n < stored || n > stored+unknown {
				t.Errorf("%d entities are stored, by the answers %d, and perhaps %d", n, stored, unknown)
			}
		})
	}
}

// process is a server with its pipes.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startServer starts a server whose log goes to log, if that is not nil.
func startServer(t *testing.T, log io.Writer, args ...string) *process {
	t.Helper()
	cmd := command(t, args...)
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{cmd, in, bufio.NewReader(out)}
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
