package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

const eventStream = "text/event-stream"

// httpExchange is one POST request and its response, which becomes a stream of
// events if anything comes before the reply.
type httpExchange struct {
	http      *HTTP
	r         *http.Request
	session   *httpSession
	stateless bool // the session is made for this request

	w   *stream
	out *output // of events; nil if the client takes none
}

func (h *HTTP) exchange(w http.ResponseWriter, r *http.Request, s *httpSession, stateless bool) *httpExchange {
	x := &httpExchange{http: h, r: r, session: s, stateless: stateless, w: newStream(w)}
	if takesEvents(r) {
		x.out = newOutput(events{x.w}, func() {})
	}
	return x
}

// sessionID returns the id of a session that is known; "" for none.
func (x *httpExchange) sessionID() string {
	if x.session.gone == nil {
		return ""
	}
	return x.session.id
}

// carryOut has the message handled, and writes what becomes of it.
func (x *httpExchange) carryOut(raw json.RawMessage, m message) {
	answered := make(chan json.RawMessage, 1)
	x.session.peer.handle(raw, exchange{
		ask: x.ask, out: x.out, gone: x.r.Context(), stateless: x.stateless,
		reply: func(reply json.RawMessage) { answered <- reply },
	})
	answer := <-answered
	if m.method == string(mcp.MethodInitialize) && !x.stateless && !isError(answer) {
		leave, err := x.http.keep(x.r.Context(), x.session)
		if err != nil {
			writeBusy(x.w, m.id, errBusy)
			return
		}
		defer leave()
		note(x.r, m.method, "", x.session.id)
		x.w.Header().Set(mcp.HeaderSessionID, x.session.id)
	}
	x.respond(answer, m.silent || m.isReply)
}

// respond writes the answer, if there is one.
func (x *httpExchange) respond(answer json.RawMessage, silent bool) {
	if x.out != nil {
		x.out.wait()
		if x.w.begun && answer != nil {
			x.out.line(answer, nil)
			x.out.wait()
		}
		_ = x.out.close()
	}
	switch {
	case x.w.begun:
	case answer != nil && x.stateless:
		writeReply(x.w, statusOf(answer), answer)
	case answer != nil:
		writeReply(x.w, http.StatusOK, answer)
	case silent:
		writeReply(x.w, http.StatusAccepted, nil)
	default: // withdrawn: a stream without a reply
		events{x.w}.begin()
	}
}

// ask lets mcp-go answer.
func (x *httpExchange) ask(ctx context.Context, m message, params json.RawMessage) json.RawMessage {
	session := x.session.ofRequest()
	reply := x.http.server.ask(x.http.server.mcp.WithContext(ctx, session), m, params)
	if x.out != nil {
		tell(session.about, x.out)
	}
	return reply
}

// events writes JSON lines as events.
type events struct{ w *stream }

func (e events) begin() {
	e.w.Header().Set("Content-Type", eventStream)
	e.w.Header().Set("Cache-Control", "no-cache")
	e.w.WriteHeader(http.StatusOK)
}

// Write implements io.Writer. It gets a line at once.
func (e events) Write(line []byte) (int, error) {
	if !e.w.begun {
		e.begin()
	}
	event := append([]byte("event: message\ndata: "), line...)
	if _, err := e.w.Write(append(event, '\n')); err != nil {
		return 0, err
	}
	return len(line), nil
}
