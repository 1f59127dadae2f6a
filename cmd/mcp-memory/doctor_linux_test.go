package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A doctor works beside a server, tells of it, and sees what it has written; and
// what it has left when it was killed.
func TestDoctorBesideServer(t *testing.T) {
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
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"Horno","observations":["bakes"]}]}}}`)
	replies := bufio.NewReader(out)
	for range 2 {
		if _, err := replies.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	diagnose(t, db,
		fmt.Sprintf(`(?m)^ok +processes +1 other has the database open: .* \(%d\)$`, server.Process.Pid),
		`(?m)^ok +leftovers +none$`,
		`(?m)^ok +data +1 entity in 1 passage$`,
		`Nothing is wrong`)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	before := names(t, db)
	diagnose(t, db,
		`(?m)^ok +processes +no other has the database open$`,
		`(?m)^warn +leftovers +memory\.db-wal holds changes of a server that did not end by itself, or had no room to$`,
		`(?m)^ok +data +1 entity in 1 passage$`,
		`Nothing is wrong`)
	if after := names(t, db); after != before {
		t.Errorf("files beside the database: %s, were %s", after, before)
	}
}

// diagnose runs a doctor who finds nothing wrong, and looks for what it says.
func diagnose(t *testing.T, db string, wanted ...string) {
	t.Helper()
	said, err := command(t, "doctor", "--db", db, "--model-dir", t.TempDir()).CombinedOutput()
	if err != nil {
		t.Errorf("doctor: %v", err)
	}
	for _, want := range wanted {
		if !regexp.MustCompile(want).Match(said) {
			t.Errorf("doctor says nothing like %q:\n%s", want, said)
		}
	}
}

// names lists the files in a database's folder.
func names(t *testing.T, db string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(db))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}
