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
	cli.Leave(cli.Program{Version: "v0"}.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) //nolint:forbidigo // as main does
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
