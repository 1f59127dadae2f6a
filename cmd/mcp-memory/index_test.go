//go:build !race

// One command after the other: nothing for the race detector, which makes them take a minute.

package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outdatedMemory holds so many entities n1x, n2x ... that another program wrote.
func outdatedMemory(t *testing.T, n int) (path string, db *sql.Conn) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.db")
	output(t, "--db", path, "add", "Horno")
	raw, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	if db, err = raw.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, db, fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO entities (name) SELECT 'n' || i || 'x' FROM n", n))
	return path, db
}

func execute(t *testing.T, db *sql.Conn, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestSearchIndexesFirst what servers leave to the background, however much, or says that
// it could not.
func TestSearchIndexesFirst(t *testing.T) {
	path, db := outdatedMemory(t, 2500)
	if got := output(t, "--db", path, "stats"); !strings.Contains(got, "2,500 entities are to be indexed anew: a server that runs does it, and so does `mcp-memory search`\n") {
		t.Errorf("stats: %s", got)
	}
	execute(t, db, "BEGIN IMMEDIATE")
	const incomplete = "Nothing found.\n\nIncomplete: some entities were not looked at, as they could not be indexed just now. Search again in a moment.\n"
	if got := output(t, "--db", path, "search", "--text", "n2100x"); got != incomplete {
		t.Errorf("while another program writes:\n%s", got)
	}
	if got := output(t, "--db", path, "search", "--text", "n2100x", "--json"); !strings.Contains(got, `"incomplete": true`) {
		t.Errorf("while another program writes, as JSON:\n%s", got)
	}
	execute(t, db, "ROLLBACK")
	if got := output(t, "--db", path, "search", "--text", "n2100x"); got != "n2100x Generic, 0 observations\n" {
		t.Errorf("afterwards:\n%s", got)
	}
	if got := output(t, "--db", path, "stats"); strings.Contains(got, "Outdated") {
		t.Errorf("stats afterwards: %s", got)
	}
}

// TestSearchIsInterrupted while it indexes: what is indexed stays.
func TestSearchIsInterrupted(t *testing.T) {
	path, _ := outdatedMemory(t, 20_000)
	cmd := command(t, "--db", path, "search", "--text", "n2100x")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	if line, err := lines.ReadString('\n'); err != nil || line != "indexing: 10 %\n" {
		t.Fatalf("progress: %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.HasSuffix(string(rest), "mcp-memory: interrupted: run it again to go on with indexing\n") {
		t.Errorf("%v: %s", err, rest)
	}
	if left := count(t, path, "SELECT count(*) FROM text_outdated"); left == 0 || left > 18_000 {
		t.Errorf("%d of 20,000 are left", left)
	}
}
