package httpserver

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"mcp-memory/internal/mcpserver"
)

// answered is a response as far as the log and the metrics want to know it.
type answered struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (a *answered) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answered) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// watched logs and counts what next answers, and makes a panic an answer. It
// never logs what a client asks for, beyond the path of what is served here.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		a := &answered{ResponseWriter: w}
		var served mcpserver.Served
		defer func() {
			p := recover()
			if p != nil {
				s.log.Error("request panicked", "panic", p, "stack", string(debug.Stack()))
			}
			if p != nil && a.status == 0 {
				http.Error(a, "internal error", http.StatusInternalServerError)
				p = nil
			}
			if a.status == 0 {
				a.status = http.StatusOK
			}
			s.metrics.request(pathOf(r), methodOf(r), a.status)
			s.logRequest(r, a, served, time.Since(began))
			if p != nil {
				panic(http.ErrAbortHandler) // half an answer must not look like a whole one
			}
		}()
		next.ServeHTTP(a, r.WithContext(mcpserver.WithServed(r.Context(), &served)))
	})
}

func (s *Server) logRequest(r *http.Request, a *answered, served mcpserver.Served, took time.Duration) {
	level := slog.LevelInfo
	if path := pathOf(r); a.status == http.StatusOK && (path == healthPath || path == metricsPath) {
		level = slog.LevelDebug // asked for all the time
	}
	fields := []any{
		"method", methodOf(r), "path", pathOf(r), "status", a.status,
		"took", took.Round(time.Microsecond), "bytes", a.bytes, "remote", r.RemoteAddr,
	}
	for _, known := range []struct{ name, value string }{{"session", served.Session}, {"mcp", served.Method}, {"tool", served.Tool}} {
		if known.value != "" {
			fields = append(fields, known.name, known.value)
		}
	}
	s.log.Log(r.Context(), level, "http", fields...)
}

// pathOf names what was asked for, without what a client made up.
func pathOf(r *http.Request) string {
	switch path := r.URL.Path; {
	case path == mcpPath+"/":
		return mcpPath
	case path == mcpPath, path == healthPath, path == metricsPath:
		return path
	case len(path) >= len(apiPath) && path[:len(apiPath)] == apiPath:
		return apiPath
	}
	return "/"
}

func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}
