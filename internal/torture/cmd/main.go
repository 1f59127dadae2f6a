// Command cmd runs the torture of package torture: see `make torture`.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/internal/torture"
)

func main() {
	log.SetFlags(0)
	var (
		program  = flag.String("server", "bin/mcp-memory", "the server to torture")
		old      = flag.String("old", "internal/sqlite/testdata", "folder of packed databases of the Python server")
		model    = flag.String("model", os.Getenv("MCP_MEMORY_TEST_MODEL_DIR"), "folder of the embedding model")
		part     = flag.String("part", "all", "what to do, separated by commas: "+strings.Join(torture.PartNames(), ", "))
		seed     = flag.Uint64("seed", 1, "of the work and of the moments of kills")
		duration = flag.Duration("duration", time.Minute, "of all parts together, about")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := torture.Options{ModelDir: *model, OldDatabases: *old, Seed: *seed, Duration: *duration, Log: os.Stderr}
	if *part != "all" && *part != "" {
		o.Parts = strings.Split(*part, ",")
	}
	if err := run(ctx, *program, o, os.Stdout); err != nil {
		stop()
		log.Fatal("torture: ", err)
	}
}

// run prints the figures also when something was found, and then keeps the files.
func run(ctx context.Context, program string, o torture.Options, out io.Writer) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("no server to torture (make build): %w", err)
	}
	o.Program = []string{program}
	if o.Folder, err = os.MkdirTemp("", "torture-"); err != nil {
		return err
	}
	if err := os.Chmod(o.Folder, 0o755); err != nil { // servers also run as another user
		return err
	}
	report, err := torture.Run(ctx, o)
	if err := report.Print(out); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("seed %d: %w\nwhat was found is in %s", o.Seed, err, o.Folder)
	}
	fmt.Fprintf(out, "nothing was lost (seed %d)\n", o.Seed)
	return os.RemoveAll(o.Folder)
}
