//go:build clients

package main

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agent is a client for programmers that runs without a terminal.
type agent struct {
	client string            // for install
	files  map[string]string // its settings, by path below the home folder; {URL} is the model's address
	env    []string
	run    []string // asks for what the model has been told to do
	list   []string // lists its servers
	listed string   // what that says of one that is set up; but for Codex, which doesn't try it, one that answers
	tools  int      // that its model is shown from the start
}

var agents = map[string]agent{
	"Claude Code": {
		client: "claude-code",
		env:    []string{"ANTHROPIC_BASE_URL={URL}", "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		run:    []string{"claude", "--allowedTools", "mcp__memory", "-p", "remember"},
		list:   []string{"claude", "mcp", "list"},
		listed: "✔ Connected",
		tools:  6, // it shows names of the others
	},
	"OpenCode": {
		client: "opencode",
		files: map[string]string{".config/opencode/opencode.json": `{
  "$schema": "https://opencode.ai/config.json",
  // the model
  "provider": {"anthropic": {"options": {"baseURL": "{URL}/v1", "apiKey": "none"}}},
  "permission": {"*": "allow"},
  "autoupdate": false,
}
`},
		run:    []string{"opencode", "run", "-m", "anthropic/claude-sonnet-4-5", "remember"},
		list:   []string{"opencode", "mcp", "list"},
		listed: "connected",
		tools:  11,
	},
	"Codex CLI": {
		client: "codex",
		files: map[string]string{".codex/config.toml": `model = "test"
model_provider = "test"

[model_providers.test] # the model
name = "test"
base_url = "{URL}/v1"
wire_api = "responses"
`},
		run:    []string{"codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "remember"},
		list:   []string{"codex", "mcp", "list"},
		listed: "enabled",
		tools:  11,
	},
	"Gemini CLI": {
		client: "gemini",
		files:  map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`},
		env:    []string{"GOOGLE_GEMINI_BASE_URL={URL}", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		run:    []string{"gemini", "--yolo", "-m", "gemini-2.5-flash", "-p", "remember"},
		list:   []string{"gemini", "mcp", "list"},
		listed: "Connected",
		tools:  11,
	},
}

// Agents of others get this memory by install, and use it as their model, which is
// ours here, tells them to. What one session of theirs notes, another finds by meaning
// in another language; the tools are those that the server has.
func TestAgents(t *testing.T) {
	for name, a := range agents {
		t.Run(name, func(t *testing.T) {
			var model scriptedModel
			api := httptest.NewServer(&model)
			t.Cleanup(api.Close)
			p := newPlace(t, a, api.URL)

			p.do(t, "mcp-memory", "install", a.client, "--yes")
			if listed := p.do(t, a.list...); !strings.Contains(listed, a.listed) || !strings.Contains(listed, "memory") {
				t.Errorf("with this memory, its servers are\n%s", listed)
			}
			model.tell(
				toolCall{"create_entities", `{"entities":[{"name":"Faro de Moras","entityType":"lugar","observations":["una luz verde cada noche, salvo si hay niebla"]},{"name":"Inés","entityType":"persona"}]}`},
				toolCall{"create_relations", `{"relations":[{"from":"Inés","to":"Faro de Moras","relationType":"cuida"}]}`},
			)
			p.do(t, a.run...)
			model.tell(
				toolCall{"search_semantic", `{"query":"Where can a green light be seen?","limit":1}`},
				toolCall{"open_nodes", `{"names":["Faro de Moras"]}`},
			)
			p.do(t, a.run...)

			for i, want := range []string{"Faro de Moras", "cuida", "salvo si hay niebla", `"from":"Inés"`} {
				if got := model.answer(i); !strings.Contains(got, want) {
					t.Errorf("answer %d is %q, want %q in it", i, got, want)
				}
			}
			if got := model.offered(); got != a.tools {
				t.Errorf("its model was offered %d tools of this memory, want %d", got, a.tools)
			}
			p.do(t, "mcp-memory", "uninstall", a.client, "--yes")
			if listed := p.do(t, a.list...); strings.Contains(listed, "memory") {
				t.Errorf("without this memory, its servers are\n%s", listed)
			}
			p.asBefore(t, a, api.URL)
			if shown := p.do(t, "mcp-memory", "show", "Inés"); !strings.Contains(shown, "cuida") {
				t.Errorf("the memory has\n%s", shown)
			}
		})
	}
}

// place is a home of its own for an agent.
type place struct {
	home string
	env  []string
}

func newPlace(t *testing.T, a agent, url string) place {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(root, "tools", "clients", "node_modules")
	p := place{home: t.TempDir()}
	for path, text := range a.files {
		file := filepath.Join(p.home, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "{URL}", url)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(p.env,
		"HOME="+p.home,
		"PATH="+strings.Join([]string{filepath.Join(root, "bin"), filepath.Join(installed, ".bin"), filepath.Join(installed, "opencode-linux-x64", "bin"), os.Getenv("PATH")}, string(os.PathListSeparator)),
		"MCP_MEMORY_MODEL_DIR="+os.Getenv("MCP_MEMORY_TEST_MODEL_DIR"),
		"TERM=xterm-256color",
	)
	for _, setting := range a.env {
		p.env = append(p.env, strings.ReplaceAll(setting, "{URL}", url))
	}
	return p
}

// do runs a command in the place and returns what it printed.
func (p place) do(t *testing.T, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// The shell looks for the program in the place's PATH.
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", `exec "$@"`, "sh"}, command...)...)
	cmd.Env, cmd.Dir = p.env, p.home
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// asBefore compares the settings with those that the place began with.
func (p place) asBefore(t *testing.T, a agent, url string) {
	t.Helper()
	for path, text := range a.files {
		got, err := os.ReadFile(filepath.Join(p.home, path))
		if want := strings.ReplaceAll(text, "{URL}", url); err != nil || string(got) != want {
			t.Errorf("after uninstall %s is %q (%v), want %q", path, got, err, want)
		}
	}
}
