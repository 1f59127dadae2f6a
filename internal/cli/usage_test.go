package cli

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mcp-memory/internal/model"
)

// run runs a command line that is not to do anything: whatever it begins is interrupted.
func run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, e bytes.Buffer
	code = Program{}.Run(ctx, args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// aHome is one with nothing in it, in which the test works.
func aHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Chdir(home)
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": "", "MCP_MEMORY_DB": "", "MCP_MEMORY_MODEL_DIR": "", "MCP_MEMORY_LOG_LEVEL": "",
		"MCP_MEMORY_MODEL_IDLE": "", "MCP_MEMORY_ONNXRUNTIME": "", "HF_ENDPOINT": "",
	} {
		t.Setenv(name, value)
	}
	return home
}

// needed are the arguments without which a command makes no sense.
var needed = map[string][]string{
	"add": {"Ana"}, "backup": {"copy.db"}, "forget": {"Ana"}, "import": {"memory.jsonl"}, "install": {"cursor"}, "relate": {"Ana", "leads", "Faro"},
	"restore": {"copy.db"}, "search": {"lighthouse"}, "show": {"Ana"}, "uninstall": {"cursor"},
}

// badValues are values that flags can't have, of all commands or of one. What may be any text is
// not among them.
var badValues = map[string][]string{
	"int":      {"x", "1.5", "99999999999999999999", "-1"},
	"bool":     {"maybe"},
	"duration": {"soon", "10", "0s", "-1s"},

	"--limit":       {"0"},
	"--log-level":   {"loud"},
	"--model-idle":  {"soon", "10", "-1s"},
	"--since":       {"soon", "2026-13-01"},
	"--until":       {"soon"},
	"--format":      {"xml"},
	"--variant":     {"fp8"},
	"--from":        {"ftp://example.org", "http://"},
	"--set":         {"floor", "floor=x", "ceiling=1"},
	"--compare":     {"floor", "ceiling=1"},
	"--http":        {"port", "99999", "127.0.0.1", "0.0.0.0:0"},
	"--http-host":   {"a host"},
	"--addr":        {"port", "99999", "0.0.0.0:0"},
	"add --type":    {strings.Repeat("x", 257), "a\x00b"},
	"search --type": {"a\x00b"},
}

// valuesFor are bad values of a flag of a command.
func valuesFor(command string, f *pflag.Flag) []string {
	values := slices.Concat(badValues[f.Value.Type()], badValues["--"+f.Name], badValues[command+" --"+f.Name])
	if f.Value.Type() != "bool" && f.Value.Type() != "int" && f.Value.Type() != "duration" {
		values = append(values, "")
	}
	return values
}

// TestBadValuesAreOfNoUse: whatever flag of whatever command it is, what is wrong with
// its value is said under its name, with the exit code for that, and nothing is done.
func TestBadValuesAreOfNoUse(t *testing.T) {
	home := aHome(t)
	tried := 0
	for path, c := range commands(t) {
		if !c.Runnable() || c.Name() == "help" || c.Name() == "completion" || strings.HasPrefix(c.Name(), "__") {
			continue
		}
		words := strings.Fields(path)[1:]
		command := strings.Join(words, " ")
		try := func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" {
				return
			}
			for _, value := range valuesFor(command, f) {
				tried++
				args := slices.Concat(words, needed[command], []string{fmt.Sprintf("--%s=%s", f.Name, value)})
				if f.Name == "http-host" {
					args = append(args, "--http=0")
				}
				code, out, errs := run(t, args...)
				if code != exitUsage || out != "" || !strings.Contains(errs, "--"+f.Name) && f.Name != "set" && f.Name != "compare" {
					t.Errorf("%q: exit %d, out %q, errors %q", args, code, out, errs)
				}
				if want := fmt.Sprintf("\nRun '%s --help' for usage.\n", path); !strings.HasSuffix(errs, want) {
					t.Errorf("%q: errors %q end without %q", args, errs, want)
				}
			}
		}
		c.NonInheritedFlags().VisitAll(try)
		c.InheritedFlags().VisitAll(try)
	}
	if tried < 200 {
		t.Errorf("only %d values were tried", tried)
	}
	nothingIn(t, home)
}

// nothingIn says so if there is a file in a folder.
func nothingIn(t *testing.T, folder string) {
	t.Helper()
	made, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range made {
		t.Errorf("%s was made", entry.Name())
	}
}

// TestArgumentsOfNoUse are likewise nothing to work with.
func TestArgumentsOfNoUse(t *testing.T) {
	home := aHome(t)
	long := strings.Repeat("x", 600)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"add", ""}, "NAME: must not be empty"},
		{[]string{"add", " "}, "NAME: must not be empty"},
		{[]string{"add", long}, "NAME: must have at most 512 characters, not 600"},
		{[]string{"add", "Ana", "leads", ""}, "OBSERVATION: must not be empty"},
		{[]string{"relate", "", "leads", "Faro"}, "FROM: must not be empty"},
		{[]string{"relate", "Ana", "", "Faro"}, "RELATION: must not be empty"},
		{[]string{"relate", "Ana", "leads", ""}, "TO: must not be empty"},
		{[]string{"show", "Ana", ""}, "NAME: must not be empty"},
		{[]string{"forget", "", "--yes"}, "NAME: must not be empty"},
		{[]string{"search", "a\x00b"}, "QUERY: "},
		{[]string{"search", "--text", "a\x00b"}, "QUERY: "},
		{[]string{"import", ""}, "FILE is empty"},
		{[]string{"migrate", ""}, "FILE is empty"},
		{[]string{"backup", ""}, "FILE is empty"},
		{[]string{"restore", ""}, "FILE is empty"},
		{[]string{"install", ""}, `unknown client ""`},
		{[]string{"install", "--replace"}, "--replace goes with a client"},
		{[]string{"install", "--name", "notes"}, "--name goes with a client"},
		{[]string{"nonsense"}, `unknown command "nonsense"`},
		{[]string{""}, `unknown command ""` + "\n"},
		{[]string{"serch"}, `unknown command "serch", did you mean "serve" or "search"?`},
		{[]string{"serch", "--help"}, `unknown command "serch", did you mean "serve" or "search"?`},
		{[]string{"help", "serch"}, `unknown command "serch", did you mean "serve" or "search"?`},
		{[]string{"help", "model", "nonsense"}, `unknown command "nonsense"`},
		{[]string{"help", "search", "nonsense"}, `there is no help on "nonsense" beyond that on mcp-memory search`},
		{[]string{"help", "--nonsense"}, "unknown flag: --nonsense"},
		{[]string{"model", "nonsense", "--help"}, `unknown command "nonsense"`},
		{[]string{"exit-codes", "nonsense"}, `there is no help on "nonsense" beyond that on mcp-memory exit-codes`},
		{[]string{"completion", "nonsense"}, `unknown command "nonsense"`},
		{[]string{"completion", "zsh", "nonsense"}, `takes no arguments, got "nonsense"`},
	} {
		code, out, errs := run(t, c.args...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "mcp-memory: ") || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, out %q, errors %q; want %q", c.args, code, out, errs, c.want)
		}
	}
	nothingIn(t, home)
}

// TestMoreArgumentsThanACommandTakes, and a flag that it does not have.
func TestMoreArgumentsThanACommandTakes(t *testing.T) {
	home := aHome(t)
	endless := []string{"add", "forget", "show", "eval calibrate", "help"}
	for path, c := range commands(t) {
		words := strings.Fields(path)[1:]
		command := strings.Join(words, " ")
		if !c.Runnable() || strings.HasPrefix(c.Name(), "__") {
			continue
		}
		if code, out, errs := run(t, slices.Concat(words, needed[command], []string{"--nonsense"})...); code != exitUsage || out != "" || !strings.Contains(errs, "unknown flag: --nonsense") {
			t.Errorf("%s --nonsense: exit %d, out %q, errors %q", path, code, out, errs)
		}
		if slices.Contains(endless, command) {
			continue
		}
		if code, out, errs := run(t, slices.Concat(words, needed[command], []string{"too", "many"})...); code != exitUsage || out != "" {
			t.Errorf("%s too many: exit %d, out %q, errors %q", path, code, out, errs)
		}
	}
	nothingIn(t, home)
}

// TestFewerArgumentsThanACommandNeeds.
func TestFewerArgumentsThanACommandNeeds(t *testing.T) {
	home := aHome(t)
	for command := range needed {
		if command == "install" {
			continue // it lists the clients
		}
		if code, out, errs := run(t, command); code != exitUsage || out != "" {
			t.Errorf("%s: exit %d, out %q, errors %q", command, code, out, errs)
		}
	}
	nothingIn(t, home)
}

// TestWhatCannotBeDone is another thing than a command line that makes no sense.
func TestWhatCannotBeDone(t *testing.T) {
	home := aHome(t)
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := filepath.Join(home, "folder")
	token := filepath.Join(home, "token")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(token, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ui", "--no-open", "--addr", taken.Addr().String()}, "--addr: another program listens on " + taken.Addr().String()},
		{[]string{"serve", "--http", taken.Addr().String()}, "--http: another program listens on " + taken.Addr().String()},
		{[]string{"serve", "--http", "0", "--http-token-file", "none"}, "--http-token-file"},
		{[]string{"serve", "--http", "0", "--http-token-file", token}, "at least 16"},
		{[]string{"list"}, "there is no memory at"},
		{[]string{"search", "x", "--since", "2026-01", "--until", "2026-01-31T18:00Z", "--limit", "1"}, "there is no memory at"},
		{[]string{"show", "Ana"}, "there is no memory at"},
		{[]string{"stats", "--top", "0"}, "there is no memory at"},
		{[]string{"--db", folder, "list"}, "it is a folder"},
		{[]string{"import", "none"}, "no such file"},
		{[]string{"migrate", "none"}, "there is no file " + filepath.Join(home, "none") + "\n"},
		{[]string{"restore", "none", "--yes"}, "there is no such file"},
		{[]string{"backup", "folder"}, "is a folder"},
		{[]string{"eval", "none"}, "there is no"},
		{[]string{"model", "download", "--from", "none"}, "there is no folder"},
		{[]string{"install", "cursor", "--file", folder, "--yes"}, "it is not a file"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var out, errs bytes.Buffer
		code := Program{Model: &model.E5Small}.Run(ctx, c.args, strings.NewReader(""), &out, &errs)
		cancel()
		if code != exitFailed || !strings.Contains(errs.String(), c.want) || strings.Contains(errs.String(), "for usage") {
			t.Errorf("%q: exit %d, out %q, errors %q; want %q", c.args, code, &out, &errs, c.want)
		}
	}
}

// TestEveryTextFlagIsKnownHere, so that one with few values does not go untried.
func TestEveryTextFlagIsKnownHere(t *testing.T) {
	any := []string{
		"--db", "--model-dir", "--onnxruntime", "--name", "--file", "--output", "--queries-from", "--keep", "--ranking", "--http-token-file", "--observation", "--type",
	}
	for path, c := range commands(t) {
		seen := func(f *pflag.Flag) {
			if f.Value.Type() == "bool" || f.Value.Type() == "int" || f.Value.Type() == "duration" {
				return
			}
			if name := "--" + f.Name; badValues[name] == nil && !slices.Contains(any, name) {
				t.Errorf("%s %s: is there a value that it can't have?", path, name)
			}
		}
		c.NonInheritedFlags().VisitAll(seen)
	}
}
