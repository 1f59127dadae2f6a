package web_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/web"
)

// site is the page on an empty memory without a model.
type site struct {
	*memory.Service
	http.Handler
}

func newSite(t *testing.T) site {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine := onnx.New(onnx.Options{ModelDir: t.TempDir()})
	s := memory.New(db, engine, memory.Options{})
	t.Cleanup(func() {
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		_ = engine.Close()
	})
	return site{s, web.Handler(s, slog.New(slog.DiscardHandler))}
}

// post asks the API, and returns status and answer.
func (s site) post(path, body string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, "/api/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// must is post that must succeed.
func (s site) must(t *testing.T, path, body string) string {
	t.Helper()
	status, answer := s.post(path, body)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", path, body, status, answer)
	}
	return answer
}

// call calls tools, and returns the id to undo that by.
func (s site) call(t *testing.T, calls string) (undo string) {
	t.Helper()
	var out struct{ Undo struct{ ID string } }
	if err := json.Unmarshal([]byte(s.must(t, "call", `{"calls":[`+calls+`]}`)), &out); err != nil {
		t.Fatal(err)
	}
	return out.Undo.ID
}

func (s site) document(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.ExportDocument(t.Context(), &b, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const makeAna = `{"name":"create_entities","arguments":{"entities":[{"name":"Ana","entityType":"person","observations":["a <b>","b"]},{"name":"Faro"}]}},` +
	`{"name":"create_relations","arguments":{"relations":[{"from":"Ana","to":"Faro","relationType":"leads"}]}}`

func TestFiles(t *testing.T) {
	s := newSite(t)
	get := func(method, path, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]string{
		"/": "text/html; charset=utf-8", "/main.js": "text/javascript; charset=utf-8", "/style.css": "text/css; charset=utf-8",
		"/icon.svg": "image/svg+xml", "/vendor/graph.min.js": "text/javascript; charset=utf-8", "/vendor/LICENSES.txt": "text/plain; charset=utf-8",
	} {
		response := get(http.MethodGet, path, "")
		header := response.Header()
		if response.Code != http.StatusOK || header.Get("Content-Type") != want || response.Body.Len() == 0 {
			t.Errorf("%s: %d, %s, %d bytes", path, response.Code, header.Get("Content-Type"), response.Body.Len())
		}
		if again := get(http.MethodGet, path, header.Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.Code)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options"} {
			if header.Get(name) == "" {
				t.Errorf("%s has no %s", path, name)
			}
		}
	}
	policy := get(http.MethodGet, "/", "").Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "blob:") {
		t.Errorf("policy %s", policy)
	}
	for path, want := range map[string]int{"/vendor/": 404, "/vendor": 404, "/page/index.html": 404, "/..%2fweb.go": 404, "/nothing.js": 404} {
		if got := get(http.MethodGet, path, "").Code; got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	if got := get(http.MethodPost, "/main.js", "").Code; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got)
	}
}

func TestUndoBringsAllBack(t *testing.T) {
	s := newSite(t)
	made := s.call(t, makeAna)
	before := s.document(t)
	deleted := s.call(t, `{"name":"delete_entities","arguments":{"entityNames":["Ana"]}}`)
	if status, _ := s.post("entity", `{"name":"Ana"}`); status != http.StatusNotFound {
		t.Errorf("what is deleted: %d", status)
	}
	if got := s.must(t, "undo", `{"id":"`+deleted+`"}`); got != `{"incomplete":false}` {
		t.Errorf("undo answers %s", got)
	}
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}
	if status, answer := s.post("undo", `{"id":"`+deleted+`"}`); status != http.StatusGone || !strings.Contains(answer, "no longer be undone") {
		t.Errorf("undoing twice: %d %s", status, answer)
	}
	s.call(t, `{"name":"add_observations","arguments":{"name":"Ana","observations":["c"]}}`)
	if status, answer := s.post("undo", `{"id":"`+made+`"}`); status != http.StatusConflict || answer != `{"error":"Cannot be undone: Ana has been changed since"}` {
		t.Errorf("undoing what others built on: %d %s", status, answer)
	}
}

// A relation to what is gone comes back with it, in whatever order both are undone.
func TestUndoOfBothEnds(t *testing.T) {
	s := newSite(t)
	s.call(t, makeAna)
	before := s.document(t)
	ana := s.call(t, `{"name":"delete_entities","arguments":{"entityNames":["Ana"]}}`)
	faro := s.call(t, `{"name":"delete_entities","arguments":{"entityNames":["Faro"]}}`)
	if got := s.must(t, "undo", `{"id":"`+ana+`"}`); got != `{"incomplete":true}` {
		t.Errorf("the first answers %s", got)
	}
	if got := s.must(t, "undo", `{"id":"`+faro+`"}`); got != `{"incomplete":false}` {
		t.Errorf("the second answers %s", got)
	}
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}
}

// What others changed meanwhile is not changed unseen.
func TestExpectations(t *testing.T) {
	s := newSite(t)
	s.call(t, makeAna)
	var shown struct{ UpdatedAt string }
	if err := json.Unmarshal([]byte(s.must(t, "entity", `{"name":"Ana"}`)), &shown); err != nil || shown.UpdatedAt == "" {
		t.Fatalf("updatedAt %q, %v", shown.UpdatedAt, err)
	}
	before := s.document(t)
	for name, tc := range map[string]struct {
		calls, want string
		status      int
	}{
		"an observation that is gone": {
			`{"name":"add_observations","arguments":{"name":"Ana","observations":["c"]},"expect":{"name":"Ana","observation":"z"}}`,
			`{"error":"Ana has been changed meanwhile: the observation is not there any more"}`, http.StatusConflict,
		},
		"only the second of two": {
			`{"name":"add_observations","arguments":{"name":"Ana","observations":["c"]}},` +
				`{"name":"delete_observations","arguments":{"name":"Ana","observations":["z"]},"expect":{"name":"Ana","observation":"z"}}`,
			`{"error":"Ana has been changed meanwhile: the observation is not there any more"}`, http.StatusConflict,
		},
		"another type": {
			`{"name":"create_entities","arguments":{"entities":[{"name":"Ana","entityType":"robot"}]},"expect":{"name":"Ana","entityType":"captain"}}`,
			`{"error":"Ana has been changed meanwhile: its type is person now"}`, http.StatusConflict,
		},
		"another time": {
			`{"name":"delete_entities","arguments":{"entityNames":["Ana"]},"expect":{"name":"Ana","updatedAt":"2020-01-01 00:00:00"}}`,
			`{"error":"Ana has been changed meanwhile: look at it again"}`, http.StatusConflict,
		},
		"a memory that is there by now": {
			`{"name":"create_entities","arguments":{"entities":[{"name":"Ana","entityType":"robot"}]},"expect":{"name":"Ana","absent":true}}`,
			`{"error":"Ana has been changed meanwhile: it is there now"}`, http.StatusConflict,
		},
		"a memory that is gone": {
			`{"name":"create_entities","arguments":{"entities":[{"name":"Nobody","entityType":"x"}]},"expect":{"name":"Nobody"}}`,
			`{"error":"Entity not found: Nobody"}`, http.StatusNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if status, answer := s.post("call", `{"calls":[`+tc.calls+`]}`); status != tc.status || answer != tc.want {
				t.Errorf("%d %s, want %d %s", status, answer, tc.status, tc.want)
			}
			if diff := cmp.Diff(before, s.document(t)); diff != "" {
				t.Errorf("changed all the same (-before +after):\n%s", diff)
			}
		})
	}
	s.call(t, `{"name":"add_observations","arguments":{"name":"Ana","observations":["c"]},"expect":{"name":"Ana","entityType":"person","observation":"b","updatedAt":"`+shown.UpdatedAt+`"}}`)
	if got := s.document(t); !strings.Contains(got, `"content":"c"`) {
		t.Errorf("what is as expected is not changed:\n%s", got)
	}
}

// A page that was loaded anew asks what can still be undone.
func TestUndoable(t *testing.T) {
	s := newSite(t)
	first := s.call(t, makeAna)
	second := s.call(t, `{"name":"add_observations","arguments":{"name":"Ana","observations":["c"]}}`)
	s.must(t, "undo", `{"id":"`+second+`"}`)
	var got struct{ Seconds map[string]int }
	if err := json.Unmarshal([]byte(s.must(t, "undoable", `{"ids":["`+first+`","`+second+`","never"]}`)), &got); err != nil {
		t.Fatal(err)
	}
	if left := got.Seconds[first]; len(got.Seconds) != 1 || left < 1 || left > 600 {
		t.Errorf("undoable: %v, want only %s, within 600 seconds", got.Seconds, first)
	}
	if got := s.must(t, "undoable", `{}`); got != `{"seconds":{}}` {
		t.Errorf("of nothing: %s", got)
	}
}

// Calls that belong together are all made, or none.
func TestCallsAreOneChange(t *testing.T) {
	s := newSite(t)
	s.call(t, makeAna)
	before := s.document(t)
	status, answer := s.post("call", `{"calls":[{"name":"add_observations","arguments":{"name":"Ana","observations":["c"]}},{"name":"delete_observations","arguments":{"name":"Nobody","observations":["b"]}}]}`)
	if status != http.StatusNotFound || answer != `{"error":"Entity not found: Nobody"}` {
		t.Errorf("%d %s", status, answer)
	}
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("changed all the same (-before +after):\n%s", diff)
	}
}

func TestReads(t *testing.T) {
	s := newSite(t)
	if _, err := s.ImportFrom(t.Context(), strings.NewReader(`{"format":"mcp-memory","version":1,"entities":[
{"name":"A","entityType":"T","createdAt":"2026-01-01 10:00:00","updatedAt":"2026-01-02 10:00:00","access":{"count":3,"lastAccess":"2026-01-03 10:00:00"},"observations":[{"content":"<x>","createdAt":"2026-01-01 10:00:00"}]},
{"name":"B","entityType":"T","createdAt":"2026-01-01 10:00:00","updatedAt":"2026-01-02 10:00:00","observations":[]}],
"relations":[{"from":"B","to":"A","relationType":"r","createdAt":"2026-01-04 10:00:00"}],
"coOccurrences":[{"a":"A","b":"B","count":2,"lastTogether":"2026-01-05 10:00:00"}]}`)); err != nil {
		t.Fatal(err)
	}
	const a = `{"name":"A","entityType":"T","accesses":3,"degree":1}`
	const b = `{"name":"B","entityType":"T","accesses":0,"degree":1}`
	const relation = `[{"from":"B","to":"A","relationType":"r"}]`
	for _, tc := range []struct{ path, body, want string }{
		{"entity", `{"name":"A"}`, `{"name":"A","entityType":"T","createdAt":"2026-01-01 10:00:00","updatedAt":"2026-01-02 10:00:00","access":{"count":3,"lastAccess":"2026-01-03 10:00:00"},` +
			`"observations":[{"content":"<x>","createdAt":"2026-01-01 10:00:00"}],"relations":[{"from":"B","to":"A","relationType":"r","createdAt":"2026-01-04 10:00:00"}],` +
			`"together":[{"name":"B","count":2,"last":"2026-01-05 10:00:00"}]}`},
		{"most-used", `{"limit":1}`, `{"nodes":[` + a + `],"relations":[],"total":2}`},
		{"outline", `{"limit":9,"offset":1}`, `{"nodes":[` + b + `],"relations":` + relation + `,"total":2}`},
		{"neighbours", `{"name":"A","limit":9,"shown":["A"]}`, `{"nodes":[` + a + `,` + b + `],"relations":` + relation + `,"total":1}`},
	} {
		if got := s.must(t, tc.path, tc.body); got != tc.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", tc.path, tc.body, got, tc.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	s := newSite(t)
	for _, tc := range []struct {
		path, body string
		status     int
		say        string
	}{
		{"entity", `{"name":"Nobody"}`, http.StatusNotFound, "Entity not found: Nobody"},
		{"entity", `[`, http.StatusBadRequest, "JSON"},
		{"entity", `"text"`, http.StatusBadRequest, "JSON"},
		{"outline", `{}`, http.StatusBadRequest, "limit: must be 1 to 1000"},
		{"outline", `{"limit":1,"offset":-1}`, http.StatusBadRequest, "offset: must be"},
		{"neighbours", `{"name":"A","limit":1001}`, http.StatusBadRequest, "limit: must be 1 to 1000"},
		{"undo", `{"id":"never"}`, http.StatusGone, "no longer be undone"},
		{"call", `{"calls":[{"name":"migrate","arguments":{"source_path":"/etc/passwd"}}]}`, http.StatusBadRequest, `calls[0].name: there is no tool \"migrate\" here`},
		{"call", `{"calls":[{"name":"create_entities","arguments":{"entities":[{"name":" "}]}}]}`, http.StatusUnprocessableEntity, "entities[0].name"},
		{"call", `{"calls":[{"name":"search_semantic","arguments":{"query":"x"}}]}`, http.StatusServiceUnavailable, "Embedding model not available. Run 'mcp-memory model download' to download the model first.\"}"},
		{"call", `{"calls":[{"name":"search_nodes","arguments":{"query":"` + strings.Repeat("x", 17<<20) + `"}}]}`, http.StatusRequestEntityTooLarge, "16 MB"},
		{"nothing", `{}`, http.StatusNotFound, "/api/nothing"},
	} {
		status, answer := s.post(tc.path, tc.body)
		var said struct{ Error string }
		if err := json.Unmarshal([]byte(answer), &said); err != nil || status != tc.status || !strings.Contains(answer, tc.say) {
			t.Errorf("%s %.80s: %d %s, want %d with %s (%v)", tc.path, tc.body, status, answer, tc.status, tc.say, err)
		}
	}
	// What a page of another site could send without being asked first.
	for _, contentType := range []string{"text/plain", "", "application/x-www-form-urlencoded"} {
		r := httptest.NewRequest(http.MethodPost, "/api/entity", strings.NewReader(`{"name":"A"}`))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusUnsupportedMediaType || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("Content-Type %q: %d, cache %s", contentType, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/entity", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost {
		t.Errorf("GET: %d", w.Code)
	}
}
