package cli

import (
	"bufio"
	"context"
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
	asJSON  bool

	in     *bufio.Reader // nil where there is no one to ask
	out    io.Writer
	errw   io.Writer
	system clients.System
}

func (p *place) register(cmd *cobra.Command, in io.Reader, out, errw io.Writer) {
	flags := cmd.Flags()
	flags.StringVar(&p.name, "name", "memory", "`name` of the entry")
	flags.BoolVar(&p.project, "project", false, "use the client's file of the project in this folder")
	flags.StringVar(&p.file, "file", "", "use this configuration `file` instead of the usual one")
	flags.BoolVarP(&p.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&p.asJSON, "json", false, "print JSON; what else there is to say goes to standard error")
	flags.SortFlags = false
	cmd.ValidArgs = clients.IDs()
	p.out, p.errw = out, errw
	if isTerminal(in) {
		p.in = bufio.NewReader(in)
	}
}

// placed is what was done to a client's file, as JSON tells it.
type placed struct {
	Client  string   `json:"client"`
	Name    string   `json:"name"` // of the entry
	File    string   `json:"file"`
	Changed bool     `json:"changed"`
	Backup  string   `json:"backup,omitempty"`   // the file as it was
	PutBack []string `json:"put_back,omitempty"` // entries of other servers that are there again; NAME (FOLDER) of those for one folder
	Former  string   `json:"former,omitempty"`   // the copy that has entries which are not
	Snippet string   `json:"snippet,omitempty"`  // what would be put into it
	LeftOut int      `json:"left_out,omitempty"` // records of another memory that could not be taken over
}

// report has do say what it does, and for JSON tells what was done in the end.
func (p *place) report(do func(*placed) error) error {
	var done placed
	if !p.asJSON {
		return do(&done)
	}
	answers := p.out
	p.out = p.errw
	err := do(&done)
	if err != nil && !done.Changed {
		return err
	}
	return errors.Join(writeJSON(answers, done), err)
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
func (p *place) ask(ctx context.Context, question, flags string) (bool, error) {
	if p.in == nil {
		return false, usageError{fmt.Errorf("there is no terminal to ask on, and nothing was changed: add %s", flags)}
	}
	return confirm(ctx, p.in, p.errw, question)
}

// apply shows a change and makes it, if the user agrees. What has to come
// before it is done in between.
func (p *place) apply(ctx context.Context, change clients.Change, done *placed, before func() error) error {
	if _, err := io.WriteString(p.out, printableLines(change.Diff())); err != nil {
		return err
	}
	if !p.yes {
		sure, err := p.ask(ctx, "Change this file?", "--yes")
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
	done.Changed, done.Backup = true, backup
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
