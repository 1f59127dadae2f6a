package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever a file looks like that has a server: installing and uninstalling
// gives back its bytes, and installing twice is installing once.
func TestInstallAndUninstallAreInverse(t *testing.T) {
	folder := t.TempDir()
	number := 0
	rapid.Check(t, func(r *rapid.T) {
		id, text := "cursor", ""
		if rapid.Bool().Draw(r, "toml") {
			id, text = "codex", drawTOML(r)
		} else {
			text = drawJSON(r)
		}
		number++
		path := filepath.Join(folder, fmt.Sprint(number))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.Fatal(err)
		}
		client := clientOf(t, id)
		config, err := client.Open(path)
		if err != nil {
			r.Fatalf("%q: %v", text, err)
		}
		if _, err := config.Uninstall("files"); err != nil {
			r.Fatalf("taking the other server out of %q: %v", text, err)
		}
		change, err := config.Install(ours, false)
		if err != nil {
			r.Fatalf("installing into %q: %v", text, err)
		}
		backup, err := change.Apply()
		if err != nil {
			r.Fatal(err)
		}
		if config, err = client.Open(path); err != nil {
			r.Fatalf("%q: %v", change.After, err)
		}
		if again, err := config.Install(ours, false); err != nil || !again.Empty() {
			r.Fatalf("installing twice into %q: %v\n%s", text, err, again.Diff())
		}
		if server, ok := config.Server("files"); !ok || server.Command != "files" {
			r.Fatalf("the other server reads as %+v in %q", server, change.After)
		}
		for _, with := range []string{"with the copy", "without it"} {
			removal, err := config.Uninstall("memory")
			if err != nil || string(removal.After) != text {
				r.Fatalf("%s: %v: from\n%q\nover\n%q\nto\n%q", with, err, text, change.After, removal.After)
			}
			_ = os.Remove(backup)
		}
	})
}

// drawJSON draws a file with another server, and all that people write around
// what they mean.
func drawJSON(r *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "newline")
	blank := rapid.SampledFrom([]string{"", " ", "\t", "\n", "\n  ", "\n\n    ", " // it's {", "\n/* \"}\" */ ", "  /**/"})
	gap := func() string {
		s := blank.Draw(r, "gap")
		if strings.Contains(s, "//") {
			s += "\n" + blank.Filter(func(s string) bool { return !strings.Contains(s, "//") }).Draw(r, "more")
		}
		return strings.ReplaceAll(s, "\n", newline)
	}
	object := func(members ...string) string {
		var b strings.Builder
		b.WriteString("{" + gap())
		for i, m := range members {
			b.WriteString(m + gap())
			if i < len(members)-1 || rapid.Bool().Draw(r, "comma") {
				b.WriteString("," + gap())
			}
		}
		return b.String() + "}"
	}
	member := func(key, value string) string { return `"` + key + `"` + gap() + ":" + gap() + value }
	others := func(members ...string) []string {
		for i := range rapid.IntRange(0, 2).Draw(r, "others") {
			other := member(fmt.Sprint("k", i), rapid.SampledFrom([]string{"1e400", `"\u00e9//"`, "[1,\n2]", "null", object()}).Draw(r, "value"))
			members = append(members, other)
		}
		return rapid.Permutation(members).Draw(r, "order")
	}
	servers := object(others(member("files", object(others(member("command", `"files"`))...)))...)
	return gap() + object(others(member("mcpServers", servers))...) + gap()
}

// drawTOML draws a file with another server in any of the forms of TOML.
func drawTOML(r *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "newline")
	blank := rapid.SampledFrom([]string{"", "\n", "# [mcp_servers.memory]\n", "\n# é\n\n"})
	gap := func() string { return blank.Draw(r, "gap") }
	server := rapid.SampledFrom([]string{
		"[mcp_servers.files]\ncommand = \"files\"\n",
		"[ mcp_servers . \"files\" ] # one\ncommand = 'files' # it\nargs = [\n  \"a\", # ]\n]\n",
		"[mcp_servers]\nfiles = { command = \"files\", args = [] }\n",
		"[mcp_servers.files.env]\nA = '''\n[mcp_servers.memory]\n'''\n[mcp_servers.files]\ncommand = \"files\"\n",
	}).Draw(r, "server")
	head := rapid.SampledFrom([]string{"", "model = \"a\"\n", "mcp_server = 1\n"}).Draw(r, "head")
	tail := rapid.SampledFrom([]string{"", "[tui]\nx = 1\n", "[[things]]\nx = 1\n[[things]]\n"}).Draw(r, "tail")
	if rapid.Bool().Draw(r, "inline") {
		server, head = "", rapid.SampledFrom([]string{
			"mcp_servers.files.command = \"files\"\n", "mcp_servers = { files = { command = \"files\" } } # all\n",
			"mcp_servers = {files={command=\"files\"}}\n",
		}).Draw(r, "inline form")
	}
	text := gap() + head + gap() + server + gap() + tail + gap()
	if rapid.Bool().Draw(r, "no newline") {
		text = strings.TrimSuffix(text, "\n")
	}
	return strings.ReplaceAll(text, "\n", newline)
}
