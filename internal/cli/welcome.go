package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// welcome tells a person who started the server by hand what it is and how to
// connect a client.
func (p Program) welcome(ctx context.Context, w io.Writer, s settings) {
	program := programPath()
	command := append([]string{program}, s.arguments()...)
	fmt.Fprintf(w, `
%s
Long-term memory for AI agents. It speaks MCP on standard input and output.

  Memory           %s
  Semantic search  %s

AI clients start it by themselves. To add it to yours, run

    %s

It lists the clients, and adds the memory to the one that is named after it. Or
paste one of these:

  Claude Code
    claude mcp add --scope user memory -- %s

  Claude Desktop, Cursor, Windsurf, Gemini CLI (the client's JSON file)
    %s

  OpenCode (opencode.json)
    %s

Waiting for MCP messages. End with Ctrl-D or Ctrl-C.

`,
		p.versionLine(), s.db, p.readiness(ctx, s, program),
		shellLine(append([]string{program, "install"}, s.arguments()...)),
		shellLine(command),
		oneLineJSON(map[string]any{"mcpServers": map[string]any{"memory": map[string]any{"command": command[0], "args": command[1:]}}}),
		oneLineJSON(map[string]any{"mcp": map[string]any{"memory": map[string]any{"type": "local", "command": command, "enabled": true}}}))
}

// readiness says in a few words whether search_semantic works, and what to do
// if not.
func (p Program) readiness(ctx context.Context, s settings, program string) string {
	status, err := p.status(ctx, s)
	switch {
	case err != nil:
		return "unknown: " + oneLine(err)
	case status.Ready && status.Reason != "":
		return fmt.Sprintf("ready (%s: %s)", status.State, status.Reason)
	case status.Ready:
		return "ready"
	case status.Library.Error != "" && status.State.Usable():
		return "not ready: " + status.Library.Error
	}
	download := append([]string{program, "model", "download"}, s.modelArguments()...)
	return fmt.Sprintf("not ready: %s. Get the model, 490 MB, once, with\n                     %s\n"+
		"                   All else works without it.", status.Reason, shellLine(download))
}

// programPath is the absolute path of this program, as it was called where that leads
// to it: a link goes on to lead to the program after an upgrade.
func programPath() string {
	called := os.Args[0]
	if found, err := exec.LookPath(called); err == nil {
		called = found
	}
	called, absErr := filepath.Abs(called)
	path, err := os.Executable()
	if err != nil {
		return called
	}
	if absErr == nil && sameFile(called, path) {
		return called
	}
	return path
}

func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	with, err := os.Stat(b)
	return err == nil && os.SameFile(of, with)
}

// arguments repeats the settings that differ from the defaults, so that a client
// starts the same server. What is logged is not among them: whoever reads the log of
// this command is not who reads that of a client.
func (s *settings) arguments() []string {
	arguments := append(s.databaseArguments(), s.modelArguments()...)
	if standard, err := time.ParseDuration(idleSetting.standard); err != nil || standard != s.idleTimeout {
		arguments = append(arguments, "--"+idleSetting.flag, s.idle)
	}
	return append(arguments, librarySetting.arguments(s.library)...)
}

func (s *settings) databaseArguments() []string { return dbSetting.arguments(s.db) }

func (s *settings) modelArguments() []string { return modelDirSetting.arguments(s.modelDir) }

// arguments gives a value that differs from the default.
func (s setting) arguments(value string) []string {
	if standard, err := s.read(s.standard); err == nil && standard == value {
		return []string{}
	}
	return []string{"--" + s.flag, value}
}

// shellLine writes a command so that a POSIX shell reads it back.
func shellLine(command []string) string {
	quoted := make([]string, len(command))
	for i, word := range command {
		quoted[i] = word
		if strings.ContainsAny(word, " \t\n\"'\\$`!*?[](){}<>|&;~#") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func oneLineJSON(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
