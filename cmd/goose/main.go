// Command goose changes the schema of a memory database by hand. The server
// migrates by itself; this is for those who write migrations. The stock tool
// would not do: it has neither vec0 nor the steps that are Go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"

	"github.com/pressly/goose/v3"

	"mcp-memory/internal/paths"
	"mcp-memory/internal/sqlite"
)

const usage = `usage: goose [--db FILE] COMMAND

  up                      apply every migration that is due
  up-to VERSION           apply those up to a version
  down                    undo the last one
  down-to VERSION         undo those after a version; 0 undoes all
  status                  list all and what was applied
  version                 show the version of the schema
  create NAME [sql|go]    start a new one, below --root

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "goose:", err)
		if refused, ok := errors.AsType[*sqlite.OpenError](err); ok && refused.Err != nil {
			fmt.Fprintln(os.Stderr, "goose:", refused.Err) // whoever writes a migration needs to know
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("goose", flag.ContinueOnError)
	flags.SetOutput(stdout)
	flags.Usage = func() {
		fmt.Fprint(stdout, usage)
		flags.PrintDefaults()
	}
	path := flags.String("db", defaultPath(), "database `file`; also MCP_MEMORY_DB")
	root := flags.String("root", ".", "`folder` of the checkout, for create")
	if err := flags.Parse(args); err != nil {
		return err
	}
	command, rest := flags.Arg(0), flags.Args()
	if len(rest) > 0 {
		rest = rest[1:]
	}
	if command == "create" {
		return create(stdout, *root, rest)
	}
	file, err := paths.Expand(*path)
	if err != nil {
		return err
	}
	return change(ctx, stdout, file, command, rest)
}

// change runs a command that needs a database.
func change(ctx context.Context, stdout io.Writer, path, command string, args []string) error {
	var version int64
	if command == "up-to" || command == "down-to" {
		if len(args) != 1 {
			return fmt.Errorf("%s needs a version", command)
		}
		var err error
		if version, err = strconv.ParseInt(args[0], 10, 64); err != nil || version < 0 {
			return fmt.Errorf("%q is no version", args[0])
		}
	} else if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments", command)
	}
	switch command {
	case "up":
		return migrate(ctx, stdout, path, (*goose.Provider).Up)
	case "up-to":
		return migrate(ctx, stdout, path, func(p *goose.Provider, ctx context.Context) ([]*goose.MigrationResult, error) {
			return p.UpTo(ctx, version)
		})
	case "down":
		return migrate(ctx, stdout, path, func(p *goose.Provider, ctx context.Context) ([]*goose.MigrationResult, error) {
			result, err := p.Down(ctx)
			return []*goose.MigrationResult{result}, err
		})
	case "down-to":
		return migrate(ctx, stdout, path, func(p *goose.Provider, ctx context.Context) ([]*goose.MigrationResult, error) {
			return p.DownTo(ctx, version)
		})
	case "status":
		return status(ctx, stdout, path)
	case "version":
		return showVersion(ctx, stdout, path)
	default:
		return fmt.Errorf("unknown command %q; try goose --help", command)
	}
}

// migrate runs a step and tells what it did.
func migrate(
	ctx context.Context, stdout io.Writer, path string,
	step func(*goose.Provider, context.Context) ([]*goose.MigrationResult, error),
) error {
	var results []*goose.MigrationResult
	err := sqlite.Migrate(ctx, path, func(ctx context.Context, p *goose.Provider) error {
		var err error
		results, err = step(p, ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			results, err = nil, nil // nothing left to undo
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		fmt.Fprintln(stdout, r)
	}
	return showVersion(ctx, stdout, path)
}

func status(ctx context.Context, stdout io.Writer, path string) error {
	statuses, err := migrations(ctx, path)
	if err != nil {
		return err
	}
	for _, s := range statuses {
		applied := string(s.State)
		if s.State == goose.StateApplied {
			applied = s.AppliedAt.UTC().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(stdout, "%-20s %s\n", applied, filepath.Base(s.Source.Path))
	}
	return nil
}

func showVersion(ctx context.Context, stdout io.Writer, path string) error {
	statuses, err := migrations(ctx, path)
	if err != nil {
		return err
	}
	var version int64
	for _, s := range statuses {
		if s.State == goose.StateApplied {
			version = s.Source.Version
		}
	}
	fmt.Fprintf(stdout, "schema version %d of %d\n", version, sqlite.LatestVersion())
	return nil
}

// migrations lists the migrations of a database that exists.
func migrations(ctx context.Context, path string) ([]*goose.MigrationStatus, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return sqlite.Migrations(ctx, path)
}

// defaultPath is the database that the server uses.
func defaultPath() string {
	if path := os.Getenv("MCP_MEMORY_DB"); path != "" {
		return path
	}
	return paths.Database
}
