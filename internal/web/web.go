package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"mcp-memory/internal/memory"
)

//go:embed page
var embedded embed.FS

// policy lets the page load its own files and ask its own server, and nothing
// else. No text becomes markup or script, whoever wrote it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"worker-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; " +
	"require-trusted-types-for 'script'; trusted-types layout"

// contentTypes are those of the page's files: what the system thinks of them does
// not matter.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// Handler serves the page, and below /api/ the memory. Whoever mounts it demands
// the token there; the rest holds no data.
func Handler(service *memory.Service, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	for name, f := range files() {
		mux.Handle("GET /"+name, f)
	}
	mux.Handle("/api/", newAPI(service, log))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		mux.ServeHTTP(w, r)
	})
}

// file is one of the page's files.
type file struct {
	content     []byte
	contentType string
	tag         string
}

// files are the files of the page by their paths; index.html is that of the root.
func files() map[string]file {
	list := map[string]file{}
	err := fs.WalkDir(embedded, "page", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		contentType, known := contentTypes[path.Ext(name)]
		if !known {
			return fmt.Errorf("%s has no content type", name)
		}
		hash := sha256.Sum256(content)
		f := file{content, contentType, `"` + hex.EncodeToString(hash[:16]) + `"`}
		name = strings.TrimPrefix(name, "page/")
		if name == "index.html" {
			name = "{$}"
		}
		list[name] = f
		return nil
	})
	if err != nil {
		panic(err) // of what is compiled in
	}
	return list
}

func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "no-cache") // ask whether it has changed
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}
