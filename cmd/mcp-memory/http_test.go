package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestEndWhileWritingOverHTTP as over standard input and output: what is
// answered is stored, and nothing is stored without an answer.
func TestEndWhileWritingOverHTTP(t *testing.T) {
	const clients, enough = 6, 40
	db := filepath.Join(t.TempDir(), "memory.db")
	logOut, logIn := io.Pipe()
	t.Cleanup(func() { logIn.Close() })
	p := startServer(t, logIn, "serve", "--http", "0", "--db", db, "--model-dir", t.TempDir())
	url := servedAt(t, logOut)
	var answered, names atomic.Int64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for {
				status, body, err := createOne(t, url, names.Add(1))
				if err != nil || status == http.StatusServiceUnavailable {
					return // it has ended, or does
				}
				if status != http.StatusOK || !strings.Contains(body, `"structuredContent"`) || strings.Contains(body, `"isError"`) {
					t.Errorf("answered %d %s", status, body)
				}
				if answered.Add(1) == enough {
					p.signal(t, syscall.SIGTERM)
				}
			}
		})
	}
	all.Wait()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if stored := count(t, db, "SELECT count(*) FROM entities"); int64(stored) != answered.Load() || stored < enough {
		t.Errorf("%d entities are stored, %d calls were answered", stored, answered.Load())
	}
}

// createOne creates an entity by the revision of the protocol without sessions.
func createOne(t *testing.T, url string, number int64) (status int, body string, err error) {
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"e%d"}]},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, number, number)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		return 0, "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "create_entities",
	} {
		r.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer w.Body.Close()
	content, err := io.ReadAll(w.Body)
	return w.StatusCode, string(content), err
}

// servedAt returns the address that a server logs, and reads its log on.
func servedAt(t *testing.T, log io.Reader) string {
	t.Helper()
	address := regexp.MustCompile(`url=(http://127\.0\.0\.1:\d+/mcp) `)
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server does not say where it serves: %v", err)
		}
		if found := address.FindStringSubmatch(line); found != nil {
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return found[1]
		}
	}
}
