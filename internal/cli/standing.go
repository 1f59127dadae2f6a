package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"mcp-memory/internal/clients"
)

// here is the folder that clients would be started in, as they name it: without links.
func here() string {
	folder, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator)
	}
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		return resolved
	}
	return folder
}

// notePreferred says where the client starts something else than what was installed.
func (p *place) notePreferred(config *clients.Config) {
	for _, at := range config.Preferred(p.system, here(), p.name) {
		if kind := at.Kind(programPath()); !at.Project && (kind == clients.Official || kind == clients.Python) {
			continue // told of before
		}
		fmt.Fprintf(p.errw, "Note: in %s %s starts another server of the name %q, %s: it stands in %s, %s, and counts more there.\n",
			at.Folder, config.Client.Name, at.Name, whatRuns(at.Server), at.File, scope(at))
		if at.Project {
			fmt.Fprintln(p.errw, "To use this memory there, too, give it a name of its own: add --name to this command.")
			continue
		}
		fmt.Fprintf(p.errw, "To use this memory there, too, run in that folder: %s\n", shellLine(at.Removal(config.Client)))
	}
}

// noteRemaining says where else this memory stands: for this folder, or for another alone.
func (p *place) noteRemaining(client clients.Client, path string) {
	for _, at := range client.Standing(p.system, here()) {
		if at.Name != p.name || at.Kind(programPath()) != clients.Ours || at.File == path && (at.Project || at.Folder == "") {
			continue
		}
		where, in := "", ""
		if at.Folder != "" {
			where, in = " in "+at.Folder, " in that folder"
		}
		fmt.Fprintf(p.errw, "Note: it has this memory%s: %q stands in %s, %s. To take it out, run%s: %s\n",
			where, at.Name, at.File, scope(at), in, shellLine(at.Removal(client)))
	}
}

// scope says for what a server is started.
func scope(at clients.Standing) string {
	switch {
	case at.Project:
		return "for this project"
	case at.Folder != "":
		return "for that folder alone"
	}
	return "for all folders"
}
