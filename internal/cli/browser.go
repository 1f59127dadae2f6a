package cli

import (
	"context"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// openBrowser has the system open an address, and says so if it does not. All users
// of the machine can see what programs are started with, so the browser is given a
// file that only this user can read, and that leads to the address. What it returns
// removes the file.
func openBrowser(ctx context.Context, url string, errw io.Writer) func() {
	path, remove, err := writeRedirect(url)
	if err != nil {
		fmt.Fprintf(errw, "The browser is not started: %s. Open the address yourself.\n", oneLine(err))
		return func() {}
	}
	program := map[string][]string{
		"darwin":  {"open"},
		"windows": {"rundll32", "url.dll,FileProtocolHandler"},
	}[runtime.GOOS]
	if program == nil {
		program = []string{"xdg-open"}
	}
	// The browser goes on when this ends.
	opener := exec.CommandContext(context.WithoutCancel(ctx), program[0], append(program[1:], path)...)
	if err := opener.Start(); err != nil {
		fmt.Fprintln(errw, "No browser could be started: open the address yourself.")
		return remove
	}
	go func() {
		if err := opener.Wait(); err != nil {
			fmt.Fprintf(errw, "%s ended with %s: if no page has opened, open the address yourself.\n", program[0], err)
		}
	}()
	return remove
}

// writeRedirect writes a page that leads to an address, where only this user can
// read it.
func writeRedirect(url string) (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "mcp-memory-") // of this user alone
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for the page that leads there: %w", err)
	}
	remove = func() { _ = os.RemoveAll(folder) }
	path = filepath.Join(folder, "memory.html")
	at := html.EscapeString(url)
	page := `<!doctype html>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=` + at + `">
<title>Memory</title>
<p><a href="` + at + `">Open the memory</a>
`
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		remove()
		return "", nil, fmt.Errorf("writing the page that leads there: %w", err)
	}
	return path, remove, nil
}
