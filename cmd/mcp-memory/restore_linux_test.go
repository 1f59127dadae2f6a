package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A memory that a server uses is not replaced: restore says who uses it, and what
// to do. That holds for one, too, whose database was moved away.
func TestRestoreBesideServer(t *testing.T) {
	for _, name := range []string{"in its place", "moved away"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			db, backup := filepath.Join(folder, "memory.db"), filepath.Join(folder, "backup.db")
			server := startServer(t, nil, "--db", db, "--model-dir", t.TempDir())
			fmt.Fprintln(server.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"Horno","observations":["bakes"]}]}}}`)
			if _, err := server.out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if said, err := command(t, "--db", db, "backup", backup).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			if name == "moved away" {
				if err := os.Rename(db, db+".old"); err != nil {
					t.Fatal(err)
				}
			}
			before := names(t, db)
			said, err := command(t, "--db", db, "restore", "--yes", backup).CombinedOutput()
			want := fmt.Sprintf(" (%d): nothing was changed. Close the AI clients that use it, as each runs an mcp-memory, and try again\n", server.cmd.Process.Pid)
			if err == nil || !strings.HasPrefix(string(said), "mcp-memory: the memory database "+db+" is in use by ") || !strings.HasSuffix(string(said), want) {
				t.Errorf("restore: %v, %s; want who uses it", err, said)
			}
			if after := names(t, db); after != before {
				t.Errorf("files: %s, were %s", after, before)
			}
			server.in.Close()
			_ = server.cmd.Wait() // it may miss its file
			said, err = command(t, "--db", db, "restore", "--yes", backup).CombinedOutput()
			if err != nil {
				t.Fatalf("when it has ended: %v: %s", err, said)
			}
			_, kept, found := strings.Cut(strings.TrimSpace(string(said)), "is kept as ")
			if _, err := os.Stat(kept); found && err != nil {
				t.Errorf("%s names what is not there: %v", said, err)
			}
		})
	}
}
