package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mcp-memory/internal/clients"
)

// clientState is what is known of one client on this machine.
type clientState struct {
	Client    string   `json:"client"`
	Name      string   `json:"name"`
	Found     bool     `json:"found"`     // it seems to be there
	Installed bool     `json:"installed"` // its file starts this program
	Current   bool     `json:"current"`   // as it would be installed now
	Folders   []string `json:"folders"`   // single ones, among them this one's project, in which it starts this program
	Others    []string `json:"others"`    // entries of other memory servers; NAME (FOLDER) of those for one folder
	File      string   `json:"file"`
	Error     string   `json:"error,omitempty"` // why the file can't be read
}

// list tells of each client whether it is there and has this memory.
func (o *installOptions) list(cmd *cobra.Command, s *settings) error {
	for _, flag := range []string{"project", "file", "name", "print", "take-over", "replace", "no-take-over", "yes"} {
		if cmd.Flags().Changed(flag) {
			return usageError{fmt.Errorf("--%s goes with a client", flag)}
		}
	}
	system, err := clients.Here()
	if err != nil {
		return err
	}
	states := make([]clientState, len(clients.All))
	for i, client := range clients.All {
		states[i] = o.stateOf(client, system, s)
	}
	if o.asJSON {
		return writeJSON(o.out, states)
	}
	return writeClients(o.out, states)
}

func (o *installOptions) stateOf(client clients.Client, system clients.System, s *settings) clientState {
	state := clientState{
		Client: client.ID, Name: client.Name, Found: client.Found(system), File: client.File(system), Folders: []string{}, Others: []string{},
	}
	config, err := client.Open(state.File)
	if err != nil {
		state.Error = oneLine(err)
		return state
	}
	for _, server := range config.Servers() {
		switch server.Kind(programPath()) {
		case clients.Ours:
			wanted := o.entry(s)
			state.Installed = true
			state.Current = state.Current || server.Command == wanted.Command && slices.Equal(server.Args, wanted.Args)
		case clients.Official, clients.Python, clients.Foreign:
		}
	}
	for _, at := range client.Standing(system, here()) {
		if at.Folder != "" && at.Kind(programPath()) == clients.Ours && !slices.Contains(state.Folders, at.Folder) {
			state.Folders = append(state.Folders, at.Folder)
		}
	}
	for _, other := range otherMemories(config) {
		state.Others = append(state.Others, other.Entry().String())
	}
	return state
}

func (s clientState) String() string {
	switch {
	case s.Error != "":
		return "unreadable"
	case s.Current:
		return "installed"
	case s.Installed:
		return "installed, but otherwise"
	case len(s.Others) > 0:
		return "another memory server"
	case len(s.Folders) > 0:
		return "in single folders"
	case s.Found:
		return "not installed"
	}
	return "client not found"
}

func writeClients(out io.Writer, states []clientState) error {
	table := newTable(out)
	table.row("CLIENT", "MEMORY", "FILE")
	for _, s := range states {
		table.row(s.Client, s.String(), s.File)
	}
	if err := table.flush(); err != nil {
		return err
	}
	for _, s := range states {
		if s.Error != "" {
			fmt.Fprintf(out, "\n%s\n", s.Error)
		}
	}
	return nil
}
