//go:build !race

// Shells, and a command for each word: nothing for the race detector, which makes them slow.
package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// completions are what shells are to make of what is typed, for the names below.
var completions = []struct {
	typed           string
	bash, zsh, fish []string
}{
	{typed: "Proj", bash: []string{`Project\ Faro`, `Project\ Luna`}, fish: []string{"Project Faro", "Project Luna"}},
	{typed: `Project\ F`, bash: []string{`Project\ Faro`}, zsh: []string{`Project\ Faro`}, fish: []string{"Project Faro"}},
	{typed: `"Project F`, bash: []string{"Project Faro"}, zsh: []string{`"Project Faro"`}, fish: []string{"Project Faro"}},
	{typed: "Á", bash: []string{`Ámbar\ niño`}, zsh: []string{`Ámbar\ niño`}, fish: []string{"Ámbar niño"}},
	{typed: "日", bash: []string{`日本\ メモ`}, zsh: []string{`日本\ メモ`}, fish: []string{"日本 メモ"}},
	{typed: "It", bash: []string{`It\'s\ \$5\ \(net\)`}, zsh: []string{`It\'s\ \$5\ \(net\)`}, fish: []string{"It's $5 (net)"}},
	{typed: "Nobody", bash: []string{}, fish: []string{}},
}

// shell is a folder in which a shell completes.
type shell struct {
	dir string
	env []string
}

func newShell(t *testing.T) shell {
	t.Helper()
	s := shell{dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(s.dir, "mcp-memory")); err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "PATH="+s.dir+":"+os.Getenv("PATH"), "HOME="+s.dir, "LC_ALL=C.UTF-8", "TERM=dumb",
		"MCP_MEMORY_DB="+filepath.Join(s.dir, "memory.db"))
	for _, name := range []string{"Project Faro", "Project Luna", "Ámbar niño", "日本 メモ", "It's $5 (net)", "a\tb"} {
		s.run(t, "mcp-memory", "add", name)
	}
	for _, of := range []string{"bash", "zsh", "fish"} {
		script := s.run(t, "mcp-memory", "completion", of)
		if err := os.WriteFile(filepath.Join(s.dir, "completion."+of), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s shell) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	if name == "mcp-memory" {
		name = filepath.Join(s.dir, name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var errw strings.Builder
	cmd.Stderr = &errw
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, &errw)
	}
	return string(out)
}

// needShell ends a test where a shell is not installed.
func needShell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

// TestCompletionBash calls what the tabulator key calls, with the package
// bash-completion and without.
func TestCompletionBash(t *testing.T) {
	needShell(t, "bash")
	const script = `[ "$2" = without ] || . /usr/share/bash-completion/bash_completion
. ./completion.bash
compopt() { :; }
COMP_WORDS=(mcp-memory show "$1") COMP_CWORD=2 COMP_LINE="mcp-memory show $1" COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
__start_mcp-memory
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
`
	s := newShell(t)
	ways := []string{"without"}
	if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err == nil {
		ways = append(ways, "with")
	}
	for _, way := range ways {
		for _, c := range completions {
			got := linesOf(s.run(t, "bash", "--norc", "--noprofile", "-c", script, "bash", c.typed, way))
			if diff := cmp.Diff(c.bash, got); diff != "" {
				t.Errorf("%s, %s the package (-want +got):\n%s", c.typed, way, diff)
			}
		}
	}
}

func TestCompletionFish(t *testing.T) {
	needShell(t, "fish")
	s := newShell(t)
	for _, c := range completions {
		got := linesOf(s.run(t, "fish", "--no-config", "-c", `source completion.fish; complete -C "mcp-memory show $argv[1]"`, c.typed))
		if diff := cmp.Diff(c.fish, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.typed, diff)
		}
	}
}

// TestCompletionZsh types into a zsh on a terminal, and reads the line that it makes
// of it.
func TestCompletionZsh(t *testing.T) {
	needShell(t, "zsh")
	const script = `zmodload zsh/zpty
zpty shell zsh -f -i
read-until() { local seen; zpty -r shell seen "*$1*" }
zpty -w shell 'PS1=; PS2=; unsetopt zle_bracketed_paste prompt_sp; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D'
zpty -w shell '. ./completion.zsh; show-line() { print -r -- "LINE<$BUFFER>" ; zle -I; }; zle -N show-line; bindkey "^X" show-line; print READ""Y'
read-until READY
zpty -n -w shell "mcp-memory show $1"$'\t\x18'
line= ; zpty -r shell line '*LINE<*>*'
print -r -- "$line"
zpty -d shell
`
	s := newShell(t)
	for _, c := range completions {
		if c.zsh == nil {
			continue // it beeps, or lists
		}
		out := s.run(t, "zsh", "-f", "-c", script, "zsh", c.typed)
		_, line, _ := strings.Cut(out, "LINE<mcp-memory show ")
		line, _, _ = strings.Cut(line, ">")
		if diff := cmp.Diff(c.zsh[0], strings.TrimRight(line, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s\nall of it: %q", c.typed, diff, out)
		}
	}
}

// TestCompletionMakesNoMemory where there is none.
func TestCompletionMakesNoMemory(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	if out, err := command(t, "--db", db, "__complete", "show", "A").Output(); err != nil || !strings.HasPrefix(string(out), ":") {
		t.Errorf("it completes %q, %v", out, err)
	}
	if _, err := os.Stat(db); err == nil {
		t.Error("a memory was made")
	}
}

// linesOf splits what is printed into its lines.
func linesOf(out string) []string {
	lines := []string{}
	for line := range strings.Lines(out) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}
