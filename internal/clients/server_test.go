package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/internal/clients"
)

func TestKind(t *testing.T) {
	folder := t.TempDir()
	script, binary := filepath.Join(folder, "venv", "mcp-memory"), filepath.Join(folder, "bin", "mcp-memory")
	writeFile(t, script, "#!/usr/bin/python3\n")
	writeFile(t, binary, "\x7fELF")
	for _, file := range []string{script, binary} {
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		line string
		want clients.Kind
	}{
		{"npx -y @modelcontextprotocol/server-memory", clients.Official},
		{"cmd /c npx -y @modelcontextprotocol/server-memory@2025.4.25", clients.Official},
		{`C:\npm\mcp-server-memory.cmd`, clients.Official},
		{"node /srv/node_modules/@modelcontextprotocol/server-memory/dist/index.js", clients.Official},
		{"node /src/servers/src/memory/dist/index.js", clients.Official},
		{"docker run -i -v claude-memory:/app/dist --rm mcp/memory", clients.Official},
		{"env MEMORY_FILE_PATH=/x npx -y @modelcontextprotocol/server-memory", clients.Official},
		{"env -u A -i uvx mcp-memory", clients.Python},
		{"env A=b " + binary, clients.Foreign},
		{"npx -y @modelcontextprotocol/server-filesystem", clients.Foreign},
		{"npx -y @other/server-memory", clients.Foreign},
		{"uvx mcp-memory", clients.Python},
		{"uvx mcp-memory==2.0.1", clients.Python},
		{"uvx mcp-memory-service", clients.Foreign},
		{"uvx --from git+https://example.com/ana/mcp-memory.git@v2 mcp-memory", clients.Python},
		{"uv --directory /src run mcp-memory", clients.Python},
		{"python3.11 -m mcp_memory", clients.Python},
		{"/venv/bin/python -m mcp_memory.server", clients.Python},
		{"python /src/mcp_memory/server.py", clients.Python},
		{script, clients.Python},
		{binary, clients.Ours},
		{binary + " --db /x", clients.Ours},
		{`C:\tools\mcp-memory.exe`, clients.Ours},
		{"/gone/mcp-memory", clients.Ours},
		{"/this/program", clients.Ours},
		{"echo mcp-memory", clients.Foreign},
		{"files", clients.Foreign},
		{"", clients.Foreign},
	} {
		words := strings.Split(c.line, " ")
		if got := (clients.Server{Command: words[0], Args: words[1:]}).Kind("/this/program"); got != c.want {
			t.Errorf("%s: kind %d, want %d", c.line, got, c.want)
		}
	}
}

// The official server's memory lies where it is told to, or in its package.
func TestOfficialMemory(t *testing.T) {
	home := t.TempDir()
	system, err := clients.Here()
	if err != nil {
		t.Fatal(err)
	}
	system.OS, system.Home = "linux", home
	system.Env = func(string) string { return "" }
	server := func(file string) clients.Server {
		return clients.Server{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-memory"}, Env: map[string]string{"MEMORY_FILE_PATH": file}}
	}
	dist := func(version string) string {
		return filepath.Join(home, ".npm/_npx", version, "node_modules/@modelcontextprotocol/server-memory/dist")
	}
	expect := func(s clients.Server, path, reason string) {
		t.Helper()
		got := s.Memory(system, clients.Official)
		if got.Path != path || !strings.Contains(got.Reason, reason) || (got.Reason == "") != (path != "") {
			t.Errorf("%v: %+v; want %q, %q", s, got, path, reason)
		}
	}
	expect(server(""), "", "it has stored nothing yet, or in another place than "+home+"/.npm/_npx")
	expect(server("~/notes.jsonl"), "", "it has stored nothing yet in "+home+"/notes.jsonl")

	notes := filepath.Join(home, "notes.jsonl")
	writeFile(t, notes, "")
	for _, form := range []string{"~/notes.jsonl", "$HOME/notes.jsonl", "${HOME}/notes.jsonl", "${env:HOME}/notes.jsonl", "{env:HOME}/notes.jsonl", "${userHome}/notes.jsonl", notes} {
		expect(server(form), notes, "")
	}
	expect(server("${workspaceFolder}/notes.jsonl"), "", "which only the client can resolve")

	older, newer := filepath.Join(dist("a"), "memory.json"), filepath.Join(dist("b"), "memory.jsonl")
	writeFile(t, older, "")
	writeFile(t, newer, "")
	past := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(older, past, past); err != nil {
		t.Fatal(err)
	}
	expect(server(""), newer, "")
	writeFile(t, filepath.Join(dist("b"), "mine.jsonl"), "")
	expect(server("mine.jsonl"), filepath.Join(dist("b"), "mine.jsonl"), "")
	expect(clients.Server{Command: "node", Args: []string{filepath.Join(dist("a"), "index.js")}}, older, "")
	expect(clients.Server{Command: "docker", Args: []string{"run", "mcp/memory"}}, "", "inside a container")
}

func TestPythonMemory(t *testing.T) {
	const standard, other = "/h/.config/opencode/mcp-memory/memory.db", "/other/.config/opencode/mcp-memory/memory.db"
	system := machine("linux", "/h", nil, standard, other)
	for home, want := range map[string]string{"": standard, "/other": other, "/none": ""} {
		s := clients.Server{Command: "uvx", Args: []string{"mcp-memory"}, Env: map[string]string{"HOME": home}}
		if got := s.Memory(system, clients.Python); got.Path != want || (got.Reason == "") != (want != "") || got.Elsewhere {
			t.Errorf("HOME=%s: %+v", home, got)
		}
	}
	windows := machine("windows", `C:\h`, nil, `C:\h\.config\opencode\mcp-memory\memory.db`)
	if got := (clients.Server{}).Memory(windows, clients.Python); got.Path != `C:\h\.config\opencode\mcp-memory\memory.db` {
		t.Errorf("on Windows: %+v", got)
	}
}
