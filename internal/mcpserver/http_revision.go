package mcpserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// isModern reports whether a request is of a revision of the protocol without
// sessions, as its headers or its parameters say.
func isModern(header http.Header, params json.RawMessage) bool {
	return mcp.IsModernProtocol(header.Get(mcp.HeaderProtocolVersion)) || mcp.IsModernProtocol(revisionOf(params))
}

// revisionOf returns the revision that a message's parameters name.
func revisionOf(params json.RawMessage) string {
	return text(members(members(params)["_meta"])[mcp.MetaKeyProtocolVersion])
}

// checkModern returns what is wrong with the headers of a message of a revision
// without sessions. They repeat what the message says, and must agree with it.
func checkModern(header http.Header, m message) error {
	inHeader, inParams := header.Get(mcp.HeaderProtocolVersion), revisionOf(m.params)
	switch {
	case header.Get(mcp.HeaderLastEventID) != "":
		return mcp.HeaderMismatchError{Header: mcp.HeaderLastEventID, Reason: "streams cannot be resumed: send the request again under a new id"}
	case inHeader == "":
		return mcp.HeaderMismatchError{Header: mcp.HeaderProtocolVersion, Reason: "missing required header"}
	case inParams == "":
		return errors.New("params._meta must have " + mcp.MetaKeyProtocolVersion)
	case inHeader != inParams:
		return mcp.HeaderMismatchError{Header: mcp.HeaderProtocolVersion, Reason: "it differs from " + mcp.MetaKeyProtocolVersion + " in params._meta"}
	case !mcp.IsValidProtocolVersion(inParams):
		return mcp.UnsupportedProtocolVersionError{Version: inParams, Supported: mcp.ValidProtocolVersions}
	}
	return mcp.ValidateStandardHeaders(header.Get, inParams, mcp.MCPMethod(m.method), m.params)
}

// refusal answers a message that checkModern has found something wrong with.
func refusal(id json.RawMessage, err error) json.RawMessage {
	if unsupported, ok := errors.AsType[mcp.UnsupportedProtocolVersionError](err); ok {
		return detailedErrorReply(id, unsupported.JSONRPCError().Error)
	}
	if mcp.IsHeaderMismatch(err) {
		return errorReply(id, mcp.HEADER_MISMATCH, err.Error())
	}
	return errorReply(id, mcp.INVALID_PARAMS, err.Error())
}

// statusOf returns the status that revisions without sessions give to a reply.
func statusOf(reply json.RawMessage) int {
	if !isError(reply) {
		return http.StatusOK
	}
	var failed struct{ Error struct{ Code int } }
	_ = json.Unmarshal(reply, &failed) // our own reply
	switch failed.Error.Code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.INTERNAL_ERROR:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

func isError(reply json.RawMessage) bool { return members(reply)["result"] == nil }

// refuseRevision refuses a request of a revision that is not known.
func refuseRevision(w http.ResponseWriter, r *http.Request, id json.RawMessage) bool {
	revision := r.Header.Get(mcp.HeaderProtocolVersion)
	if revision == "" || mcp.IsValidProtocolVersion(revision) { // the oldest do not send it
		return false
	}
	writeError(w, http.StatusBadRequest, id, mcp.INVALID_REQUEST,
		"Mcp-Protocol-Version names a revision that is not known: known are "+strings.Join(mcp.ValidProtocolVersions, ", "))
	return true
}
