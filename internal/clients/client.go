package clients

import (
	"slices"
	"strings"
)

// Client is a program that starts MCP servers.
type Client struct {
	ID   string // how it is named on the command line
	Name string // how it is named to people

	project string                // its file in a project, or ""
	file    func(System) string   // its file for one user
	traces  func(System) []string // what is there when it is installed
	program string                // its name on the PATH, or ""
	layout  layout
}

// All lists the clients.
var All = []Client{
	{
		ID: "claude-code", Name: "Claude Code", project: ".mcp.json", program: "claude",
		file: func(s System) string {
			if folder := s.Env("CLAUDE_CONFIG_DIR"); folder != "" {
				return s.join(folder, ".claude.json")
			}
			return s.home(".claude.json")
		},
		traces: func(s System) []string { return []string{s.folder("CLAUDE_CONFIG_DIR", ".claude")} },
		layout: layout{keys: fixed("mcpServers"), folders: "projects", entry: typedEntry, plain: true},
	},
	{
		ID: "claude-desktop", Name: "Claude Desktop",
		file:   func(s System) string { return s.join(claudeDesktop(s), "claude_desktop_config.json") },
		traces: func(s System) []string { return []string{claudeDesktop(s)} },
		layout: layout{keys: fixed("mcpServers"), entry: plainEntry, plain: true, noBOM: true},
	},
	{
		ID: "cursor", Name: "Cursor", project: ".cursor/mcp.json", program: "cursor",
		file:   func(s System) string { return s.home(".cursor/mcp.json") },
		traces: func(s System) []string { return []string{s.home(".cursor")} },
		layout: layout{keys: fixed("mcpServers"), entry: plainEntry},
	},
	{
		ID: "vscode", Name: "VS Code", project: ".vscode/mcp.json", program: "code",
		file:   func(s System) string { return s.join(s.roaming(), "Code/User/mcp.json") },
		traces: func(s System) []string { return []string{s.join(s.roaming(), "Code")} },
		layout: layout{keys: vscodeKeys, entry: typedEntry},
	},
	{
		ID: "opencode", Name: "OpenCode", project: "opencode.json", program: "opencode",
		file: func(s System) string {
			return s.first(s.join(s.xdg(), "opencode/opencode.jsonc"), s.join(s.xdg(), "opencode/opencode.json"))
		},
		// The folder of its settings is no trace: the memory itself lies there.
		traces: func(s System) []string {
			return []string{s.join(s.folder("XDG_DATA_HOME", ".local/share"), "opencode"), s.home(".opencode")}
		},
		layout: layout{keys: opencodeKeys, entry: opencodeEntry},
	},
	{
		ID: "zed", Name: "Zed", program: "zed",
		file:   func(s System) string { return s.join(zed(s), "settings.json") },
		traces: func(s System) []string { return []string{zed(s)} },
		layout: layout{keys: fixed("context_servers"), entry: plainEntry},
	},
	{
		ID: "windsurf", Name: "Windsurf", program: "windsurf",
		file:   func(s System) string { return s.home(".codeium/windsurf/mcp_config.json") },
		traces: func(s System) []string { return []string{s.home(".codeium/windsurf")} },
		layout: layout{keys: fixed("mcpServers"), entry: plainEntry},
	},
	{
		ID: "codex", Name: "Codex CLI", project: ".codex/config.toml", program: "codex",
		file:   func(s System) string { return s.join(s.folder("CODEX_HOME", ".codex"), "config.toml") },
		traces: func(s System) []string { return []string{s.folder("CODEX_HOME", ".codex")} },
		layout: layout{toml: true, keys: fixed("mcp_servers")},
	},
	{
		ID: "gemini", Name: "Gemini CLI", project: ".gemini/settings.json", program: "gemini",
		file:   func(s System) string { return s.home(".gemini/settings.json") },
		traces: func(s System) []string { return []string{s.home(".gemini")} },
		layout: layout{keys: fixed("mcpServers"), entry: plainEntry},
	},
}

// Find returns the client of a name, however it is written: "Claude Code",
// "claude-code" and "claudecode" are one.
func Find(name string) (Client, bool) {
	squeeze := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	wanted := squeeze(name)
	for _, c := range All {
		if wanted == squeeze(c.ID) || wanted == squeeze(c.Name) {
			return c, true
		}
	}
	return Client{}, false
}

// IDs lists the names of the clients.
func IDs() []string {
	ids := make([]string, len(All))
	for i, c := range All {
		ids[i] = c.ID
	}
	return ids
}

// File is the configuration file that the client reads for its user.
func (c Client) File(s System) string {
	file := c.file(s)
	// Older versions of VS Code keep servers in their settings, newer ones move
	// them into mcp.json when they start.
	if c.ID == "vscode" && !s.Exists(file) {
		settings := s.join(s.roaming(), "Code/User/settings.json")
		if old, err := c.Open(settings); err == nil && len(old.Servers()) > 0 {
			return settings
		}
	}
	return file
}

// ProjectFile is the configuration file in a project's folder, if the client
// reads one.
func (c Client) ProjectFile(s System, folder string) (string, bool) {
	if c.project == "" {
		return "", false
	}
	if c.ID == "opencode" {
		return s.first(s.join(folder, "opencode.jsonc"), s.join(folder, c.project)), true
	}
	return s.join(folder, c.project), true
}

// Found says whether the client seems to be installed.
func (c Client) Found(s System) bool {
	return slices.ContainsFunc(append(c.traces(s), c.file(s)), s.Exists) || c.program != "" && s.OnPath(c.program)
}

// claudeDesktop is the folder of Claude Desktop. As a Windows package it
// doesn't see the usual one, but one of its own.
func claudeDesktop(s System) string {
	usual := s.join(s.roaming(), "Claude")
	if s.OS != "windows" {
		return usual
	}
	packages := s.join(s.local(), "Packages")
	var packaged []string
	for _, name := range s.List(packages) {
		if strings.HasPrefix(name, "Claude_") {
			folder := s.join(packages, name, "LocalCache/Roaming/Claude")
			if s.Exists(s.join(folder, "claude_desktop_config.json")) {
				return folder
			}
			packaged = append(packaged, folder)
		}
	}
	if len(packaged) > 0 {
		return packaged[0]
	}
	return usual
}

func zed(s System) string {
	switch s.OS {
	case "windows":
		return s.join(s.roaming(), "Zed")
	case "darwin":
		return s.home(".config/zed")
	}
	if folder := s.Env("FLATPAK_XDG_CONFIG_HOME"); folder != "" {
		return s.join(folder, "zed")
	}
	return s.join(s.xdg(), "zed")
}
