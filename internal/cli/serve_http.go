package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"

	"mcp-memory/internal/httpserver"
	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/tool"
	"mcp-memory/internal/web"
)

// tokenVariable has the token of the server: a flag would show it to all who
// list processes.
const tokenVariable = "MCP_MEMORY_HTTP_TOKEN"

// httpSettings are those of `serve --http`.
type httpSettings struct {
	address   string
	tokenFile string
	hosts     []string
}

func (p Program) serveCommand(s *settings, in io.Reader, out, errw io.Writer) *cobra.Command {
	var h httpSettings
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP on standard input and output (the default), or over HTTP",
		Long: `Serve MCP on standard input and output, as the program does without a command,
or with --http over HTTP to any number of clients, at the path /mcp.

A port alone means 127.0.0.1, where only programs of this machine get in. On
other addresses a token is demanded: a secret that clients send with every
request, in the header "Authorization: Bearer TOKEN". It is read from a file
that only its owner can read, or from the environment (` + tokenVariable + `).
HTTP is not encrypted: put a proxy that speaks HTTPS before addresses that
others can reach.`,
		Example: `  mcp-memory serve --http 8080
  mcp-memory serve --http 0.0.0.0:8080 --http-token-file ~/.config/mcp-token --http-host memory.example.org`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolve(cmd.Flags()); err != nil {
				return err
			}
			if cmd.Flags().Changed("http") {
				return p.serveHTTP(cmd.Context(), *s, h, errw)
			}
			for _, name := range []string{"http-token-file", "http-host"} {
				if cmd.Flags().Changed(name) {
					return usageError{fmt.Errorf("--%s needs --http: it says how to serve over HTTP", name)}
				}
			}
			return p.serve(cmd.Context(), *s, in, out, errw)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&h.address, "http", "", "serve over HTTP at this `address`: 8080, or 127.0.0.1:8080; 0 is a free port")
	flags.StringVar(&h.tokenFile, "http-token-file", "", "`file` with the token that clients must send (or environment: "+tokenVariable+")")
	flags.StringSliceVar(&h.hosts, "http-host", nil, "host `name` by which clients reach the server, besides localhost; may be given several times")
	flags.SortFlags = false
	return cmd
}

// serveHTTP serves MCP over HTTP until ctx is done.
func (p Program) serveHTTP(ctx context.Context, s settings, h httpSettings, errw io.Writer) error {
	token, err := h.token()
	if err != nil {
		return err
	}
	options, err := h.options(token)
	if err != nil {
		return usageError{err}
	}
	if err := httpserver.CheckAddress(h.address, token != ""); err != nil {
		return usageError{fmt.Errorf("--http: %w", err)}
	}
	l, err := httpserver.Listen(ctx, h.address, token != "")
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	defer l.Close()
	m, err := assemble(ctx, s, makeMemory, errw)
	if err != nil {
		return err
	}
	metrics := httpserver.NewMetrics()
	tools := mcpserver.New(p.version(), tool.Catalog(m.service), m.log, mcpserver.WithMemory(m.service), mcpserver.WithObserver(metrics.Call))
	server := httpserver.New(tools, m.service, m.log, append(options, httpserver.WithMetrics(metrics), httpserver.WithPage(web.Handler(m.service, m.log)))...)
	m.log.Info("serving MCP over HTTP", "url", httpserver.URL(l)+"/mcp", "address", l.Addr().String(), "token", tokenNeed(token != ""))
	if isTerminal(errw) {
		p.welcomeHTTP(errw, s, l, token != "")
	}
	// Requests that run at a signal are still answered.
	m.service.Start(context.WithoutCancel(ctx))
	err = server.Serve(ctx, l)
	m.shutDown()
	return err
}

// token returns the secret of the file, or else of the environment; "" for none.
func (h httpSettings) token() (string, error) {
	if h.tokenFile != "" {
		path, err := expand(h.tokenFile)
		if err != nil {
			return "", fmt.Errorf("--http-token-file: %w", err)
		}
		token, err := httpserver.ReadToken(path)
		if err != nil {
			return "", fmt.Errorf("--http-token-file: %w", err)
		}
		return token, nil
	}
	token, given := os.LookupEnv(tokenVariable)
	if !given {
		return "", nil
	}
	if err := httpserver.CheckToken(token); err != nil {
		return "", usageError{fmt.Errorf("%s: %w", tokenVariable, err)}
	}
	return token, nil
}

func (h httpSettings) options(token string) ([]httpserver.Option, error) {
	var options []httpserver.Option
	if token != "" {
		options = append(options, httpserver.WithToken(token))
	}
	for _, host := range h.hosts {
		if err := httpserver.CheckHost(host); err != nil {
			return nil, fmt.Errorf("--http-host: %w", err)
		}
	}
	return append(options, httpserver.WithHosts(h.hosts...)), nil
}

func tokenNeed(needed bool) string {
	if !needed {
		return "not needed: only programs of this machine get in"
	}
	return "needed: Authorization: Bearer TOKEN"
}

// welcomeHTTP tells a person who started the server how to connect a client.
func (p Program) welcomeHTTP(w io.Writer, s settings, l net.Listener, withToken bool) {
	url := httpserver.URL(l) + "/mcp"
	header, entry := "", map[string]any{"type": "http", "url": url}
	if withToken {
		header = ` --header "Authorization: Bearer TOKEN"`
		entry["headers"] = map[string]string{"Authorization": "Bearer TOKEN"}
	}
	fmt.Fprintf(w, `
%s
Long-term memory for AI agents. It speaks MCP over HTTP.

  Memory   %s
  Address  %s
  Token    %s

To add it to a client, paste one of these:

  Claude Code
    claude mcp add --scope user --transport http memory %s%s

  Others (the client's JSON file)
    %s

End with Ctrl-C.

`, p.versionLine(), s.db, url, tokenNeed(withToken), url, header,
		oneLineJSON(map[string]any{"mcpServers": map[string]any{"memory": entry}}))
}
