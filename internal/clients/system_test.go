package clients_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/clients"
)

// machine is a system of another kind than this one, with some files.
func machine(os, home string, env map[string]string, files ...string) clients.System {
	slashed := func(s string) string { return strings.ReplaceAll(s, `\`, "/") }
	return clients.System{
		OS: os, Home: home,
		Env: func(name string) string { return env[name] },
		Exists: func(wanted string) bool {
			return slices.ContainsFunc(files, func(file string) bool {
				return slashed(file) == slashed(wanted) || strings.HasPrefix(slashed(file), slashed(wanted)+"/")
			})
		},
		List: func(folder string) []string {
			var names []string
			for _, file := range files {
				if rest, ok := strings.CutPrefix(slashed(file), slashed(folder)+"/"); ok {
					names = append(names, strings.Split(rest, "/")[0])
				}
			}
			return names
		},
		OnPath: func(program string) bool { return slices.Contains(files, "PATH/"+program) },
	}
}

func TestFiles(t *testing.T) {
	const winHome = `C:\Users\Ana`
	for name, c := range map[string]struct {
		system clients.System
		want   map[string]string
	}{
		"Linux": {machine("linux", "/home/ana", nil), map[string]string{
			"claude-code":    "/home/ana/.claude.json",
			"claude-desktop": "/home/ana/.config/Claude/claude_desktop_config.json",
			"cursor":         "/home/ana/.cursor/mcp.json",
			"vscode":         "/home/ana/.config/Code/User/mcp.json",
			"opencode":       "/home/ana/.config/opencode/opencode.json",
			"zed":            "/home/ana/.config/zed/settings.json",
			"windsurf":       "/home/ana/.codeium/windsurf/mcp_config.json",
			"codex":          "/home/ana/.codex/config.toml",
			"gemini":         "/home/ana/.gemini/settings.json",
		}},
		"Linux with folders of its own": {machine("linux", "/home/ana", map[string]string{
			"XDG_CONFIG_HOME": "/cfg", "CLAUDE_CONFIG_DIR": "/claude", "CODEX_HOME": "/codex",
		}, "/cfg/opencode/opencode.jsonc"), map[string]string{
			"claude-code":    "/claude/.claude.json",
			"claude-desktop": "/cfg/Claude/claude_desktop_config.json",
			"vscode":         "/cfg/Code/User/mcp.json",
			"opencode":       "/cfg/opencode/opencode.jsonc",
			"zed":            "/cfg/zed/settings.json",
			"codex":          "/codex/config.toml",
		}},
		"macOS": {machine("darwin", "/Users/ana", nil), map[string]string{
			"claude-code":    "/Users/ana/.claude.json",
			"claude-desktop": "/Users/ana/Library/Application Support/Claude/claude_desktop_config.json",
			"vscode":         "/Users/ana/Library/Application Support/Code/User/mcp.json",
			"opencode":       "/Users/ana/.config/opencode/opencode.json",
			"zed":            "/Users/ana/.config/zed/settings.json",
		}},
		"Windows": {machine("windows", winHome, map[string]string{"APPDATA": `D:\Roaming`}), map[string]string{
			"claude-code":    winHome + `\.claude.json`,
			"claude-desktop": `D:\Roaming\Claude\claude_desktop_config.json`,
			"cursor":         winHome + `\.cursor\mcp.json`,
			"vscode":         `D:\Roaming\Code\User\mcp.json`,
			"opencode":       winHome + `\.config\opencode\opencode.json`,
			"zed":            `D:\Roaming\Zed\settings.json`,
			"windsurf":       winHome + `\.codeium\windsurf\mcp_config.json`,
			"codex":          winHome + `\.codex\config.toml`,
			"gemini":         winHome + `\.gemini\settings.json`,
		}},
		"Windows packages": {machine("windows", winHome, nil,
			winHome+`\AppData\Local\Packages\Claude_old\x`,
			winHome+`\AppData\Local\Packages\Claude_pzs8\LocalCache\Roaming\Claude\claude_desktop_config.json`), map[string]string{
			"claude-desktop": winHome + `\AppData\Local\Packages\Claude_pzs8\LocalCache\Roaming\Claude\claude_desktop_config.json`,
			"vscode":         winHome + `\AppData\Roaming\Code\User\mcp.json`,
		}},
		"a Windows package without a file": {machine("windows", winHome, nil, winHome+`\AppData\Local\Packages\Claude_pzs8\x`), map[string]string{
			"claude-desktop": winHome + `\AppData\Local\Packages\Claude_pzs8\LocalCache\Roaming\Claude\claude_desktop_config.json`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for id := range c.want {
				got[id] = clientOf(t, id).File(c.system)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProjectFiles(t *testing.T) {
	got := map[string]string{}
	for _, client := range clients.All {
		if file, ok := client.ProjectFile(machine("linux", "/h", nil), "/p"); ok {
			got[client.ID] = file
		}
	}
	want := map[string]string{
		"claude-code": "/p/.mcp.json", "cursor": "/p/.cursor/mcp.json", "vscode": "/p/.vscode/mcp.json",
		"opencode": "/p/opencode.json", "codex": "/p/.codex/config.toml", "gemini": "/p/.gemini/settings.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Before version 1.102, VS Code kept servers in its settings. It moves them by
// itself, so mcp.json is the place as soon as it is there.
func TestOldVSCode(t *testing.T) {
	home := t.TempDir()
	settings, mcp := path.Join(home, ".config/Code/User/settings.json"), path.Join(home, ".config/Code/User/mcp.json")
	writeFile(t, settings, `{"mcp": {"servers": {"files": {"command": "files"}}}}`)
	vscode := clientOf(t, "vscode")
	if got := vscode.File(machine("linux", home, nil)); got != settings {
		t.Errorf("with servers in the settings: %s", got)
	}
	if got := vscode.File(machine("linux", home, nil, mcp)); got != mcp {
		t.Errorf("with mcp.json: %s", got)
	}
	writeFile(t, settings, `{"mcp": {"servers": {}}}`)
	if got := vscode.File(machine("linux", home, nil)); got != mcp {
		t.Errorf("without servers: %s", got)
	}
}

func TestFound(t *testing.T) {
	for _, c := range []struct {
		client, there string
		want          bool
	}{
		{"claude-code", "/h/.claude.json", true},
		{"claude-code", "/h/.claude/settings.json", true},
		{"claude-code", "PATH/claude", true},
		{"claude-code", "/h/.config/Claude/x", false},
		{"claude-desktop", "/h/.config/Claude/x", true},
		{"opencode", "/h/.config/opencode/mcp-memory/memory.db", false}, // the memory itself
		{"opencode", "/h/.config/opencode/opencode.jsonc", true},
		{"opencode", "/h/.local/share/opencode/log", true},
		{"windsurf", "/h/.codeium/config.json", false},
		{"windsurf", "/h/.codeium/windsurf/x", true},
	} {
		if got := clientOf(t, c.client).Found(machine("linux", "/h", nil, c.there)); got != c.want {
			t.Errorf("%s with %s: found is %v", c.client, c.there, got)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "claude-code", "Claude Code": "claude-code", "claudedesktop": "claude-desktop",
		"VS_Code": "vscode", "Codex CLI": "codex", "codex": "codex", "claude": "", "": "",
	} {
		if got, _ := clients.Find(name); got.ID != want {
			t.Errorf("Find(%q) is %q, want %q", name, got.ID, want)
		}
	}
}
