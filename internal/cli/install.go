package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/clients"
)

// place is where an entry goes: flags that install and uninstall share.
type place struct {
	name    string
	file    string
	project bool
	yes     bool

	in     *bufio.Reader // nil where there is no one to ask
	out    io.Writer
	errw   io.Writer
	system clients.System
}

func (p *place) register(cmd *cobra.Command, in io.Reader, out, errw io.Writer) {
	flags := cmd.Flags()
	flags.StringVar(&p.name, "name", "memory", "`name` of the entry")
	flags.BoolVar(&p.project, "project", false, "use the client's file of the project in this folder")
	flags.StringVar(&p.file, "file", "", "use this configuration `file`")
	flags.BoolVarP(&p.yes, "yes", "y", false, "do not ask")
	flags.SortFlags = false
	cmd.ValidArgs = clients.IDs()
	p.out, p.errw = out, errw
	if isTerminal(in) {
		p.in = bufio.NewReader(in)
	}
}

// find is the client of a name and its configuration file.
func (p *place) find(name string) (client clients.Client, path string, err error) {
	client, known := clients.Find(name)
	switch {
	case !known:
		return client, "", usageError{fmt.Errorf("unknown client %q; there are %s", name, strings.Join(clients.IDs(), ", "))}
	case p.name == "":
		return client, "", usageError{errors.New("--name is empty")}
	case p.project && p.file != "":
		return client, "", usageError{errors.New("--project and --file exclude each other")}
	}
	if p.system, err = clients.Here(); err != nil {
		return client, "", err
	}
	switch {
	case p.file != "":
		path, err = expand(p.file)
	case p.project:
		folder, err := filepath.Abs(".")
		if err != nil {
			return client, "", fmt.Errorf("finding the project's folder: %w", err)
		}
		if path, known = client.ProjectFile(p.system, folder); !known {
			return client, "", usageError{fmt.Errorf("%s has no configuration file in projects", client.Name)}
		}
	default:
		path = client.File(p.system)
	}
	return client, path, err
}

// ask asks unless that is forbidden, and fails where there is no one to ask.
func (p *place) ask(question, flags string) (bool, error) {
	if p.in == nil {
		return false, usageError{fmt.Errorf("there is no terminal to ask on, and nothing was changed: add %s", flags)}
	}
	return confirm(p.in, p.errw, question)
}

// apply shows a change and makes it, if the user agrees. What has to come
// before it is done in between.
func (p *place) apply(change clients.Change, before func() error) error {
	if _, err := io.WriteString(p.out, printableLines(change.Diff())); err != nil {
		return err
	}
	if !p.yes {
		sure, err := p.ask("Change this file?", "--yes")
		if err != nil {
			return err
		}
		if !sure {
			return errors.New("nothing was changed")
		}
	}
	if err := before(); err != nil {
		return err
	}
	backup, err := change.Apply()
	if err != nil {
		return err
	}
	if backup != "" {
		fmt.Fprintf(p.out, "The file as it was: %s\n", backup)
	}
	return nil
}

// printableLines keeps what is in a file from steering a terminal.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\t")
		for j := range parts {
			parts[j] = printable(parts[j])
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

// installOptions are the flags of `install`.
type installOptions struct {
	place
	print      bool
	asJSON     bool
	takeOver   bool
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
it. The entry starts this program from where it is now, with the database and
model folder of this command. ` + "`uninstall`" + ` takes it out again.

Where the official memory server or this one's Python forerunner is configured,
its memory can be taken over, and its entry with it (--take-over).

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
			switch {
			case o.takeOver && o.noTakeOver:
				return usageError{errors.New("--take-over and --no-take-over exclude each other")}
			case o.asJSON:
				return usageError{errors.New("--json goes with the list of clients only")}
			}
			return o.install(cmd, s, args[0])
		},
	}
	o.register(cmd, in, out, errw)
	flags := cmd.Flags()
	flags.BoolVar(&o.print, "print", false, "only print what would be added")
	flags.BoolVar(&o.takeOver, "take-over", false, "take over memory and entry of another memory server")
	flags.BoolVar(&o.noTakeOver, "no-take-over", false, "leave other memory servers alone")
	flags.BoolVar(&o.asJSON, "json", false, "print the list of clients as JSON")
	return cmd
}

func (o *installOptions) install(cmd *cobra.Command, s *settings, name string) error {
	client, path, err := o.find(name)
	if err != nil {
		return err
	}
	if o.print {
		snippet, err := client.Snippet(path, o.entry(s))
		if err != nil {
			return err
		}
		fmt.Fprintf(o.errw, "To be put into %s:\n", path)
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
	if there, exists := config.Server(o.name); exists && there.Kind(programPath()) != clients.Ours && !old.has(o.name) {
		return fmt.Errorf("%s has another server named %q, which runs %s: give this one another name with --name, or take that one out",
			path, o.name, shellLine(append([]string{there.Command}, there.Args...)))
	}
	change, err := config.Install(o.entry(s), false, old.names...)
	if err != nil {
		return err
	}
	for _, note := range config.Notes() {
		fmt.Fprintf(o.errw, "Note: %s.\n", note)
	}
	if change.Empty() {
		_, err := fmt.Fprintf(o.out, "%s already has this memory: %s\n", client.Name, path)
		return err
	}
	if err := o.apply(change, func() error { return old.load(cmd, s, o.out, o.errw) }); err != nil {
		return err
	}
	if there, _ := config.Server(o.name); there.Off {
		fmt.Fprintf(o.errw, "Note: %q is switched off there.\n", o.name)
	}
	_, err = fmt.Fprintf(o.out, "%s has this memory now. Start it again to use it.\n", client.Name)
	return err
}

// entry is how a client starts this program.
func (o *installOptions) entry(s *settings) clients.Server {
	return clients.Server{Name: o.name, Command: programPath(), Args: s.arguments()}
}

func (p Program) uninstallCommand(in io.Reader, out, errw io.Writer) *cobra.Command {
	var o place
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Take this memory out of an AI client again",
		Long: `Take the entry of this memory out of an AI client's configuration file. The change
is shown and asked for first; all else in the file stays as it is, and a copy of
the file is kept beside it. A file that was made by ` + "`install`" + ` and has nothing else
in it is removed. What is remembered is kept.

Clients: ` + strings.Join(clients.IDs(), ", "),
		Args: someArguments(1, 1, "one client: "+strings.Join(clients.IDs(), ", ")),
		RunE: func(_ *cobra.Command, args []string) error { return o.uninstall(args[0]) },
	}
	o.register(cmd, in, out, errw)
	return cmd
}

func (p *place) uninstall(name string) error {
	client, path, err := p.find(name)
	if err != nil {
		return err
	}
	config, err := client.Open(path)
	if err != nil {
		return err
	}
	there, exists := config.Server(p.name)
	if !exists {
		_, err := fmt.Fprintf(p.out, "%s has no server named %q: %s\n", client.Name, p.name, path)
		return err
	}
	if there.Kind(programPath()) != clients.Ours {
		return fmt.Errorf("%q in %s is not this memory: it runs %s", p.name, path, shellLine(append([]string{there.Command}, there.Args...)))
	}
	change, err := config.Uninstall(p.name)
	if err != nil {
		return err
	}
	if err := p.apply(change, func() error { return nil }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s no longer has this memory. What is remembered is kept.\n", client.Name)
	return err
}
