package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/clients"
)

func (p Program) uninstallCommand(in io.Reader, out, errw io.Writer) *cobra.Command {
	var o place
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Take this memory out of an AI client again",
		Long: `Take the entry of this memory out of an AI client's configuration file. The change
is shown and asked for first; all else in the file stays as it is, and a copy of
the file is kept beside it. A file that was made by ` + "`install`" + ` and has nothing else
in it is removed. The entry of another memory server that this one took the place of
is put back; where that is not possible, as in a TOML file that has changed since, it
is said which copy of the file has it. What is remembered is kept.

Clients: ` + strings.Join(clients.IDs(), ", "),
		Example: `  mcp-memory uninstall claude-code
  mcp-memory uninstall cursor --project --yes`,
		Args: someArguments(1, 1, "one client: "+strings.Join(clients.IDs(), ", ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.report(func(done *placed) error { return o.uninstall(cmd.Context(), args[0], done) })
		},
	}
	o.register(cmd, in, out, errw)
	return cmd
}

func (p *place) uninstall(ctx context.Context, name string, done *placed) error {
	client, path, err := p.find(name)
	if err != nil {
		return err
	}
	done.Client, done.Name, done.File = client.ID, p.name, path
	config, err := client.Open(path)
	if err != nil {
		return err
	}
	there, exists := config.Server(p.name)
	if !exists {
		_, err := fmt.Fprintf(p.out, "%s has no server named %q: %s\n", client.Name, p.name, path)
		p.noteRemaining(client, path)
		return err
	}
	if there.Kind(programPath()) != clients.Ours {
		return fmt.Errorf("%q in %s is not this memory, but another server, %s", p.name, path, whatRuns(there))
	}
	change, err := config.Uninstall(p.name)
	if err != nil {
		return err
	}
	if err := p.apply(ctx, change, done, func() error { return nil }); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.out, "%s no longer has this memory. What is remembered is kept.\n", client.Name); err != nil {
		return err
	}
	p.noteRemaining(client, path)
	return p.former(change.Former, done)
}

// former tells what becomes of the servers that this one took the place of.
func (p *place) former(f clients.Former, done *placed) (err error) {
	if len(f.Entries) == 0 {
		return nil
	}
	quoted, entries := make([]string, len(f.Entries)), make([]string, len(f.Entries))
	for i, e := range f.Entries {
		entries[i] = e.String()
		quoted[i] = strconv.Quote(entries[i])
	}
	who, is, knows := "The memory server that was there before, "+quoted[0]+",", "is", "It does"
	if len(quoted) > 1 {
		who, is, knows = "The memory servers that were there before, "+strings.Join(quoted, " and ")+",", "are", "They do"
	}
	if f.Back {
		done.PutBack = entries
		_, err = fmt.Fprintf(p.out, "%s %s back. %s not know what was remembered since: `mcp-memory export` writes that out.\n", who, is, knows)
		return err
	}
	done.Former = f.Copy
	_, err = fmt.Fprintf(p.out, "%s %s not put back, since the file has changed otherwise. What was in it then is in %s\n", who, is, f.Copy)
	return err
}
