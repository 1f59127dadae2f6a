package main

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The page is where `ui` says, and its data only for who has the token.
func TestUI(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	var log bytes.Buffer
	p := startServer(t, &log, "--db", db, "--model-dir", t.TempDir(), "ui", "--no-open")
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err, log.String())
	}
	url, token, _ := strings.Cut(strings.TrimSpace(line), "/#token=")
	if !strings.HasPrefix(url, "http://127.0.0.1:") || len(token) < 20 {
		t.Fatalf("printed %q", line)
	}
	ask := func(method, path, host, authorization string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(`{"limit":9}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", authorization)
		if host != "" {
			r.Host = host
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	if status, body := ask(http.MethodGet, "/", "", ""); status != http.StatusOK || !strings.Contains(body, "<title>Memory</title>") {
		t.Errorf("the page: %d %.200s", status, body)
	}
	if status, body := ask(http.MethodPost, "/api/most-used", "", "Bearer "+token); status != http.StatusOK || body != `{"nodes":[],"relations":[],"total":0}`+"\n" {
		t.Errorf("with the token: %d %s", status, body)
	}
	for _, authorization := range []string{"", "Bearer wrong"} {
		if status, _ := ask(http.MethodPost, "/api/most-used", "", authorization); status != http.StatusUnauthorized {
			t.Errorf("with %q: %d", authorization, status)
		}
	}
	if status, _ := ask(http.MethodGet, "/", "evil.example", ""); status != http.StatusForbidden {
		t.Errorf("under another name: %d", status)
	}
	p.signal(t, syscall.SIGINT)
	rest, err := io.ReadAll(p.out)
	if err != nil || len(rest) > 0 {
		t.Errorf("also printed %q, %v", rest, err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if strings.Contains(log.String(), token) {
		t.Error("the token is in the log")
	}
}

// The page is for this machine only.
func TestUIAddress(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "nowhere", "127.0.0.1:99999"} {
		cmd := command(t, "--db", filepath.Join(t.TempDir(), "memory.db"), "ui", "--no-open", "--addr", address)
		said, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(said), "mcp-memory: --addr: ") {
			t.Errorf("--addr %s: %v\n%s", address, err, said)
		}
	}
}
