package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/tool"
)

// batchOf makes a list of calls.
func batchOf(n int, tool string) string {
	messages := make([]string, n)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i, tool)
	}
	return "[" + strings.Join(messages, ",") + "]\n"
}

func TestLargeBatches(t *testing.T) {
	g := newGate()
	close(g.open)
	c := serve(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))})
	c.send(batchOf(1001, "create_entities"))
	if m := c.receive(); m.Error == nil || m.Error.Code != -32600 || m.Error.Message != "a batch must have at most 1000 messages: send several" {
		t.Errorf("a batch of 1001 was answered %+v", m.Error)
	}
	if n := len(g.started); n != 0 {
		t.Errorf("%d calls of a batch that is refused were carried out", n)
	}
	c.send(batchOf(1000, "create_entities"))
	if line := <-c.lines; strings.Count(line, `"result"`) != 1000 {
		t.Errorf("a batch of 1000 was answered %.200q", line)
	}
	c.close()
}

// TestBatchesHoldUpReading as their messages would one a line.
func TestBatchesHoldUpReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t.Context(), t, []tool.Tool{writing("create_entities", g.run("write"))}, mcpserver.WithMaxLine(100<<10))
		c.send(batchOf(300, "create_entities"))
		c.request(`"after"`, "ping", "{}")
		synctest.Wait()
		if n := len(c.lines); n != 0 {
			t.Errorf("%d answers while the batch waits", n)
		}
		close(g.open)
		if line := <-c.lines; !strings.HasPrefix(line, "[") {
			t.Errorf("got %.200q, want the batch's answer", line)
		}
		if rest := c.close(); len(rest) != 1 || !strings.Contains(rest[0], `"after"`) {
			t.Errorf("after the batch: %.200q", rest)
		}
	})
}
