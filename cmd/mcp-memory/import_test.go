//go:build !race

// One command after the other, each killed: nothing for the race detector, which makes them take a minute.

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An import that is killed leaves the memory as it was, or, once all is stored and only
// the index of it is left to do, has happened.
func TestKilledImport(t *testing.T) {
	folder := t.TempDir()
	db := filepath.Join(folder, "memory.db")
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	output(t, "--db", db, "import", file("present.jsonl", `{"type":"entity","name":"Present","entityType":"Note","observations":["stays"]}`))
	before := output(t, "--db", db, "export", "--format", "json")
	large := file("large.json", largeDocument())
	for _, moment := range []string{"reading: 50 %", "importing: 10 %", "importing: 90 %"} {
		killAt(t, moment, "--db", db, "import", large)
		if got := output(t, "--db", db, "export", "--format", "json"); got != before {
			t.Errorf("killed at %q: the memory holds %d bytes, not the %d before", moment, len(got), len(before))
		}
	}
	killAt(t, "indexing: 10 %", "--db", db, "import", large)
	if got := output(t, "--db", db, "export"); strings.Count(got, "\n") != 1+largeEntities {
		t.Errorf("killed while it was indexed, it holds %d records", strings.Count(got, "\n"))
	}
	output(t, "--db", db, "import", large)
	if got := output(t, "--db", db, "export"); strings.Count(got, "\n") != 1+largeEntities {
		t.Errorf("after all, it holds %d records", strings.Count(got, "\n"))
	}
}

const largeEntities = 6_000

// largeDocument has so much in it that progress is shown.
func largeDocument() string {
	var b strings.Builder
	b.WriteString("{\"format\":\"mcp-memory\",\"version\":1,\n\"entities\":[\n")
	for i := range largeEntities {
		if i > 0 {
			b.WriteString(",\n")
		}
		// Blanks make it long, and nothing to index.
		fmt.Fprintf(&b, `{"name":"entity %d",%s"entityType":"Note","observations":[]}`, i, strings.Repeat(" ", 1000))
	}
	b.WriteString("\n]}\n")
	return b.String()
}

// output runs the program, which must succeed.
func output(t *testing.T, args ...string) string {
	t.Helper()
	cmd := command(t, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s", args, err, errs.String())
	}
	return string(out)
}

// killAt runs the program and kills it when it says that it is so far.
func killAt(t *testing.T, moment string, args ...string) {
	t.Helper()
	cmd := command(t, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reached := false
	for lines := bufio.NewScanner(stderr); !reached && lines.Scan(); {
		reached = lines.Text() == moment
	}
	if !reached {
		t.Fatalf("it never was at %q", moment)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatalf("at %q, it was not killed", moment)
	}
}
