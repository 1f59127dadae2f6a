package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
)

// maxRequest is the length of a request in bytes: enough for the longest
// observation.
const maxRequest = 16 << 20

// api answers what the page asks: POST with a JSON object, answered by one. A
// failure is {"error": TEXT}.
type api struct {
	service *memory.Service
	log     *slog.Logger
	tools   map[string]tool.Tool
	undos   *keeper
}

func newAPI(service *memory.Service, log *slog.Logger) http.Handler {
	a := &api{service: service, log: log, tools: map[string]tool.Tool{}, undos: newKeeper(time.Now)}
	for _, t := range tool.Catalog(service) {
		if t.Name != "migrate" { // it reads files of the server's machine
			a.tools[t.Name] = t
		}
	}
	mux := http.NewServeMux()
	handle(mux, a, "call", a.call)
	handle(mux, a, "undo", a.undo)
	handle(mux, a, "undoable", a.undoable)
	handle(mux, a, "entity", a.entity)
	handle(mux, a, "most-used", a.mostUsed)
	handle(mux, a, "neighbours", a.neighbours)
	handle(mux, a, "outline", a.outline)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusNotFound, failure{"there is nothing at " + r.URL.Path})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// failure is what goes wrong, for the user.
type failure struct {
	Error string `json:"error"`
}

// requestError is a request that makes no sense to the API.
type requestError struct {
	status int
	text   string
}

func (e *requestError) Error() string { return e.text }

// handle serves one path: it reads In, and writes Out or what went wrong.
func handle[In, Out any](mux *http.ServeMux, a *api, path string, answer func(context.Context, In) (Out, error)) {
	mux.HandleFunc("POST /api/"+path, func(w http.ResponseWriter, r *http.Request) {
		var in In
		err := read(w, r, &in)
		if err != nil {
			a.fail(w, path, err)
			return
		}
		// Who looks at the memory does not use it.
		out, err := answer(memory.WithoutUse(r.Context()), in)
		if err != nil {
			a.fail(w, path, err)
			return
		}
		reply(w, http.StatusOK, out)
	})
	mux.HandleFunc("/api/"+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		reply(w, http.StatusMethodNotAllowed, failure{"send POST"})
	})
}

// read reads a request. Only a page of our own can send JSON without asking first.
func read(w http.ResponseWriter, r *http.Request, in any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &requestError{http.StatusUnsupportedMediaType, "send Content-Type: application/json"}
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(in)
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		return &requestError{http.StatusRequestEntityTooLarge, "the request is longer than 16 MB"}
	}
	if err != nil {
		return &requestError{http.StatusBadRequest, "the request is not the JSON object that is due"}
	}
	return nil
}

// fail tells the user what went wrong, and the log what the user is not told.
func (a *api) fail(w http.ResponseWriter, path string, err error) {
	if wrong, ok := errors.AsType[*requestError](err); ok {
		reply(w, wrong.status, failure{wrong.text})
		return
	}
	if changed, ok := errors.AsType[*memory.ChangedError](err); ok {
		reply(w, http.StatusConflict, failure{changed.Error()})
		return
	}
	if outdated, ok := errors.AsType[*memory.OutdatedError](err); ok {
		reply(w, http.StatusConflict, failure{outdated.Error()})
		return
	}
	text, known := tool.ErrorTextFor(err, "") // the page says itself what it does without the model
	status := http.StatusUnprocessableEntity
	if _, missing := errors.AsType[*memory.NotFoundError](err); missing {
		status = http.StatusNotFound
	}
	if errors.Is(err, memory.ErrNoModel) {
		status = http.StatusServiceUnavailable
	}
	if !known {
		status = http.StatusInternalServerError
		a.log.Error("page: request failed", "path", path, "error", err)
	}
	reply(w, status, failure{text})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // it fails where nobody listens any more
}
