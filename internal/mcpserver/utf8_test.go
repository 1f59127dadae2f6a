package mcpserver_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/tool"
)

// TestBytesThatAreNoUnicode: JSON is UTF-8. What a client sends is read all the same
// where that can be; an id, which has to come back as it was, is refused, and what it is
// the id of is not carried out.
func TestBytesThatAreNoUnicode(t *testing.T) {
	const (
		refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not valid JSON, as id is not UTF-8"}}`
		pong    = `{"jsonrpc":"2.0","id":1,"result":{}}`
	)
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"an id":                        {"{\"jsonrpc\":\"2.0\",\"id\":\"a\xff\",\"method\":\"ping\"}", []string{refused}},
		"the id of a call":             {"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\",\"method\":\"tools/call\",\"params\":{\"name\":\"create_entities\"}}", []string{refused}},
		"an id that is no text":        {"{\"jsonrpc\":\"2.0\",\"id\":{\"a\":\"\xff\"},\"method\":\"ping\"}", []string{refused}},
		"an id in a list":              {"[{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", []string{"[" + refused + "," + pong + "]"}},
		"the id of a reply":            {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"result\":{}}", []string{refused}},
		"an id with half a surrogate":  {`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, []string{`{"jsonrpc":"2.0","id":"\ud800","result":{}}`}},
		"the id of what is cancelled":  {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"\xff\"}}", []string{}},
		"a token of progress":          {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{\"progressToken\":\"\xff\"}}}", []string{pong}},
		"a method":                     {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method a\ufffd not found"}}`}},
		"a tool":                       {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\xff\"}}", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: a\ufffd"}}`}},
		"a field that nobody asked of": {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", []string{pong}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate()
			c2 := serve(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))})
			c2.send(c.line + "\n")
			got := c2.close()
			if len(g.started) > 0 {
				t.Error("the call was carried out")
			}
			for _, line := range got {
				if !utf8.ValidString(line) {
					t.Errorf("%q is not UTF-8", line)
				}
			}
			want := make([]any, len(c.want))
			for i, line := range c.want {
				want[i] = decoded(t, line)
			}
			replies := make([]any, len(got))
			for i, line := range got {
				replies[i] = decoded(t, line)
			}
			if diff := cmp.Diff(want, replies); diff != "" {
				t.Errorf("replies (-want +got):\n%s", diff)
			}
		})
	}
}
