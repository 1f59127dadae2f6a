package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const eventStream = "text/event-stream"

// httpExchange is one POST request and its response, which becomes a stream of
// events if anything comes before the reply.
type httpExchange struct {
	http   *HTTP
	r      *http.Request
	modern bool

	w      *stream
	out    *output // of events; nil if the client takes none
	status int     // by mcp-go
}

func (h *HTTP) exchange(w http.ResponseWriter, r *http.Request, modern bool) *httpExchange {
	x := &httpExchange{http: h, r: r, modern: modern, w: newStream(w), status: http.StatusOK}
	if takesEvents(r) {
		x.out = newOutput(events{x.w}, func() {})
	}
	return x
}

// carryOut has the peer handle a message, and writes what becomes of it.
func (x *httpExchange) carryOut(p *peer, raw json.RawMessage, m message) {
	if m.isReply {
		answer := x.handOver(p.calls, raw)
		x.w.WriteHeader(max(http.StatusAccepted, answer.status))
		return
	}
	answered := make(chan json.RawMessage, 1)
	reply := func(reply json.RawMessage) { answered <- reply }
	p.handle(raw, exchange{ask: x.ask, out: x.out, gone: x.r.Context(), stateless: x.modern, reply: reply})
	answer := <-answered
	if x.out != nil {
		x.out.wait()
		if x.w.begun {
			if answer != nil {
				x.out.line(answer, nil)
				x.out.wait()
			}
			_ = x.out.close()
			return
		}
		_ = x.out.close()
	}
	switch {
	case answer != nil:
		writeReply(x.w, x.statusOf(answer), answer)
	case m.silent:
		x.w.WriteHeader(http.StatusAccepted)
	default: // withdrawn: a stream without a reply
		x.w.Header().Set("Content-Type", eventStream)
		x.w.WriteHeader(http.StatusOK)
	}
}

// statusOf returns the status of a reply: mcp-go's, or that which newer
// revisions of the protocol give to what was refused before mcp-go saw it.
func (x *httpExchange) statusOf(reply json.RawMessage) int {
	if x.status == http.StatusOK && x.modern && members(members(reply)["error"])["code"] != nil {
		return http.StatusBadRequest
	}
	return x.status
}

// ask lets mcp-go's transport answer.
func (x *httpExchange) ask(ctx context.Context, m message, params json.RawMessage) (reply json.RawMessage) {
	defer x.http.server.recovered(ctx, m, &reply)
	answer := x.handOver(ctx, m.with(params))
	if id := answer.Header().Get(mcp.HeaderSessionID); id != "" {
		if answer.isError() {
			x.http.forget(ctx, id)
		} else {
			note(x.r, m.method, "", id)
			x.w.Header().Set(mcp.HeaderSessionID, id)
		}
	}
	x.status = answer.statusOr(http.StatusOK)
	return answer.reply(m)
}

// handOver gives a message to mcp-go's transport.
func (x *httpExchange) handOver(ctx context.Context, body json.RawMessage) *recorder {
	answer := &recorder{before: func(text json.RawMessage) {
		if x.out != nil {
			x.out.line(text, nil)
		}
	}}
	x.http.transport.Handle(answer, &server.HTTPRequest{Method: http.MethodPost, Header: x.r.Header, Body: body, Context: ctx})
	return answer
}

// recorder takes what mcp-go's transport answers: messages that come before
// the reply, and the reply. It implements server.HTTPResponseWriter.
type recorder struct {
	before func(json.RawMessage)
	header http.Header
	status int
	body   bytes.Buffer // the reply
}

// Header implements server.HTTPResponseWriter.
func (a *recorder) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

// WriteHeader implements server.HTTPResponseWriter.
func (a *recorder) WriteHeader(status int) { a.status = status }

// Flush implements server.HTTPResponseWriter.
func (a *recorder) Flush() {}

// CanStream implements server.HTTPResponseWriter.
func (a *recorder) CanStream() bool { return true }

// Write implements server.HTTPResponseWriter. The transport writes an event at once.
func (a *recorder) Write(p []byte) (int, error) {
	if a.Header().Get("Content-Type") != eventStream {
		return a.body.Write(p)
	}
	for line := range bytes.Lines(p) {
		data, isData := bytes.CutPrefix(line, []byte("data: "))
		switch data = bytes.TrimSpace(data); {
		case !isData:
		case members(data)["method"] != nil:
			a.before(bytes.Clone(data))
		default:
			a.body.Write(data)
		}
	}
	return len(p), nil
}

func (a *recorder) statusOr(standard int) int {
	if a.status == 0 || a.status == http.StatusAccepted {
		return standard
	}
	return a.status
}

func (a *recorder) isError() bool { return members(a.body.Bytes())["result"] == nil }

// reply returns the answer under the very id that was sent.
func (a *recorder) reply(m message) json.RawMessage {
	raw := bytes.TrimSpace(a.body.Bytes())
	fields := map[string]json.RawMessage(nil)
	if json.Valid(raw) {
		fields = members(raw)
	}
	if result := fields["result"]; result != nil {
		return encode(response{JSONRPC: mcp.JSONRPC_VERSION, ID: m.id, Result: result})
	}
	var details mcp.JSONRPCErrorDetails
	switch {
	case fields["error"] != nil && json.Unmarshal(fields["error"], &details) == nil:
		if speaksGo(details) && a.statusOr(http.StatusOK) == http.StatusOK {
			return errorReply(m.id, mcp.INVALID_PARAMS, "invalid params for "+m.method)
		}
		return detailedErrorReply(m.id, details)
	case a.statusOr(http.StatusOK) >= http.StatusBadRequest: // in words
		return errorReply(m.id, mcp.INVALID_REQUEST, strings.TrimSpace(string(raw)))
	}
	return errorReply(m.id, mcp.INTERNAL_ERROR, "internal error")
}

// events writes JSON lines as events.
type events struct{ w *stream }

// Write implements io.Writer. It gets a line at once.
func (e events) Write(line []byte) (int, error) {
	if !e.w.begun {
		e.w.Header().Set("Content-Type", eventStream)
		e.w.Header().Set("Cache-Control", "no-cache")
		e.w.WriteHeader(http.StatusOK)
	}
	event := append([]byte("event: message\ndata: "), line...)
	if _, err := e.w.Write(append(event, '\n')); err != nil {
		return 0, err
	}
	return len(line), nil
}
