package mcpserver

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// bodyTimeout is how long a client may take to send a message.
const bodyTimeout = time.Minute

// post carries out a message, or a list of messages.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		writeError(w, http.StatusUnsupportedMediaType, nil, mcp.INVALID_REQUEST, "Content-Type must be application/json")
		return
	}
	raw, release, err := h.body(w, r)
	defer release()
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		writeError(w, http.StatusRequestEntityTooLarge, nil, mcp.INVALID_REQUEST, "the message is too long: at most "+megabytes(h.server.maxLine)+" are read")
		return
	case errors.Is(err, errBusy):
		writeBusy(w, nil, err)
		return
	case err != nil:
		writeError(w, http.StatusBadRequest, nil, mcp.PARSE_ERROR, "the message could not be read to its end")
		return
	}
	if len(raw) > 0 && raw[0] == '[' {
		h.batch(w, r, raw)
		return
	}
	m, refused := parse(raw)
	if refused != nil && !m.silent {
		writeError(w, http.StatusBadRequest, m.id, refused.code, refused.text)
		return
	}
	h.message(w, r, raw, m)
}

// body reads a message. What it takes in memory counts until release is called.
func (h *HTTP) body(w http.ResponseWriter, r *http.Request) (raw []byte, release func(), err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	in := &measured{in: http.MaxBytesReader(w, r.Body, int64(h.server.maxLine)), room: h}
	raw, err = io.ReadAll(in)
	_ = control.SetReadDeadline(time.Time{})
	return trimmed(raw), func() { h.bodies.Release(in.taken) }, err
}

// measured is a reader that takes room for what it has read.
type measured struct {
	in    io.Reader
	room  *HTTP
	taken int64
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if !m.room.bodies.TryAcquire(int64(n)) {
		return 0, errBusy
	}
	m.taken += int64(n)
	return n, err
}

// message carries out one message.
func (h *HTTP) message(w http.ResponseWriter, r *http.Request, raw json.RawMessage, m message) {
	x, leave := h.exchangeOf(w, r, m)
	if x == nil {
		return
	}
	defer leave()
	note(r, m.method, h.toolName(m), x.sessionID())
	if x.stateless && m.method == string(mcp.MethodSubscriptionsListen) && m.id != nil {
		h.subscribe(w, r, m)
		return
	}
	over, err := h.begin(r.Context(), x.session.peer)
	if err != nil {
		writeBusy(w, m.id, err)
		return
	}
	defer over()
	x.carryOut(raw, m)
}

// exchangeOf returns the exchange of a message: within a session, with one that
// has yet to begin, or without. It returns nil if the request is answered.
func (h *HTTP) exchangeOf(w http.ResponseWriter, r *http.Request, m message) (x *httpExchange, leave func()) {
	if isModern(r.Header, m.params) {
		if err := checkModern(r.Header, m); err != nil {
			writeReply(newStream(w), http.StatusBadRequest, refusal(m.id, err))
			return nil, nil
		}
		return h.exchange(w, r, h.newSession(), true), func() {}
	}
	if m.method == string(mcp.MethodInitialize) {
		return h.exchange(w, r, h.newSession(), false), func() {}
	}
	if refuseRevision(w, r, m.id) {
		return nil, nil
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	s, leave := h.enter(id)
	if s == nil {
		writeNoSession(w, m.id, id)
		return nil, nil
	}
	return h.exchange(w, r, s, false), leave
}

// toolName returns the name of the tool that a message calls, if it is one.
func (h *HTTP) toolName(m message) string {
	if m.method != string(mcp.MethodToolsCall) {
		return ""
	}
	return h.server.tools[text(members(m.params)["name"])].Name
}

// batch carries out a list of messages, as a revision of the protocol knows it
// that has sessions. It is answered by a list, without events.
func (h *HTTP) batch(w http.ResponseWriter, r *http.Request, raw json.RawMessage) {
	messages, refused := messagesOf(raw)
	if refused != nil {
		writeError(w, http.StatusBadRequest, nil, refused.code, refused.text)
		return
	}
	for _, raw := range messages {
		if m, _ := parse(raw); m.method == string(mcp.MethodInitialize) {
			writeError(w, http.StatusBadRequest, nil, mcp.INVALID_REQUEST, "initialize must not be in a batch")
			return
		}
	}
	x, leave := h.exchangeOf(w, r, message{})
	if x == nil {
		return
	}
	defer leave()
	note(r, "batch", "", x.sessionID())
	over, err := h.begin(r.Context(), x.session.peer)
	if err != nil {
		writeBusy(w, nil, err)
		return
	}
	defer over()
	replies := make([]json.RawMessage, len(messages))
	var open sync.WaitGroup
	open.Add(len(messages))
	for i, raw := range messages {
		x.session.peer.handle(raw, exchange{ask: x.ask, gone: r.Context(), reply: func(reply json.RawMessage) {
			replies[i] = reply
			open.Done()
		}})
	}
	open.Wait()
	writeReply(x.w, http.StatusOK, join(replies))
}

// takesEvents reports whether the client says that it reads events.
func takesEvents(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), eventStream)
}
