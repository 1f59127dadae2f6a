package clients

import (
	"path/filepath"
)

// Standing is a server as it stands in one of the files that a client reads.
type Standing struct {
	Server         // its Folder is also set for that of a project
	File    string // where it stands
	Project bool   // the file is that of the project in its folder
}

// Standing lists the servers that the client starts in a folder, those first that count
// more there, and last those for other folders alone. Files that can't be read are left out.
func (c Client) Standing(s System, folder string) []Standing {
	user := c.File(s)
	var here, all, elsewhere []Standing
	if config, err := c.Open(user); err == nil {
		for _, server := range config.Local() {
			if slashed(server.Folder) == slashed(repository(s, folder)) {
				here = append(here, Standing{Server: server, File: user})
			} else {
				elsewhere = append(elsewhere, Standing{Server: server, File: user})
			}
		}
		for _, server := range config.Servers() {
			all = append(all, Standing{Server: server, File: user})
		}
	}
	return append(append(append(here, c.ofProjects(s, folder, user)...), all...), elsewhere...)
}

// ofProjects lists the servers of the project's file in a folder. Claude Code reads those
// of the folders above, too.
func (c Client) ofProjects(s System, folder, user string) (servers []Standing) {
	for {
		file, reads := c.ProjectFile(s, folder)
		if config, err := c.Open(file); reads && file != user && err == nil {
			for _, server := range config.Servers() {
				server.Folder = folder
				servers = append(servers, Standing{Server: server, File: file, Project: true})
			}
		}
		above := filepath.Dir(folder)
		if c.ID != "claude-code" || above == folder {
			return servers
		}
		folder = above
	}
}

// Preferred lists the servers that the client starts in some folder rather than the one
// of a name in this file, and that start something else: in the given folder, and, where
// the file is for all of them, in others. VS Code starts both.
func (c *Config) Preferred(s System, folder, name string) []Standing {
	var preferred []Standing
	var decided, own bool
	var this Server
	if c.Client.ID == "vscode" {
		return nil
	}
	for _, at := range c.Client.Standing(s, folder) {
		if at.Name != name {
			continue
		}
		switch {
		case at.File == c.Path && (at.Project || at.Folder == ""):
			own, this = true, at.Server
			if at.Project {
				return differing(preferred, this)
			}
		case !own && !decided, own && !at.Project:
			preferred = append(preferred, at)
			decided = true
		}
	}
	if !own {
		return nil // a file that the client doesn't read here
	}
	return differing(preferred, this)
}

// differing leaves those that start something else.
func differing(all []Standing, than Server) (others []Standing) {
	for _, at := range all {
		if !at.same(than) {
			others = append(others, at)
		}
	}
	return others
}

// repository is the root of the repository that a folder is in, for which Claude Code keeps
// settings, or the folder.
func repository(s System, folder string) string {
	for at := folder; ; {
		if s.Exists(s.join(at, ".git")) {
			return at
		}
		above := filepath.Dir(at)
		if above == at {
			return folder
		}
		at = above
	}
}

// Removal is the command line that takes the server out, to be run in its folder.
func (at Standing) Removal(client Client) []string {
	if at.Folder != "" && !at.Project {
		return []string{"claude", "mcp", "remove", at.Name, "-s", "local"}
	}
	words := []string{"mcp-memory", "uninstall", client.ID}
	if at.Name != "memory" {
		words = append(words, "--name", at.Name)
	}
	if at.Project {
		words = append(words, "--project")
	}
	return words
}
