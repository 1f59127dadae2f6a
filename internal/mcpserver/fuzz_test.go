package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"mcp-memory/internal/leak"
	"mcp-memory/internal/mcpserver"
)

// FuzzServe sends anything. Whatever it is, the server ends with its input, has
// written nothing but whole JSON-RPC messages without a word of its inside, and
// has answered each request once under the very id it had.
func FuzzServe(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
	call := func(id, tool string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"a":1}}}`
	}
	for _, lines := range []string{
		"", "\n\r\n", "[]", "[1,[],{}]", "{", `{}`, `nonsense`, "\xff\xfe", `"a"`, "\ufeff" + hello,
		hello + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		call("1", "create_entities") + "\n" + call(`"1"`, "search_nodes") + "\r\n" + call("1e2", "delete_entities"),
		"[" + call("1", "open_nodes") + "," + call("2", "read_graph") + "]", call("3", "no_such_tool"), call("null", "open_nodes"), call("{}", "open_nodes"),
		`{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + call("1", "search_nodes"),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_entities","_meta":{"progressToken":1},"arguments":null}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xe9\",\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xe9\"}",
		`{"jsonrpc":"2.0","id":-0.0,"method":"tools/list","params":{"cursor":"x"}}`, `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"ping","params":[]}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":5}}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":5}}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":5}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`, `{"id":1,"ID":2,"jsonrpc":"2.0","METHOD":"ping","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"memory://graph"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"tidy"},"argument":{"name":"entity","value":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["memory://graph"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`,
	} {
		f.Add([]byte(lines))
	}
	for _, file := range transcripts(f) {
		f.Add(file)
	}
	s := mcpserver.New("1.2.3", fakes(), slog.New(slog.DiscardHandler), mcpserver.WithMaxLine(1<<16), mcpserver.WithMemory(newMemory(f, ":memory:")))
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		if err := s.ServeStdio(t.Context(), bytes.NewReader(input), &out); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 0 && !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
			t.Fatalf("the last line has no end: %q", out.Bytes())
		}
		answered := map[string]int{}
		for line := range bytes.Lines(out.Bytes()) {
			for _, m := range messagesIn(t, line) {
				m.check(t, string(input))
				answered[string(m.ID)]++
			}
		}
		if bytes.Contains(input, []byte("cancelled")) { // such requests get no answer
			return
		}
		for id, n := range requestsIn(input) {
			if answered[id] < n {
				t.Errorf("%d requests of id %s, %d answers", n, id, answered[id])
			}
		}
	})
}

// transcripts are what clients send in the files of testdata.
func transcripts(f *testing.F) (list [][]byte) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, archive.Files[0].Data)
	}
	return list
}

// wireMessage is what a server may write.
type wireMessage struct {
	JSONRPC string
	ID      json.RawMessage
	Method  string
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// messagesIn reads a line: a message or a list of them.
func messagesIn(t *testing.T, line []byte) []wireMessage {
	t.Helper()
	if !utf8.Valid(line) {
		t.Fatalf("%q is not UTF-8", line)
	}
	var list []wireMessage
	if line[0] != '[' {
		line = slices.Concat([]byte("["), line, []byte("]"))
	}
	if err := json.Unmarshal(line, &list); err != nil || len(list) == 0 {
		t.Fatalf("%q: %v", line, err)
	}
	return list
}

func (m wireMessage) check(t *testing.T, input string) {
	t.Helper()
	kinds := 0
	for _, is := range []bool{m.Method != "", m.Result != nil, m.Error != nil} {
		if is {
			kinds++
		}
	}
	if m.JSONRPC != "2.0" || kinds != 1 || (m.Method == "") != (m.ID != nil) {
		t.Fatalf("no message of JSON-RPC: %+v", m)
	}
	text := string(m.Result)
	if m.Error != nil {
		text = m.Error.Message + string(m.Error.Data)
	}
	if strings.Contains(text, `"tools":`) { // descriptions are not what went wrong
		return
	}
	if word := leak.In(text, input, unescaped(input)); word != "" {
		t.Fatalf("%q says %q", text, word)
	}
}

// requestsIn counts the requests of a client's lines by id, as far as they are
// plainly requests.
func requestsIn(input []byte) map[string]int {
	ids := map[string]int{}
	for line := range bytes.Lines(input) {
		line = bytes.TrimSpace(line)
		var m map[string]json.RawMessage
		if len(line) > 1<<15 || json.Unmarshal(line, &m) != nil || len(m["method"]) < 3 || m["method"][0] != '"' {
			continue
		}
		if id := m["id"]; len(id) > 0 && utf8.Valid(id) && (id[0] == '"' || json.Unmarshal(id, new(float64)) == nil && string(id) != "null") {
			ids[string(id)]++
		}
	}
	return ids
}

// unescaped is a text with its JSON escapes read, roughly.
func unescaped(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		var text string
		quoted := `"` + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(line), `\"`, `'`), `"`, `'`) + `"`
		if json.Unmarshal([]byte(quoted), &text) == nil {
			b.WriteString(text)
		}
	}
	return b.String()
}
