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
// always, though a call may count several things one after another. One
// notification at most waits for the client to read it; the call never does.
type progress struct {
	out   *output
	token json.RawMessage

	mu      sync.Mutex
	ended   bool
	waiting bool // the notification sent last is not written yet
	sent    time.Time
	shown   int // largest value sent
	base    int // what earlier counts had come to
	last    int // of the present count
	latest  step
}

// step is how far a call has come, over all its counts.
type step struct {
	value, total int
	message      string
}

func (s step) complete() bool { return s.value >= s.total }

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
	p.latest = step{p.base + done, p.base + total, message}
	p.sendIfDue()
}

// written sends what was reported while the client had not read the last.
func (p *progress) written() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = false
	p.sendIfDue()
}

func (p *progress) sendIfDue() {
	due := p.latest.complete() || time.Since(p.sent) >= progressPause
	if due && !p.waiting && !p.ended {
		p.send()
	}
}

// send sends the latest step if it is news. The caller holds the lock.
func (p *progress) send() {
	if p.latest.value <= p.shown {
		return
	}
	p.shown, p.sent, p.waiting = p.latest.value, time.Now(), true
	p.out.line(encode(map[string]any{
		"jsonrpc": mcp.JSONRPC_VERSION,
		"method":  "notifications/progress",
		"params": map[string]any{
			"progressToken": p.token,
			"progress":      p.latest.value,
			"total":         p.latest.total,
			"message":       p.latest.message,
		},
	}), p.written)
}

// end makes sure that nothing follows the reply, and that the end of the last
// count comes before it.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest.complete() && !p.ended {
		p.send()
	}
	p.ended = true
}
