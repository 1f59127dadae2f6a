package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"golang.org/x/term"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

const (
	// closeTimeout bounds the wait for background work at the end. Native code
	// cannot be interrupted, and the end of the process is its end, too.
	closeTimeout = 1200 * time.Millisecond
)

// serve speaks MCP on in and out until in ends or ctx does.
func (p Program) serve(ctx context.Context, s settings, in io.Reader, out, errw io.Writer) error {
	log := s.logger(errw)
	db, err := sqlite.Open(ctx, s.db, sqlite.Options{Logger: log})
	if err != nil {
		if refused, ok := errors.AsType[*sqlite.OpenError](err); ok && refused.Err != nil {
			log.Debug("database not opened", "path", s.db, "error", refused.Err)
		}
		return err
	}
	engine := onnx.New(onnx.Options{ModelDir: s.modelDir, IdleTimeout: s.idleTimeout, Logger: log})
	service := memory.New(db, engine, memory.Options{Logger: log})
	if isTerminal(in) {
		p.welcome(ctx, errw, s)
	}
	// Requests that were read before a signal are still answered.
	service.Start(context.WithoutCancel(ctx))
	err = mcpserver.New(p.version(), tool.Catalog(service), log).ServeStdio(ctx, in, out)
	shutDown(log, service, db, engine)
	return err
}

// shutDown closes in the order of dependence, without waiting for what native
// code still computes.
func shutDown(log *slog.Logger, service *memory.Service, db *sqlite.DB, engine *onnx.Engine) {
	within(log, closeTimeout, "background work", func() error { service.Close(); return nil })
	within(log, closeTimeout, "database", db.Close)
	within(log, closeTimeout/8, "embedding engine", engine.Close)
}

// within waits for closing something, but not forever.
func within(log *slog.Logger, timeout time.Duration, what string, closing func() error) {
	done := make(chan error, 1)
	go func() { done <- closing() }()
	select {
	case err := <-done:
		if err != nil {
			log.Warn("closing failed", "what", what, "error", err)
		}
	case <-time.After(timeout):
		log.Debug("not waiting any longer", "what", what)
	}
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
