package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// children are the roles that this test binary plays as another process.
var children = map[string]func(ctx context.Context, path string) error{
	"start":     startAndAdd,
	"interrupt": migrateHalfWay,
	"restore":   restoreHalfWay,
	"hold":      holdOpen,
	"use":       useAs,
	"touch":     touch,
}

func TestMain(m *testing.M) {
	child, ok := children[os.Getenv("MCP_MEMORY_TEST_CHILD")]
	if !ok {
		os.Exit(m.Run())
	}
	if err := child(context.Background(), os.Getenv("MCP_MEMORY_TEST_PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// command makes a process of this binary in a role.
func command(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "MCP_MEMORY_TEST_CHILD="+role, "MCP_MEMORY_TEST_PATH="+path)
	return c
}

func startAndAdd(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	err = db.Update(ctx, func(w memory.Writer) error {
		id, err := w.InsertEntity(ctx, fmt.Sprintf("process %d", os.Getpid()), "Process")
		if err != nil {
			return err
		}
		return w.Reindex(ctx, []int64{id})
	})
	return errors.Join(err, db.Close())
}

func TestSimultaneousStarts(t *testing.T) {
	const processes = 30
	for name, path := range map[string]string{
		"new database": filepath.Join(t.TempDir(), "memory.db"),
		"old database": unpack(t, "first-release"),
	} {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			for range processes {
				group.Go(func() {
					if output, err := command(t, "start", path).CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, output)
					}
				})
			}
			group.Wait()
			equal(t, "entities of processes", query(t, path, "SELECT count(*) FROM entities WHERE entity_type = 'Process'"), []string{"30"})
			equal(t, "migrations applied", query(t, path, "SELECT version_id FROM goose_db_version ORDER BY 1"), []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"})
			if name == "old database" {
				equal(t, "backups", len(backups(t, path)), 1)
			}
			repaired, err := open(t, path).CheckText(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "texts to repair", repaired, 0)
		})
	}
}

// migrateHalfWay adopts half of a database, says so and waits for its end.
func migrateHalfWay(ctx context.Context, path string) error {
	return sqlite.Migrate(ctx, path, func(ctx context.Context, p *goose.Provider) error {
		if _, err := p.UpTo(ctx, 3); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "half")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func TestInterruptedAdoption(t *testing.T) {
	path := unpack(t, "seed")
	before := contents(t, path)
	for range 2 { // an impatient client
		interrupt(t, path)
	}
	if left := backups(t, path); len(left) != 1 {
		t.Errorf("copies after two killed tries: %q, want one", left)
	}
	equal(t, "contents after the kill", contents(t, path), before)
	openAndClose(t, path)
	after := contents(t, path)
	for table, rows := range before {
		if table != "db_metadata" {
			equal(t, table, after[table], rows)
		}
	}
	equal(t, "schema version", query(t, path, "SELECT value FROM db_metadata WHERE key = 'schema_version'"), []string{"8"})
	if kept := backups(t, path); len(kept) != 1 || !strings.Contains(kept[0], ".bak-unversioned-") {
		t.Errorf("copies after the adoption: %q, want one with a name of its own", kept)
	}
}

// interrupt kills a process in the middle of an adoption.
func interrupt(t *testing.T, path string) {
	t.Helper()
	kill(t, command(t, "interrupt", path))
}

// kill starts a process, and kills it when it says that it is half way.
func kill(t *testing.T, child *exec.Cmd) {
	t.Helper()
	startUntil(t, child, "half")
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the other process was not killed")
	}
}

// startUntil starts a process, whose input stays open, and waits for its first
// word.
func startUntil(t *testing.T, child *exec.Cmd, word string) (stdin io.WriteCloser) {
	t.Helper()
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := child.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil || line != word+"\n" {
		t.Fatalf("the other process said %q: %v", line, err)
	}
	return stdin
}

// holdOpen has a database open, and does nothing.
func holdOpen(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "open")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, db.Close())
}

// hold has another process open the database, until release is called.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	child := command(t, "hold", path)
	stdin := startUntil(t, child, "open")
	return func() {
		stdin.Close()
		_ = child.Wait() // it may not like what it has open any more
	}
}

// Of processes that end at the same moment, one is the last.
func TestSimultaneousEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	for range 5 {
		var group sync.WaitGroup
		releases := make([]func(), 6)
		for i := range releases {
			releases[i] = hold(t, path)
		}
		for _, release := range releases {
			group.Go(release)
		}
		group.Wait()
		if files := filesBeside(t, path); len(files) != 1 {
			t.Fatalf("files after all have ended: %q", files)
		}
	}
}
