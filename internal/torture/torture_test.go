package torture

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/cli"
)

// asServer has this test binary be the server.
const asServer = "MCP_MEMORY_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	os.Exit(cli.Program{Version: "v0"}.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) //nolint:forbidigo // as main does
}

// options are those of a short run against this test binary.
func options(t *testing.T) Options {
	t.Helper()
	folder := t.TempDir()
	// Other users run servers below it, too.
	for _, f := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return Options{
		Program: []string{os.Args[0]}, Env: []string{asServer + "=1"},
		Folder: folder, OldDatabases: filepath.Join("..", "sqlite", "testdata"), Seed: 1, Log: io.Discard,
	}
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many servers")
	}
	rounds := map[string]int{"kills": 10, "upgrades": 3, "imports": 2, "full": 2, "limited": 2}
	for _, part := range PartNames() {
		t.Run(part, func(t *testing.T) {
			o := options(t)
			o.Parts, o.Rounds = []string{part}, max(1, rounds[part]/slowness)
			if part != "meaning" { // eight models are too much for a test
				o.ModelDir = os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
			}
			report, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			var table bytes.Buffer
			if err := report.Print(&table); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(table.String(), part) {
				t.Errorf("the report is\n%s", table.String())
			}
			t.Logf("\n%s", table.String())
		})
	}
}

func TestUnknownPart(t *testing.T) {
	o := options(t)
	o.Parts = []string{"kills", "typo"}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), `"typo"`) {
		t.Errorf("error %v, want one about the part", err)
	}
}

// What the harness is there to find, it finds.
func TestFindings(t *testing.T) {
	for name, tc := range map[string]struct{ damage, finding string }{
		"lost entity":         {"PRAGMA foreign_keys = ON; DELETE FROM entities WHERE id = (SELECT min(id) FROM entities)", "lost: entity"},
		"lost observation":    {"DELETE FROM observations WHERE id = (SELECT max(id) FROM observations)", "has observations"},
		"observation twice":   {"INSERT INTO observations (entity_id, content) SELECT entity_id, content FROM observations LIMIT 1", "has observations"},
		"changed type":        {"UPDATE entities SET entity_type = 'other' WHERE id = (SELECT max(id) FROM entities)", "has type"},
		"lost relation":       {"DELETE FROM relations WHERE id = (SELECT max(id) FROM relations)", "lost: relation"},
		"surplus entity":      {"INSERT INTO entities (name) VALUES ('t/surplus')", "surplus: entity"},
		"orphan":              {"INSERT INTO observations (entity_id, content) VALUES (999999, 'x')", "belongs to no entity"},
		"index out of step":   {"UPDATE entity_text SET folded = 'x'", "entity-text"},
		"nothing of the sort": {"SELECT 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			r := &run{Options: options(t)}
			r.dir, r.noModel = r.Folder, filepath.Join(r.Folder, "no-model")
			w := newWorker(newAuthor("t/", r.random(1)), setup{db: filepath.Join(r.Folder, "memory.db")})
			if err := r.revive(ctx, w); err != nil {
				t.Fatal(err)
			}
			if err := w.write(ctx, 30, 4); err != nil {
				t.Fatal(err)
			}
			if err := w.server.stop(); err != nil {
				t.Fatal(err)
			}
			db, err := open(w.setup.db, "rw")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(ctx, tc.damage); err != nil {
				t.Fatal(err)
			}
			_, err = checkAll(ctx, []*worker{w})
			if (err == nil) != (tc.finding == "") || err != nil && !strings.Contains(err.Error(), tc.finding) {
				t.Errorf("error %v, want one about %q", err, tc.finding)
			}
		})
	}
}

// An operation without an answer may be there, with all before it, or not.
func TestSettleUnanswered(t *testing.T) {
	write := func(name string) operation {
		return operation{apply: func(s state) { s.create(name, nil, nil) }}
	}
	for name, tc := range map[string]struct {
		stored []string
		lost   bool
	}{
		"as acknowledged":   {[]string{"w/a"}, false},
		"one more":          {[]string{"w/a", "w/b"}, false},
		"all":               {[]string{"w/a", "w/b", "w/c"}, false},
		"with a gap":        {[]string{"w/a", "w/c"}, true},
		"less than that":    {nil, true},
		"of another client": {[]string{"w/a", "v/x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(newAuthor("w/", nil), setup{})
			for i, name := range []string{"w/a", "w/b", "w/c"} {
				w.sent = append(w.sent, sentOperation{operation: write(name), acknowledged: i == 0})
			}
			stored := newState()
			for _, name := range tc.stored {
				stored.create(name, nil, nil)
			}
			if err := w.settle(stored); (err != nil) != tc.lost {
				t.Errorf("error %v, want one: %v", err, tc.lost)
			}
		})
	}
}
