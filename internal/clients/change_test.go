package clients_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcp-memory/internal/clients"
)

func TestApplyKeepsModeAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes of POSIX")
	}
	folder := t.TempDir()
	real, link := filepath.Join(folder, "dotfiles", "mcp.json"), filepath.Join(folder, ".cursor", "mcp.json")
	writeFile(t, real, "{}\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/mcp.json", link); err != nil {
		t.Fatal(err)
	}
	cursor := clientOf(t, "cursor")
	backup := apply(t, install(t, cursor, link))
	if target, err := os.Readlink(link); err != nil || target != "../dotfiles/mcp.json" {
		t.Errorf("the link has become %q, %v", target, err)
	}
	for _, file := range []string{real, backup} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if !strings.Contains(readFile(t, real), "/opt/mcp-memory") {
		t.Errorf("the file behind the link is\n%s", readFile(t, real))
	}
	names, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(names) != 3 {
		t.Errorf("files are left: %q, %v", names, err)
	}
}

// A link to a file that is still to come is followed, and never removed.
func TestApplyFollowsALinkToNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links of POSIX")
	}
	folder := t.TempDir()
	link := filepath.Join(folder, "mcp.json")
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	cursor := clientOf(t, "cursor")
	apply(t, install(t, cursor, link))
	if !strings.Contains(readFile(t, filepath.Join(folder, "real.json")), "/opt/mcp-memory") {
		t.Error("the file behind the link was not made")
	}
	removal, err := open(t, cursor, link).Uninstall("memory")
	if err != nil || removal.Delete {
		t.Errorf("uninstalling: %+v, %v", removal, err)
	}
}

func TestApplyMakesAPrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "mcp.json")
	apply(t, install(t, clientOf(t, "cursor"), path))
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// A client that writes its file while the user thinks must not lose it.
func TestApplyRefusesAFileThatHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	cursor := clientOf(t, "cursor")
	fresh := install(t, cursor, path)
	writeFile(t, path, "{}\n")
	edit := install(t, cursor, path)
	writeFile(t, path, `{"new": true}`)
	gone := install(t, cursor, path)
	for name, change := range map[string]clients.Change{"made": fresh, "changed": edit} {
		if _, err := change.Apply(); err == nil || !strings.Contains(err.Error(), "run this again") {
			t.Errorf("%s meanwhile: %v", name, err)
		}
	}
	if got := readFile(t, path); got != `{"new": true}` {
		t.Errorf("the file has become %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Apply(); err == nil {
		t.Error("a file that has gone was written")
	}
	if names, _ := filepath.Glob(path + "*"); len(names) > 0 {
		t.Errorf("files are left: %q", names)
	}
}

func TestDiff(t *testing.T) {
	lines := strings.Repeat("  \"a\": 1,\n", 5000)
	before := "{\n" + lines + "  \"b\": {\n    \"c\": 2\n  }\n}"
	after := "{\n" + lines + "  \"b\": {\n    \"c\": 2,\n    \"d\": 3\n  }\n}"
	got := clients.Change{Path: "/f", Before: []byte(before), After: []byte(after)}.Diff()
	want := `--- /f
+++ /f
@@ -5000,6 +5000,7 @@
   "a": 1,
   "a": 1,
   "b": {
-    "c": 2
+    "c": 2,
+    "d": 3
   }
 }
\ No newline at end of file
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	created := clients.Change{Path: "/f", After: []byte("a\nb\n"), Create: true}.Diff()
	if want := "--- /dev/null\n+++ /f\n@@ -0,0 +1,2 @@\n+a\n+b\n"; created != want {
		t.Errorf("created: got\n%s", created)
	}
}
