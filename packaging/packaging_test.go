package packaging

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// registryDescription is how long a description the MCP registry takes, in bytes.
const registryDescription = 100

// server is server.json, which has the version and the description.
type server struct {
	Name, Title, Description, Version string
	Packages                          []struct{ Identifier string }
}

// read returns a file of the project, by its path from the root.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func readServer(t *testing.T) server {
	t.Helper()
	var s server
	if err := json.Unmarshal([]byte(read(t, "server.json")), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// All files tell the version and the description of server.json.
func TestSameVersionAndDescription(t *testing.T) {
	s := readServer(t)
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(s.Version) {
		t.Errorf("version %q is not of the form 1.2.3", s.Version)
	}
	if n := len(s.Description); n == 0 || n > registryDescription {
		t.Errorf("the description has %d bytes, allowed are 1 to %d", n, registryDescription)
	}
	for path, wants := range map[string][]string{
		"internal/cli/program.go":              {`Short: "` + s.Description + `"`},
		"packaging/mcpb/manifest.json":         {`"version": "` + s.Version + `"`, `"description": "` + s.Description + `"`},
		"packaging/homebrew/mcp-memory.rb":     {`version "` + s.Version + `"`, `desc "` + s.Description + `"`},
		"packaging/systemd/mcp-memory.service": {"Description=" + s.Description + "\n"},
		".goreleaser.yaml":                     {"description: " + s.Description + "\n"},
		"Dockerfile": {
			`image.version="` + s.Version + `"`, `image.description="` + s.Description + `"`,
			`io.modelcontextprotocol.server.name="` + s.Name + `"`, // by which the registry knows whose image it is
		},
	} {
		content := read(t, path)
		for _, want := range wants {
			if !strings.Contains(content, want) {
				t.Errorf("%s has no %s, as server.json would have it", path, want)
			}
		}
	}
	for _, p := range s.Packages {
		if !strings.HasSuffix(p.Identifier, ":"+s.Version) {
			t.Errorf("server.json: package %s is not of version %s", p.Identifier, s.Version)
		}
	}
}

// The repository's address is the same everywhere.
func TestSameAddress(t *testing.T) {
	address := regexp.MustCompile(`github\.com/([\w-]+)/mcp-memory|ghcr\.io/([\w-]+)/mcp-memory|io\.github\.([\w-]+)/mcp-memory`)
	owners := map[string][]string{}
	for _, path := range []string{"server.json", "Dockerfile", ".goreleaser.yaml", "packaging/mcpb/manifest.json", "packaging/homebrew/mcp-memory.rb", "packaging/systemd/mcp-memory.service"} {
		found := address.FindAllStringSubmatch(read(t, path), -1)
		if len(found) == 0 {
			t.Errorf("%s names no repository", path)
		}
		for _, m := range found {
			owner := m[1] + m[2] + m[3]
			owners[owner] = append(owners[owner], path)
		}
	}
	if len(owners) != 1 {
		t.Errorf("owners of the repository differ: %v", owners)
	}
}

// The bundle's manifest lists the tools that the server has.
func TestBundleTools(t *testing.T) {
	var manifest struct {
		Tools []struct{ Name, Description string }
	}
	if err := json.Unmarshal([]byte(read(t, "packaging/mcpb/manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	schemas, err := filepath.Glob("../gen/schemas/*.json")
	if err != nil || len(schemas) == 0 {
		t.Fatalf("no schemas of tools: %v", err)
	}
	got, want := map[string]string{}, map[string]string{}
	for _, tool := range manifest.Tools {
		got[tool.Name] = tool.Description
	}
	for _, path := range schemas {
		var schema struct{ Name, Title string }
		if err := json.Unmarshal([]byte(read(t, strings.TrimPrefix(path, "../"))), &schema); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		want[schema.Name] = schema.Title
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools of packaging/mcpb/manifest.json (-want +got):\n%s", diff)
	}
}

// A release that goreleaser builds is of the same flags and systems as the others.
func TestSameBuild(t *testing.T) {
	settings, build, releaser := read(t, "packaging/settings.sh"), read(t, "packaging/build.sh"), read(t, ".goreleaser.yaml")
	for _, c := range []struct{ name, script, pattern, releaser string }{
		{"build tags", settings, `-tags=([\w,]+)`, `tags: \[(.*)\]`},
		{"link flags", build, `-ldflags "(-s -w -X main\.version=v)`, `ldflags: \["(-s -w -X main\.version=v)`},
		{"-trimpath", settings, `(-trimpath)`, `flags: \[(-trimpath)`},
		{"-buildvcs", build, `(-buildvcs=false)`, `(-buildvcs=false)`},
		{"compiler for arm64", settings, `zig (aarch64-\S+)`, `-target (aarch64-\S+)`},
		{"compiler for Windows", settings, `zig (x86_64-windows\S+)`, `-target (x86_64-windows\S+)`},
	} {
		one, other := submatch(t, c.name, c.script, c.pattern), submatch(t, c.name, releaser, c.releaser)
		if other = strings.ReplaceAll(other, ", ", ","); one != other {
			t.Errorf("%s: packaging/ has %q, .goreleaser.yaml %q", c.name, one, other)
		}
	}
	targets := strings.Split(submatch(t, "targets", releaser, `targets: \[(.*)\]`), ", ")
	pinned := regexp.MustCompile(`(?m)^onnxruntime +\S+ +(\w+)/(\w+) `).FindAllStringSubmatch(read(t, "native/manifest"), -1)
	for _, p := range pinned {
		if target := p[1] + "_" + p[2]; p[1] != "darwin" && !slices.Contains(targets, target) {
			t.Errorf(".goreleaser.yaml builds nothing for %s, for which ONNX Runtime is pinned", target)
		}
	}
	if len(pinned) < len(targets) {
		t.Errorf("ONNX Runtime is pinned for %d systems, goreleaser builds for %d", len(pinned), len(targets))
	}
}

func submatch(t *testing.T, what, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s: nothing is like %s", what, pattern)
	}
	return m[1]
}

// Files that are named in what makes packages are there.
func TestNamedFiles(t *testing.T) {
	named := regexp.MustCompile(`\b(?:packaging|native|model|docs|tools)/[\w./-]*[\w-]`)
	made := []string{"tools/mcpb/node_modules", "tools/clients/node_modules", "tools/conformance/node_modules", "tools/conformance/bin", "tools/list", "model/download"}
	files := []string{".goreleaser.yaml", "Dockerfile", "Makefile", "docs/packaging.md"}
	for _, pattern := range []string{"*.sh", "*/*.sh", "*/*.mjs", "homebrew/*", "systemd/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			files = append(files, "packaging/"+f)
		}
	}
	count := 0
	for _, file := range files {
		for _, path := range named.FindAllString(read(t, file), -1) {
			if slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(path, m) }) {
				continue
			}
			count++
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s names %s: %v", file, path, err)
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d paths were found in %v", count, files)
	}
}
