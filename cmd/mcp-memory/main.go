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

func main() { cli.Leave(run()) }

func run() int {
	// A client that goes away must not end the process before its data is safe.
	signal.Ignore(syscall.SIGPIPE)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, func() {
		// A terminal that closes sends its signal twice, by the shell and by the system.
		signal.Ignore(syscall.SIGHUP)
		stop() // any other second signal ends the process at once
	})
	return cli.Program{Version: version}.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
