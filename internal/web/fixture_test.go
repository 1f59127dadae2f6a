//go:build browser

package web_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-memory/internal/fold"
	"mcp-memory/internal/httpserver"
	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
	"mcp-memory/internal/web"
)

var browser *chromium

func TestMain(m *testing.M) {
	profile, err := os.MkdirTemp("", "browser")
	if err == nil {
		browser, err = startChromium(profile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	browser.stop()
	_ = os.RemoveAll(profile)
	os.Exit(code)
}

// words embeds texts by their words, without a model.
type words struct{ missing atomic.Bool }

func (w *words) Ready() bool     { return !w.missing.Load() }
func (w *words) Warm()           {}
func (w *words) ModelID() string { return "words/1" }

func (w *words) Load(context.Context) error {
	if w.missing.Load() {
		return memory.ErrNoModel
	}
	return nil
}

func (w *words) Embed(_ context.Context, _ memory.Kind, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, memory.Dimensions)
		v[0] = 1
		for word := range strings.FieldsSeq(fold.Text(text)) {
			h := fnv.New32a()
			h.Write([]byte(word))
			v[1+h.Sum32()%(memory.Dimensions-1)]++
		}
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		vectors[i] = v
	}
	return vectors, nil
}

func (w *words) CountTokens(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(strings.Fields(text))
	}
	return counts, nil
}

// server is the real server with the page, on a memory of its own.
type server struct {
	*memory.Service
	URL      string
	embedder *words
	log      *slog.Logger
	logged   *bytes.Buffer
	before   atomic.Pointer[func(*http.Request)] // called before each request
	handler  atomic.Pointer[http.Handler]
}

const token = "SECRET-OF-THE-TEST"

func newServer(t *testing.T, embedder memory.Embedder) *server {
	t.Helper()
	s := &server{embedder: &words{}, logged: &bytes.Buffer{}}
	if embedder == nil {
		embedder = s.embedder
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.log = slog.New(slog.NewTextHandler(s.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.Service = memory.New(db, embedder, memory.Options{})
	s.Start(context.WithoutCancel(t.Context()))
	s.restart(token)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before := s.before.Load(); before != nil {
			(*before)(r)
		}
		(*s.handler.Load()).ServeHTTP(w, r)
	}))
	s.URL = listening.URL
	t.Cleanup(func() {
		listening.Close()
		s.Service.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if strings.Contains(s.logged.String(), token) {
			t.Error("the token is in the log")
		}
	})
	return s
}

// restart has a server begin that knows nothing of what was before, but for the memory.
func (s *server) restart(token string) {
	mcp := mcpserver.New("test", tool.Catalog(s.Service), s.log)
	h := httpserver.New(mcp, s.Service, s.log, httpserver.WithToken(token), httpserver.WithPage(web.Handler(s.Service, s.log))).Handler()
	s.handler.Store(&h)
}

// away has the server not answer until what it returns is called.
func (s *server) away() (back func()) {
	abort := func(*http.Request) { panic(http.ErrAbortHandler) }
	s.before.Store(&abort)
	return func() { s.before.Store(nil) }
}

// page opens the page in a new tab, with the token in the address.
func (s *server) page(t *testing.T) *tab {
	t.Helper()
	tb := newTab(t, browser, s.URL)
	tb.open(s.URL + "/#token=" + token)
	tb.wait(`document.querySelector("#list li")`)
	return tb
}

// load imports a document.
func (s *server) load(t *testing.T, document string) {
	t.Helper()
	report, err := s.ImportFrom(t.Context(), strings.NewReader(document))
	if err != nil || len(report.Problems) > 0 {
		t.Fatal(err, report.Problems)
	}
}

// document is all that is stored.
func (s *server) document(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if _, err := s.ExportDocument(t.Context(), &b, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const faro = `{"format":"mcp-memory","version":1,
"entities":[
{"name":"Ana Ruiz","entityType":"person","createdAt":"2026-01-01 10:00:00","updatedAt":"2026-02-02 10:00:00","access":{"count":41,"lastAccess":"2026-03-03 10:00:00"},"observations":[{"content":"Leads the lighthouse project","createdAt":"2026-01-01 10:00:00"},{"content":"Prefers calls before noon","createdAt":"2026-01-02 10:00:00"},{"content":"Speaks Spanish and Catalan","createdAt":"2026-01-03 10:00:00"}]},
{"name":"Project Faro","entityType":"project","createdAt":"2026-01-04 10:00:00","updatedAt":"2026-01-05 10:00:00","access":{"count":20,"lastAccess":"2026-01-06 10:00:00"},"observations":[{"content":"Automates a lighthouse in Galicia","createdAt":"2026-01-04 10:00:00"}]},
{"name":"Lumen","entityType":"company","createdAt":"2026-01-07 10:00:00","updatedAt":"2026-01-08 10:00:00","observations":[{"content":"Eligió SQLite para la canción del faro","createdAt":"2026-01-07 10:00:00"}]}
],"relations":[
{"from":"Ana Ruiz","to":"Project Faro","relationType":"leads","createdAt":"2026-01-09 10:00:00"},
{"from":"Lumen","to":"Ana Ruiz","relationType":"employs","createdAt":"2026-01-10 10:00:00"}
],"coOccurrences":[{"a":"Ana Ruiz","b":"Project Faro","count":7,"lastTogether":"2026-01-13 10:00:00"}]}`
