// Command mcp-memory is a memory server for AI agents.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"mcp-memory/internal/cli"
)

// version is set by the linker: -ldflags '-X main.version=v1.2.3'.
var version string

func main() { os.Exit(run()) }

func run() int {
	// A client that goes away must not end the process before its data is safe.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return cli.Program{Version: version}.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
