package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Where a memory was moved away under a server, no other server begins a new one: it
// would work with the log of both. The doctor tells of it, too, and what they say helps.
func TestStartWhereAMemoryWasMovedAway(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	server := startServer(t, nil, "--db", db, "--model-dir", t.TempDir())
	fmt.Fprintln(server.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"Horno","observations":["bakes"]}]}}}`)
	if _, err := server.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "moved.db")
	if err := os.Rename(db, moved); err != nil {
		t.Fatal(err)
	}
	refused := func(says string) {
		t.Helper()
		before := names(t, db)
		for _, args := range [][]string{{}, {"add", "B"}, {"list"}, {"doctor", "--fix", "--model-dir", t.TempDir()}} {
			said, err := command(t, append([]string{"--db", db}, args...)...).CombinedOutput()
			if err == nil || !regexp.MustCompile(says).Match(said) {
				t.Errorf("%q: %v, %s; want %q", args, err, said, says)
			}
		}
		if after := names(t, db); after != before {
			t.Errorf("files: %s, were %s", after, before)
		}
	}
	refused(`its file is gone, but a program that had it open still uses its log memory\.db-wal.*\n?.*end all AI clients`)
	if err := server.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.cmd.Wait()
	refused(`its file is gone, but its log memory\.db-wal is still here, with changes that may be nowhere else`)
	if err := os.Rename(db+"-wal", moved+"-wal"); err != nil {
		t.Fatal(err)
	}
	said, err := command(t, "--db", moved, "list").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "Horno") {
		t.Errorf("moved along: %v, %s", err, said)
	}
	if said, err := command(t, "--db", db, "add", "B").CombinedOutput(); err != nil {
		t.Errorf("a new memory: %v, %s", err, said)
	}
}
