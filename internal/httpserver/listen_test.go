package httpserver_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcp-memory/internal/httpserver"
)

func TestListen(t *testing.T) {
	for _, c := range []struct {
		address   string
		withToken bool
		want      string // prefix of the address, or part of the error
		refused   bool
	}{
		{"0", false, "127.0.0.1:", false},
		{":0", false, "127.0.0.1:", false},
		{":0", true, "127.0.0.1:", false},
		{"127.0.0.1:0", false, "127.0.0.1:", false},
		{"localhost:0", false, "127.0.0.1:", false},
		{"0.0.0.0:0", true, "0.0.0.0:", false},
		{"0.0.0.0:0", false, "can be reached by others, so it needs a token", true},
		{"[::]:0", false, "can be reached by others", true},
		{"example.org:0", false, "can be reached by others", true},
		{"192.168.1.2:8080", false, "listen on 127.0.0.1:8080", true},
		{"", false, "is no address", true},
		{"http", false, "is no address", true},
		{"70000", false, "is no address", true},
		{"1:2:3", false, "is no address", true},
		{"http://localhost:1", false, "is no address", true},
	} {
		l, err := httpserver.Listen(t.Context(), c.address, c.withToken)
		if err != nil {
			if !c.refused || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Listen(%q, %v): %v, want %s", c.address, c.withToken, err, c.want)
			}
			continue
		}
		if got := l.Addr().String(); c.refused || !strings.HasPrefix(got, c.want) {
			t.Errorf("Listen(%q, %v) listens on %s, want %s", c.address, c.withToken, got, c.want)
		}
		if url := httpserver.URL(l); !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("the URL of %q is %s", c.address, url)
		}
		l.Close()
	}
}

func TestReadToken(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file("target", secret, 0o600), link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want, refused string }{
		{file("good", secret, 0o600), secret, ""},
		{file("read-only", secret, 0o400), secret, ""},
		{file("line", "\n  "+secret+" \r\n", 0o600), secret, ""},
		{link, secret, ""},
		{file("group", secret, 0o640), "", "chmod 600"},
		{file("others", secret, 0o604), "", "chmod 600"},
		{file("short", "fifteen-letters", 0o600), "", "at least 16"},
		{file("empty", "", 0o600), "", "has 0 characters"},
		{file("two", secret+"\n"+secret, 0o600), "", "without blanks"},
		{file("accents", "contraseña-secreta", 0o600), "", "ASCII"},
		{file("long", strings.Repeat("a", 5000), 0o600), "", "more than a token"},
		{dir, "", "is not a file"},
		{filepath.Join(dir, "nowhere"), "", "no such file"},
	} {
		if runtime.GOOS == "windows" && c.refused == "chmod 600" {
			continue // has no such modes
		}
		got, err := httpserver.ReadToken(c.path)
		if got != c.want || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("ReadToken(%s) = %q, %v; want %q, %q", filepath.Base(c.path), got, err, c.want, c.refused)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error tells the token: %v", err)
		}
	}
}

func TestNewToken(t *testing.T) {
	a, b := httpserver.NewToken(), httpserver.NewToken()
	if a == b || httpserver.CheckToken(a) != nil {
		t.Errorf("new tokens are %q and %q", a, b)
	}
}

func TestCheckHost(t *testing.T) {
	for host, good := range map[string]bool{
		"memory.example.org": true, "Memory.example.org.": true, "localhost": true, "10.1.2.3": true, "[fe80::1]": true, "example.org:8443": true,
		"": false, "*": false, "*.example.org": false, "https://example.org": false, "a b": false, "example.org/path": false,
	} {
		if err := httpserver.CheckHost(host); (err == nil) != good {
			t.Errorf("CheckHost(%q): %v", host, err)
		}
	}
}
