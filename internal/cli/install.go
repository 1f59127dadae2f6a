package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/clients"
)

// installOptions are the flags of `install`.
type installOptions struct {
	place
	print      bool
	takeOver   bool
	replace    bool
	noTakeOver bool
}

func (p Program) installCommand(s *settings, in io.Reader, out, errw io.Writer) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install [CLIENT]",
		Short: "Add this memory to an AI client, or list the clients",
		Long: `Add this memory to an AI client's own configuration file, for all its projects or,
with --project, for the one in this folder. The change is shown and asked for
first; all else in the file stays as it is, and a copy of the file is kept beside
it. The entry starts this program from where it is now, with the database, model and
other settings of this command, whether flags or the environment set them; only
--log-level stays out. ` + "`uninstall`" + ` takes it out again.

Where the official memory server or this one's Python forerunner is configured, its
memory can be taken over, and its entry with it (--take-over). If its memory lies where
it can't be read, as in a volume of Docker, or where it lies is not known, its entry is
left as it is, and the exit code is 1; --replace takes its place without its memory. If
some records can't be taken, they are listed, the entry is replaced, and the exit code
is 1. In Claude Code's own file, entries of single folders are taken over likewise, and
taken out, so that these folders use this memory, too. Where a folder or its project has
another server of this name, which counts more there, that is told.

Without a client, list the clients, and which of them have this memory.

Clients: ` + strings.Join(clients.IDs(), ", "),
		Example: `  mcp-memory install
  mcp-memory install claude-code
  mcp-memory install cursor --project
  mcp-memory install vscode --print`,
		Args: someArguments(0, 1, "one client"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			if len(args) == 0 {
				return o.list(cmd, s)
			}
			if o.takeOver && o.noTakeOver || o.replace && (o.takeOver || o.noTakeOver) {
				return usageError{errors.New("--take-over, --replace and --no-take-over exclude each other")}
			}
			return o.report(func(done *placed) error { return o.install(cmd, s, args[0], done) })
		},
	}
	o.register(cmd, in, out, errw)
	flags := cmd.Flags()
	flags.BoolVar(&o.print, "print", false, "only print what would be added, and change nothing")
	flags.BoolVar(&o.takeOver, "take-over", false, "take over memory and entry of another memory server")
	flags.BoolVar(&o.replace, "replace", false, "take the place of another memory server, without its memory")
	flags.BoolVar(&o.noTakeOver, "no-take-over", false, "leave other memory servers alone")
	return cmd
}

func (o *installOptions) install(cmd *cobra.Command, s *settings, name string, done *placed) error {
	client, path, err := o.find(name)
	if err != nil {
		return err
	}
	done.Client, done.Name, done.File = client.ID, o.name, path
	if o.print {
		snippet, err := client.Snippet(path, o.entry(s))
		if err != nil {
			return err
		}
		fmt.Fprintf(o.errw, "To be put into %s:\n", path)
		done.Snippet = string(snippet)
		_, err = o.out.Write(snippet)
		return err
	}
	config, err := client.Open(path)
	if err != nil {
		return err
	}
	if o.file == "" && !o.project && !client.Found(o.system) {
		fmt.Fprintf(o.errw, "%s does not seem to be installed here.\n", client.Name)
	}
	old, err := o.others(cmd, s, config)
	if err != nil {
		return err
	}
	if there, exists := config.Server(o.name); exists && there.Kind(programPath()) != clients.Ours && !old.has(clients.Entry{Name: o.name}) {
		return fmt.Errorf("%s has another server named %q, %s: give this one another name with --name, or take that one out",
			path, o.name, whatRuns(there))
	}
	change, err := config.Install(o.entry(s), false, old.entries...)
	if err != nil {
		return err
	}
	for _, note := range config.Notes() {
		fmt.Fprintf(o.errw, "Note: %s.\n", note)
	}
	for _, other := range otherMemories(config) {
		if other.Folder != "" && !old.has(other.Entry()) {
			fmt.Fprintf(o.errw, "Note: in %s another memory server, %q, goes on to be used: its entry is for that folder alone.\n", other.Folder, other.Name)
		}
	}
	if change.Empty() {
		_, err := fmt.Fprintf(o.out, "%s already has this memory: %s\n", client.Name, path)
		o.notePreferred(config)
		return err
	}
	if err := o.apply(cmd.Context(), change, done, func() error { return old.load(cmd, s, o.out, o.errw) }); err != nil {
		return err
	}
	if there, _ := config.Server(o.name); there.Off {
		fmt.Fprintf(o.errw, "Note: %q is switched off there.\n", o.name)
	}
	done.LeftOut = old.left
	if _, err := fmt.Fprintf(o.out, "%s has this memory now. Start it again to use it.\n", client.Name); err != nil {
		return err
	}
	o.notePreferred(config)
	return old.incomplete(done)
}

// entry is how a client starts this program.
func (o *installOptions) entry(s *settings) clients.Server {
	return clients.Server{Name: o.name, Command: programPath(), Args: s.arguments()}
}

// whatRuns tells what another server is.
func whatRuns(s clients.Server) string {
	if s.Command == "" {
		return "which is no program of this machine"
	}
	return "which runs " + shellLine(append([]string{s.Command}, s.Args...))
}
