//go:build !windows && !darwin

package cli

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeOpener makes xdg-open a shell script, and nothing else a program.
func fakeOpener(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
}

const secretURL = "http://127.0.0.1:1/?a=1&b#token=SECRET"

// The browser is told of the address by a file that nobody else can read.
func TestOpenBrowser(t *testing.T) {
	said, errw := io.Pipe()
	t.Setenv("TMPDIR", t.TempDir())
	fakeOpener(t, `echo "$@" >"$0.args"; read -r page <"$1" && exit 3`)
	remove := openBrowser(t.Context(), secretURL, errw)
	line, err := bufio.NewReader(said).ReadString('\n') // it has run
	if err != nil || line != "xdg-open ended with exit status 3: if no page has opened, open the address yourself.\n" {
		t.Errorf("said %q, %v", line, err)
	}
	args, err := os.ReadFile(filepath.Join(os.Getenv("PATH"), "xdg-open.args"))
	path := strings.TrimSpace(string(args))
	if err != nil || strings.Contains(path, "SECRET") || filepath.Ext(path) != ".html" {
		t.Fatalf("started with %q, %v", args, err)
	}
	for name, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): fs.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, not %v", name, info.Mode(), err, mode)
		}
	}
	page, err := os.ReadFile(path)
	if want := `content="0; url=http://127.0.0.1:1/?a=1&amp;b#token=SECRET"`; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("without %s, %v:\n%s", want, err, page)
	}
	remove()
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", filepath.Dir(path), err)
	}
}

// Where no browser can be started, that is said, and nothing is left.
func TestOpenBrowserFails(t *testing.T) {
	for name, c := range map[string]struct{ temp, path, want string }{
		"no program": {t.TempDir(), t.TempDir(), "No browser could be started: open the address yourself.\n"},
		"no folder":  {filepath.Join(t.TempDir(), "none"), t.TempDir(), "Open the address yourself.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", c.temp)
			t.Setenv("PATH", c.path)
			var said strings.Builder
			openBrowser(t.Context(), secretURL, &said)()
			if !strings.HasSuffix(said.String(), c.want) || strings.Contains(said.String(), "SECRET") {
				t.Errorf("said %q, not %q", said.String(), c.want)
			}
			if left, _ := os.ReadDir(c.temp); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}
