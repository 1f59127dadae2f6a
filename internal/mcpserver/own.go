package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/resource"
	"mcp-memory/internal/tool"
	"mcp-memory/internal/tool/arguments"
)

// asked is a request on its way past mcp-go, which sees a stand-in of its
// parameters: it knows neither lists that grow nor errors that name what is wrong.
type asked struct {
	params  map[string]json.RawMessage
	refused *mcp.JSONRPCErrorDetails // what became of it; nil for a result
}

type askedKey struct{}

func withAsked(ctx context.Context, a *asked) context.Context {
	return context.WithValue(ctx, askedKey{}, a)
}

func askedOf(ctx context.Context) *asked {
	a, _ := ctx.Value(askedKey{}).(*asked)
	return a
}

// turn is when a request is carried out, beside the calls of tools.
type turn int

const (
	anyTime   turn = iota
	asRead         // after the writes that came before
	asWrite        // likewise, and before the writes that come after
	untilEnds      // as long as the client listens
)

// turnOf tells how a request of this method is scheduled.
func (s *Server) turnOf(method string) turn {
	if s.offer == nil {
		return anyTime
	}
	switch mcp.MCPMethod(method) {
	case mcp.MethodResourcesList, mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		return asRead
	case mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		return asWrite
	case mcp.MethodSubscriptionsListen:
		return untilEnds
	}
	return anyTime
}

// standIn returns the parameters that mcp-go sees instead of a request's own.
func (s *Server) standIn(method string, params map[string]json.RawMessage) json.RawMessage {
	fields := map[string]any{}
	switch mcp.MCPMethod(method) {
	case mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		fields["uri"] = resource.Graph
	case mcp.MethodPromptsGet:
		fields["name"] = s.offer.prompts[0].Name
	case mcp.MethodCompletionComplete:
		fields["ref"] = map[string]string{"type": "ref/prompt", "name": s.offer.prompts[0].Name}
		fields["argument"] = map[string]string{"name": "any", "value": ""}
	}
	if meta, ok := params["_meta"]; ok {
		fields["_meta"] = meta
	}
	return encode(fields)
}

// own answers a request with what work finds, or with its error.
func own[T any](ctx context.Context, s *Server, work func(params map[string]json.RawMessage) (T, error)) (result T, err error) {
	a := askedOf(ctx)
	if a == nil {
		return result, errors.New("a request went past its order")
	}
	if err = ctx.Err(); err == nil {
		result, err = work(a.params)
	}
	if err != nil {
		details := s.refusalOf(ctx, err)
		a.refused = &details
	}
	return result, err
}

// refusalOf says to the client what went wrong.
func (s *Server) refusalOf(ctx context.Context, err error) mcp.JSONRPCErrorDetails {
	if missing, ok := errors.AsType[*resource.NotFoundError](err); ok {
		code := mcp.RESOURCE_NOT_FOUND
		if server.IsModernRequest(ctx) {
			code = mcp.INVALID_PARAMS
		}
		return mcp.NewJSONRPCErrorDetails(code, missing.Error(), map[string]string{"uri": resource.URI{Entity: missing.Entity}.String()})
	}
	if refused, ok := errors.AsType[*protocolError](err); ok {
		return mcp.NewJSONRPCErrorDetails(refused.code, refused.text, nil)
	}
	text, known := tool.ErrorText(err)
	if !known {
		s.log.ErrorContext(ctx, "request failed", "error", err)
	}
	code := mcp.INTERNAL_ERROR
	_, isInput := errors.AsType[*memory.InputError](err)
	_, isArguments := errors.AsType[*arguments.Problems](err)
	switch {
	case isInput || isArguments:
		code = mcp.INVALID_PARAMS
	case errors.Is(err, memory.ErrBusy):
		code = codeBusy
	}
	return mcp.NewJSONRPCErrorDetails(code, text, nil)
}

// field returns a parameter that must be a string, "" if it is absent.
func field(params map[string]json.RawMessage, name string) (string, error) {
	raw, ok := params[name]
	if !ok || isNull(raw) {
		return "", nil
	}
	if len(raw) == 0 || raw[0] != '"' {
		return "", refuse(mcp.INVALID_PARAMS, "%s: must be a string", name)
	}
	return text(raw), nil
}
