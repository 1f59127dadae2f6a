package cli

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"mcp-memory/internal/httpserver"
	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/tool"
	"mcp-memory/internal/web"
)

// uiOptions are the flags of `ui`.
type uiOptions struct {
	address string
	noOpen  bool
}

func (p Program) uiCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var o uiOptions
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Look at the memory and edit it in the browser",
		Long: `Show the memory as a page in the browser: search it, follow its graph, correct
it, with undo. The page is served to this machine only, at an address that holds a
secret of its own each time. It loads nothing from elsewhere.

In a terminal the browser is started, on a file that only you can read and that
leads to the address: so no list of processes shows the secret. A browser that may
not read files, as some sandboxed ones, shows an error: open the printed address.`,
		Example: `  mcp-memory ui
  mcp-memory ui --addr 127.0.0.1:8765 --no-open`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			return p.ui(cmd.Context(), *s, o, out, errw)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.address, "addr", "127.0.0.1:0", "`address` to listen on, of this machine to itself; port 0 is a free one")
	flags.BoolVar(&o.noOpen, "no-open", false, "only print the address")
	flags.SortFlags = false
	return cmd
}

// ui serves the page until ctx is done.
func (p Program) ui(ctx context.Context, s settings, o uiOptions, out, errw io.Writer) error {
	if err := httpserver.CheckAddress(o.address, true); err != nil {
		return usageError{fmt.Errorf("--addr: %w", err)}
	}
	l, err := httpserver.Listen(ctx, o.address, true)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer l.Close()
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return usageError{fmt.Errorf("--addr: %s can be reached by others; the page is for this machine: listen on 127.0.0.1, or serve others with 'mcp-memory serve --http'", o.address)}
	}
	m, err := assemble(ctx, s, makeMemory, errw)
	if err != nil {
		return err
	}
	token := httpserver.NewToken()
	tools := mcpserver.New(p.version(), tool.Catalog(m.service), m.log, mcpserver.WithMemory(m.service))
	server := httpserver.New(tools, m.service, m.log, httpserver.WithToken(token), httpserver.WithPage(web.Handler(m.service, m.log)))
	m.service.Start(context.WithoutCancel(ctx))
	url := httpserver.URL(l) + "/#token=" + token
	opens := !o.noOpen && isTerminal(out)
	fmt.Fprintln(errw, map[bool]string{true: "The browser opens the memory at this address:", false: "Open this address in a browser:"}[opens])
	if _, err = fmt.Fprintln(out, url); err == nil {
		fmt.Fprintln(errw, "Ctrl-C ends it.")
		if opens {
			defer openBrowser(ctx, url, errw)()
		}
		err = server.Serve(ctx, l)
	}
	m.shutDown()
	return err
}
