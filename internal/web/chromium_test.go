//go:build browser

package web_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// chromium is a browser that is driven by the DevTools protocol over pipes.
type chromium struct {
	cmd *exec.Cmd
	out *os.File // to the browser

	mu      sync.Mutex
	last    int
	waiting map[int]chan<- reply
	heard   map[string]func(event) // by session
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

type event struct {
	ID        int
	SessionID string
	Method    string
	Params    json.RawMessage
	reply
}

// startChromium starts the browser that MCP_MEMORY_CHROMIUM names, or chromium.
func startChromium(profile string) (*chromium, error) {
	program := os.Getenv("MCP_MEMORY_CHROMIUM")
	if program == "" {
		program = "chromium"
	}
	fromBrowser, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirIn, toBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &chromium{
		cmd: exec.Command(program, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
			"--use-gl=angle", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader", // to draw by WebGL without a graphics card
			"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
			"--disable-dev-shm-usage", "--force-color-profile=srgb", "--lang=en-US", "--user-data-dir="+profile, "about:blank"),
		out: toBrowser, waiting: map[int]chan<- reply{}, heard: map[string]func(event){},
	}
	c.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w (make browser says how to get it)", program, err)
	}
	theirIn.Close()
	theirOut.Close()
	go c.listen(fromBrowser)
	return c, nil
}

func (c *chromium) stop() {
	_, _ = c.call("", "Browser.close", nil)
	c.out.Close()
	_ = c.cmd.Wait()
}

// listen hands on what the browser says. Messages end with a NUL.
func (c *chromium) listen(from *os.File) {
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := in.ReadBytes(0)
		var e event
		if err == nil {
			err = json.Unmarshal(text[:len(text)-1], &e)
		}
		c.mu.Lock()
		if err != nil {
			for id, answer := range c.waiting {
				answer <- reply{Error: &struct{ Message string }{"the browser has ended"}}
				delete(c.waiting, id)
			}
			c.waiting = nil
			c.mu.Unlock()
			return
		}
		answer, hear := c.waiting[e.ID], c.heard[e.SessionID]
		delete(c.waiting, e.ID)
		c.mu.Unlock()
		switch {
		case answer != nil:
			answer <- e.reply
		case e.Method != "" && hear != nil:
			hear(e)
		}
	}
}

// send asks the browser without waiting for the answer.
func (c *chromium) send(session, method string, params any) (<-chan reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return nil, errors.New("the browser has ended")
	}
	c.last++
	message := map[string]any{"id": c.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	answer := make(chan reply, 1)
	c.waiting[c.last] = answer
	_, err = c.out.Write(append(text, 0))
	return answer, err
}

func (c *chromium) call(session, method string, params any) (json.RawMessage, error) {
	answer, err := c.send(session, method, params)
	if err != nil {
		return nil, err
	}
	r := <-answer
	if r.Error != nil {
		return nil, fmt.Errorf("%s: %s", method, r.Error.Message)
	}
	return r.Result, nil
}

// graphicsTime is how many seconds of the processor the browser has taken to draw.
func (c *chromium) graphicsTime(t *testing.T) (seconds float64) {
	t.Helper()
	raw, err := c.call("", "SystemInfo.getProcessInfo", nil)
	if err != nil {
		t.Fatal(err)
	}
	var is struct {
		ProcessInfo []struct {
			Type    string
			CPUTime float64
		}
	}
	if err := json.Unmarshal(raw, &is); err != nil {
		t.Fatal(err)
	}
	for _, process := range is.ProcessInfo {
		if process.Type == "GPU" {
			seconds += process.CPUTime
		}
	}
	return seconds
}
