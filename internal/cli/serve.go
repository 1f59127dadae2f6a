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
	m, err := assemble(ctx, s, makeMemory, errw)
	if err != nil {
		return err
	}
	if isTerminal(in) {
		p.welcome(ctx, errw, s)
	}
	// Requests that were read before a signal are still answered.
	m.service.Start(context.WithoutCancel(ctx))
	err = mcpserver.New(p.version(), tool.Catalog(m.service), m.log, mcpserver.WithMemory(m.service)).ServeStdio(ctx, in, out)
	m.shutDown()
	return err
}

// parts are the memory, put together.
type parts struct {
	log     *slog.Logger
	db      *sqlite.DB
	engine  *onnx.Engine
	service *memory.Service
}

// assemble opens the database and makes a service of it. No background work begins.
func assemble(ctx context.Context, s settings, a absence, errw io.Writer) (parts, error) {
	log := s.logger(errw)
	db, err := sqlite.Open(ctx, s.db, sqlite.Options{Logger: log, Existing: a == findMemory})
	if err != nil {
		if refused, ok := errors.AsType[*sqlite.OpenError](err); ok && refused.Err != nil {
			log.Debug("database not opened", "path", s.db, "error", refused.Err)
		}
		return parts{}, s.orNoMemory(err)
	}
	engine := onnx.New(onnx.Options{ModelDir: s.modelDir, Library: s.library, IdleTimeout: s.idleTimeout, Logger: log})
	return parts{log, db, engine, memory.New(db, engine, memory.Options{Logger: log})}, nil
}

// shutDown closes in the order of dependence, without waiting for what native
// code still computes.
func (p parts) shutDown() {
	within(p.log, closeTimeout, "background work", func() error { p.service.Close(); return nil })
	within(p.log, closeTimeout, "database", p.db.Close)
	within(p.log, closeTimeout/8, "embedding engine", p.engine.Close)
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

// isTerminal reports whether a reader or a writer is one.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
