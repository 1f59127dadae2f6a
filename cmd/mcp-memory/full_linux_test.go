//go:build !race

// One command after the other: nothing for the race detector.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Where there is no room, each command says for which file, and no more; and it
// leaves nothing behind. A limit of the size of files stands for a full disk.
func TestNoRoom(t *testing.T) {
	folder := t.TempDir()
	db, small := filepath.Join(folder, "memory.db"), filepath.Join(folder, "small.db")
	lines := filepath.Join(folder, "lines.jsonl")
	var large strings.Builder
	for i := range 300 {
		fmt.Fprintf(&large, `{"type":"entity","name":"e%d","entityType":"x","observations":["%s"]}`+"\n", i, strings.Repeat("barcos ", 500))
	}
	few := filepath.Join(folder, "few.jsonl")
	for name, content := range map[string]string{lines: large.String(), few: `{"type":"entity","name":"Faro","entityType":"x","observations":[]}`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"--db", db, "import", lines}, {"--db", small, "import", few}} {
		if said, err := command(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	text := filepath.Join(folder, "text.json")
	backup := filepath.Join(folder, "backup.db")
	if said, err := command(t, "--db", db, "backup", backup).CombinedOutput(); err != nil {
		t.Fatalf("back up: %v: %s", err, said)
	}
	another := filepath.Join(folder, "another.db")
	before := names(t, db)
	for _, c := range []struct {
		name   string
		args   []string
		target string
	}{
		{"export", []string{"--db", db, "export", "--format", "json", "-o", text}, text},
		{"export of lines", []string{"--db", db, "export", "-o", text}, text},
		{"import", []string{"--db", small, "import", lines}, small},
		{"backup", []string{"--db", db, "backup", another}, another},
		{"restore", []string{"--db", small, "restore", "--yes", backup}, small},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := limited(t, 600_000, c.args...)
			want := "mcp-memory: cannot write " + c.target + ": it would be larger than files may be here, by a limit of the system or of ulimit -f: nothing was changed\n"
			if said != want {
				t.Errorf("said %q, want %q", said, want)
			}
			if after := names(t, db); after != before {
				t.Errorf("files: %s, were %s", after, before)
			}
		})
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	export := command(t, "--db", db, "export")
	var said strings.Builder
	export.Stdout, export.Stderr = full, &said
	if err := export.Run(); err == nil || said.String() != "mcp-memory: cannot write standard output: the disk is full: nothing was changed; free some space and try again\n" {
		t.Errorf("export to a full device: %v, %q", err, said.String())
	}
}

// limited runs a command that can make no larger files, which fails, and returns
// what it says.
func limited(t *testing.T, size uint64, args ...string) string {
	t.Helper()
	cmd := command(t, args...)
	var said strings.Builder
	cmd.Stderr = &said
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: usual.Max}); err != nil {
		t.Fatal(err)
	}
	err := cmd.Start()
	if reset := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual); reset != nil {
		t.Fatal(reset)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it did not fail")
	}
	return said.String()
}
