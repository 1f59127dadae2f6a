package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/memory"
)

// progressPause is the least time between two notifications of one call.
const progressPause = 100 * time.Millisecond

// progress tells a client how far its call has come. What it sends grows
// always, though a call may count several things one after another.
type progress struct {
	out   *output
	token json.RawMessage

	mu    sync.Mutex
	ended bool
	sent  time.Time
	base  int // what earlier counts had come to
	last  int // of the present count
	shown int // largest number sent
}

// watch adds to ctx the progress that a request with this token wants.
func watch(ctx context.Context, token json.RawMessage, out *output) (context.Context, *progress) {
	p := &progress{out: out, token: token}
	return memory.WithProgress(ctx, p.report), p
}

func (p *progress) report(done, total int, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done < p.last {
		p.base += p.last
	}
	p.last = done
	value := p.base + done
	now := time.Now()
	if p.ended || value <= p.shown || done < total && now.Sub(p.sent) < progressPause {
		return
	}
	p.shown, p.sent = value, now
	p.out.line(encode(map[string]any{
		"jsonrpc": mcp.JSONRPC_VERSION,
		"method":  "notifications/progress",
		"params": map[string]any{
			"progressToken": p.token,
			"progress":      value,
			"total":         p.base + total,
			"message":       message,
		},
	}))
}

// end makes sure that nothing follows the reply.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}
