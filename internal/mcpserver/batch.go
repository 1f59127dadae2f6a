package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxBatch is how many messages one list may hold.
const maxBatch = 1000

// batch takes a list of messages, which older revisions of the protocol know.
// It is answered by a list, in the same order, when all of them are.
func (c *connection) batch(ctx context.Context, raw json.RawMessage) {
	messages, refused := messagesOf(raw)
	release := c.reserve(ctx, len(raw), max(1, len(messages)))
	if refused != nil {
		c.answer(errorReply(nil, refused.code, refused.text), release)
		return
	}
	replies := make([]json.RawMessage, len(messages))
	var open atomic.Int64
	open.Store(int64(len(messages)))
	for i, m := range messages {
		c.handle(m, c.exchange(func(reply json.RawMessage) {
			replies[i] = reply
			if open.Add(-1) == 0 {
				c.answer(join(replies), release)
			}
		}))
	}
}

// messagesOf returns the messages of a list. It reads no more than may be in it.
func messagesOf(raw json.RawMessage) ([]json.RawMessage, *protocolError) {
	if !json.Valid(raw) {
		return nil, refuse(mcp.PARSE_ERROR, "not valid JSON")
	}
	list := json.NewDecoder(bytes.NewReader(raw))
	_, err := list.Token()
	var messages []json.RawMessage
	for err == nil && list.More() {
		if len(messages) == maxBatch {
			return nil, refuse(mcp.INVALID_REQUEST, "a batch must have at most %d messages: send several", maxBatch)
		}
		var m json.RawMessage
		err = list.Decode(&m)
		messages = append(messages, m)
	}
	switch {
	case err != nil:
		return nil, refuse(mcp.PARSE_ERROR, "not valid JSON")
	case len(messages) == 0:
		return nil, refuse(mcp.INVALID_REQUEST, "a batch must have a message")
	}
	return messages, nil
}

// join makes a list of the replies that there are; to notifications there are
// none. It returns nil for no replies.
func join(replies []json.RawMessage) json.RawMessage {
	var present [][]byte
	for _, reply := range replies {
		if reply != nil {
			present = append(present, reply)
		}
	}
	if len(present) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(present, []byte(","))...), ']')
}

func megabytes(n int) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) + " MB" }
