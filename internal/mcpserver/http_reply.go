package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// JSON-RPC's codes for what only HTTP has, as other servers use them.
const (
	codeNoSession = -32001
	codeBusy      = -32000
)

// retryAfter is when a client that was refused may try again, in seconds.
const retryAfter = 1

// writeReply writes a reply as JSON; nil for what gets none.
func writeReply(w *stream, status int, reply json.RawMessage) {
	if reply == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(reply)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(reply, '\n')) // a client that is gone gets nothing
}

// writeError refuses a request, in the words of JSON-RPC.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	writeReply(newStream(w), status, errorReply(id, code, text))
}

// writeBusy refuses what may be tried again.
func writeBusy(w http.ResponseWriter, id json.RawMessage, err error) {
	if !errors.Is(err, errEnding) {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	writeError(w, http.StatusServiceUnavailable, id, codeBusy, err.Error())
}

// writeNoSession refuses a request of a session that there is not.
func writeNoSession(w http.ResponseWriter, id json.RawMessage, session string) {
	if session == "" {
		writeError(w, http.StatusBadRequest, id, codeBusy, "the header Mcp-Session-Id is missing: send initialize first")
		return
	}
	writeError(w, http.StatusNotFound, id, codeNoSession, errNoSession.Error())
}

// Served is what a log may know of a request: nothing that the client made up,
// except the letters of its session's id, which are random.
type Served struct {
	Method  string // "" if it is none of the protocol's
	Tool    string
	Session string // the first letters of its id
}

type servedKey struct{}

// WithServed has the handler note in s what a request was.
func WithServed(ctx context.Context, s *Served) context.Context {
	return context.WithValue(ctx, servedKey{}, s)
}

// shortID is how many letters of a session's id tell it apart in a log, and
// are no use to anybody.
const shortID = 8

func note(r *http.Request, method, tool, session string) {
	s, ok := r.Context().Value(servedKey{}).(*Served)
	if !ok {
		return
	}
	if methods[method] {
		s.Method = method
	}
	s.Tool, s.Session = tool, session[:min(len(session), shortID)]
}

// methods are those that a client may send.
var methods = map[string]bool{
	"batch": true, "initialize": true, "ping": true, "server/discover": true, "subscriptions/listen": true,
	"tools/list": true, "tools/call": true, "completion/complete": true, "logging/setLevel": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "prompts/list": true, "prompts/get": true,
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true,
	"notifications/roots/list_changed": true,
}
