package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// batch takes a list of messages, which older revisions of the protocol know.
// It is answered by a list, in the same order, when all of them are.
func (c *connection) batch(raw json.RawMessage, release func()) {
	var messages []json.RawMessage
	if json.Unmarshal(raw, &messages) != nil {
		c.out.line(errorReply(nil, mcp.PARSE_ERROR, "not valid JSON"))
		release()
		return
	}
	if len(messages) == 0 {
		c.out.line(errorReply(nil, mcp.INVALID_REQUEST, "a batch must have a message"))
		release()
		return
	}
	replies := make([]json.RawMessage, len(messages))
	var open atomic.Int64
	open.Store(int64(len(messages)))
	for i, m := range messages {
		c.handle(m, func(reply json.RawMessage) {
			replies[i] = reply
			if open.Add(-1) == 0 {
				c.answerBatch(replies)
				release()
			}
		})
	}
}

// answerBatch writes the replies that there are; to notifications there are none.
func (c *connection) answerBatch(replies []json.RawMessage) {
	var present [][]byte
	for _, reply := range replies {
		if reply != nil {
			present = append(present, reply)
		}
	}
	if len(present) > 0 {
		c.out.line(append(append([]byte("["), bytes.Join(present, []byte(","))...), ']'))
	}
}

func megabytes(n int) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) + " MB" }
