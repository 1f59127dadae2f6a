//go:build unix

package memory_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mcp-memory/internal/memory"
)

// TestImportReadsRegularFilesOnly and refuses all else at once, also behind a
// link, without a word of what is in it.
func TestImportReadsRegularFilesOnly(t *testing.T) {
	b := newBundle(t)
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int64{"large": 256<<20 + 1, "sparse": 1 << 20} {
		if err := os.WriteFile(at(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(at(name), size); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"to pipe": "pipe", "to device": "/dev/zero", "to folder": ".", "to socket": "socket", "loop": "loop", "dangling": "nowhere",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, reason := range map[string]string{
		"pipe":          "is not a regular file",
		"to pipe":       "is not a regular file",
		"socket":        "is not a regular file",
		"to socket":     "is not a regular file",
		"to device":     "is not a regular file",
		"to folder":     "is a folder, not a file",
		"":              "is a folder, not a file",
		"loop":          "is not the path of a file that can be read",
		"dangling":      "there is no file",
		"large":         "has 268435457 bytes, more than the 268435456 that are taken",
		"nowhere/x":     "there is no file",
		"sparse/x":      "is not the path of a file that can be read",
		"../../../../x": "there is no file",
	} {
		_, err := b.Import(t.Context(), folder+"/"+name)
		input, ok := errors.AsType[*memory.InputError](err)
		if !ok || input.Path != "source_path" || !strings.Contains(input.Reason, reason) {
			t.Errorf("importing %q: %v, want %q", name, err, reason)
		}
	}
	if runtime.GOOS == "linux" { // whose kernel has files that claim to be empty
		for _, name := range []string{"/proc/self/mem", "/proc/self/status"} {
			if _, err := b.Import(t.Context(), name); err == nil || !strings.Contains(err.Error(), "is no file that can be read to its end") {
				t.Errorf("importing %s: %v", name, err)
			}
		}
	}
	if _, err := b.Import(t.Context(), at("sparse")); err == nil || !strings.Contains(err.Error(), "is not a memory file") {
		t.Errorf("a megabyte of zeros: %v", err)
	}
}

// TestImportShowsNoContent of files that are no memory, whatever is wrong.
func TestImportShowsNoContent(t *testing.T) {
	b := newBundle(t)
	const secret = "hunter2"
	for _, content := range []string{
		"root:hunter2:0:0::/root:/bin/sh\n",
		"password = hunter2",
		`{"password":"hunter2"}`,
		`{"type":"hunter2","name":"hunter2"}`,
		`{"type":"relation","from":"hunter2","to":"hunter2","relationType":"hunter2"}`,
		`{"type":"relation","from":"hunter2","to":5,"relationType":"hunter2"}`,
		`{"type":"entity","name":"a","entityType":{"hunter2":1}}`,
		`{"type":"entity","name":"a","observations":[{"hunter2":"hunter2"}]}`,
		`{"type":"entity","name":"` + strings.Repeat("hunter2", 100) + `"}`,
		`{"entities":[{"hunter2":"hunter2"}],"relations":["hunter2"],"hunter2":["hunter2"]}`,
		`{"entities":"hunter2"`,
		`["hunter2", hunter2]`,
		`{"auths":{"hunter2":{"auth":"hunter2"}}}`,
		"{\"type\":\"entity\",\"name\":\"\\u0000hunter2\"}",
	} {
		report, err := b.Import(t.Context(), writeFile(t, content))
		if err == nil && len(report.Problems) == 0 {
			t.Errorf("%s has no problem", content)
		}
		if text := fmt.Sprint(report.Problems, err); strings.Contains(text, secret) {
			t.Errorf("%s: what is wrong shows the content: %s", content, text)
		}
	}
}

// TestImportStops in the middle when it is cancelled, and leaves nothing.
func TestImportStops(t *testing.T) {
	b := newBundle(t)
	var lines []string
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf(`{"type":"entity","name":"e%d","observations":["o"]}`, i))
	}
	path := writeFile(t, lines...)
	for name, after := range map[string]int{"before the first record": 0, "after the first page": 500} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			seen := 0
			ctx = memory.WithProgress(ctx, func(done, _ int, _ string) {
				if seen = done; done == after {
					cancel()
				}
			})
			if after == 0 {
				cancel()
			}
			if _, err := b.Import(ctx, path); !errors.Is(err, context.Canceled) {
				t.Errorf("Import returned %v", err)
			}
			if seen > after {
				t.Errorf("it went on to record %d", seen)
			}
			page, err := b.ReadGraph(t.Context(), 10, 0)
			if err != nil || page.Total != 0 {
				t.Errorf("%d entities are left of it, %v", page.Total, err)
			}
		})
	}
}
