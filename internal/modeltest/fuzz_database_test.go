package modeltest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/internal/leak"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// FuzzDatabase opens databases of which something is damaged: one of ours, or
// one of the Python server's. Each is refused in plain words, or opened; and then
// each call is answered, or fails in plain words.
func FuzzDatabase(f *testing.F) {
	bases := [][]byte{filled(f), unpacked(f, "seed"), unpacked(f, "v3"), unpacked(f, "first-release")}
	for i := range bases {
		f.Add(byte(i), []byte{})
		for n, at := range []uint32{0, 16, 18, 24, 44, 56, 60, 100, 103, 105, 4096, 5000, 8192, 12300, 20480, 40960, 70000} {
			f.Add(byte(i), change(byte(n+i), at, 0xff))
		}
	}
	dir := f.TempDir()
	n := 0
	f.Fuzz(func(t *testing.T, base byte, changes []byte) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n), "memory.db")
		defer os.RemoveAll(filepath.Dir(path))
		damaged := damage(bases[int(base)%len(bases)], changes)
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if _, err := sqlite.Verify(ctx, path); err != nil {
			refused(t, path, err)
		}
		db, err := sqlite.Open(ctx, path, sqlite.Options{BusyWait: time.Second})
		if err != nil {
			refused(t, path, err)
			return
		}
		w := &workshop{db: db, tools: map[string]tool.Tool{}}
		w.use(memory.New(db, wordModel{}, memory.Options{}))
		defer w.close()
		for _, c := range [][2]string{
			{"read_graph", `{}`},
			{"search_nodes", `{"query":"volcano lantern"}`},
			{"open_nodes", `{"names":["Ana","Alfa"]}`},
			{"create_entities", `{"entities":[{"name":"New","observations":["volcano"]},{"name":"Ana","observations":["quartz"]}]}`},
			{"create_relations", `{"relations":[{"from":"New","to":"Ana","relationType":"knows"}]}`},
			{"search_semantic", `{"query":"a volcano near the harbour"}`},
			{"delete_observations", `{"name":"Ana","observations":["quartz"]}`},
			{"delete_entities", `{"entityNames":["Ana","Bob","New"]}`},
			{"read_graph", `{"limit":1,"offset":1}`},
		} {
			w.plainly(ctx, t, c[0], c[1])
		}
	})
}

// refused fails unless a user can understand why a database was refused.
func refused(t *testing.T, path string, err error) {
	t.Helper()
	text := err.Error()
	word := leak.In(strings.ReplaceAll(text, path, "FILE"))
	if word != "" || strings.Contains(text, "\n") || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("refused with %q (%q)", text, word)
	}
}

// plainly calls a tool, which may fail, but not in words of the inside.
func (w *workshop) plainly(ctx context.Context, t *testing.T, name, args string) {
	t.Helper()
	out, err := w.tools[name].Call(ctx, []byte(args))
	if err == nil {
		encode(out)
		return
	}
	text, _ := tool.ErrorText(err)
	if word := leak.In(text); strings.HasPrefix(text, "internal error") || word != "" || ctx.Err() != nil {
		t.Fatalf("%s fails with %q (%q): %v", name, text, word, err)
	}
}

// change is one change of a file.
func change(kind byte, at uint32, value byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{kind}, at), value)
}

// damage changes a copy of a file at places that begin each 6 bytes of changes.
func damage(content, changes []byte) []byte {
	content = bytes.Clone(content)
	for ; len(changes) >= 6 && len(content) > 0; changes = changes[6:] {
		at := int(binary.LittleEndian.Uint32(changes[1:]) % uint32(len(content)))
		page := content[at:min(len(content), at+512)]
		switch value := changes[5]; changes[0] % 4 {
		case 0:
			content[at] ^= value
		case 1:
			content = content[:at]
		case 2:
			clear(page)
		case 3:
			copy(page, content[int(value)*512%len(content):])
		}
	}
	return content
}

// filled is a database with something in all its tables.
func filled(f *testing.F) []byte {
	f.Helper()
	path := filepath.Join(f.TempDir(), "memory.db")
	freshFile(f, path)
	s := start(f, path, wordModel{})
	calls := []call{
		{"create_entities", []byte(`{"entities":[{"name":"Ana","entityType":"Person","observations":["volcano by the harbour","quartz"]},{"name":"Bob"},{"name":"東京","observations":["日本の首都"]}]}`)},
		{"create_relations", []byte(`{"relations":[{"from":"Ana","to":"Bob","relationType":"knows"},{"from":"Bob","to":"Ana","relationType":"knows"}]}`)},
		{"open_nodes", []byte(`{"names":["Ana","Bob"]}`)},
		{"search_semantic", []byte(`{"query":"volcano"}`)},
	}
	for _, c := range calls {
		if _, err := s.send([]call{c}, false); err != nil {
			f.Fatal(err)
		}
	}
	if err := s.close(nil); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return content
}

// unpacked is a database of the Python server.
func unpacked(f *testing.F, name string) []byte {
	f.Helper()
	packed, err := os.Open(filepath.Join("..", "sqlite", "testdata", name+".db.gz"))
	if err != nil {
		f.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		f.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		f.Fatal(err)
	}
	return content
}
