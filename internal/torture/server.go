package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// goodbye is how long a server may take to end when its input does.
const goodbye = 20 * time.Second

// server is a process of the program under test.
type server struct {
	*client
	process *os.Process
	log     *logBuffer
	ended   chan struct{}
	err     error // how it ended; after ended is closed
}

// setup is how a server is started.
type setup struct {
	db       string
	modelDir string // "" for a folder that is empty
	user     uint32 // who runs it; 0 for the one who runs this
}

// start starts a server without waiting for it.
func (r *run) start(s setup) (*server, error) {
	if s.modelDir == "" {
		s.modelDir = r.noModel
	}
	args := append(r.Program[1:len(r.Program):len(r.Program)], "--db", s.db, "--model-dir", s.modelDir)
	cmd := exec.Command(r.Program[0], args...) //nolint:noctx // ended by kill or stop
	cmd.Env = append(os.Environ(), r.Env...)
	cmd.Dir = r.dir
	if s.user != 0 {
		runAs(cmd, s.user)
	}
	log := &logBuffer{}
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not cmd.StdoutPipe: Wait would close it before everything is read.
	out, outEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = outEnd
	if err := errors.Join(cmd.Start(), outEnd.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("start the server: %w", err), out.Close())
	}
	v := &server{client: newClient(in, out), process: cmd.Process, log: log, ended: make(chan struct{})}
	go func() {
		v.err = cmd.Wait()
		close(v.ended)
	}()
	return v, nil
}

// serve starts a server and shakes hands with it.
func (r *run) serve(ctx context.Context, s setup) (*server, error) {
	v, err := r.start(s)
	if err != nil {
		return nil, err
	}
	if err := v.greet(ctx); err != nil {
		v.kill()
		return nil, fmt.Errorf("start: %w%s", err, v.said())
	}
	return v, nil
}

// greet does the handshake.
func (v *server) greet(ctx context.Context) error {
	_, err := await(ctx, v.request(`"hello"`, "", "initialize", map[string]any{
		"protocolVersion": "2025-06-18",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "torture", "version": "1"},
	}))
	if err != nil {
		return err
	}
	return v.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// kill ends the process at once, as SIGKILL does, and waits until it is gone.
func (v *server) kill() {
	_ = v.process.Kill()
	<-v.ended
	_ = v.in.Close()
}

// stop ends the server as clients do, and returns an error unless it says
// goodbye with exit code 0.
func (v *server) stop() error {
	_ = v.in.Close()
	select {
	case <-v.ended:
	case <-time.After(goodbye):
		v.kill()
		return fmt.Errorf("the server runs on %v after its input has ended%s", goodbye, v.said())
	}
	if v.err != nil {
		return fmt.Errorf("end: %w%s", v.err, v.said())
	}
	return nil
}

// said is the end of the server's log, to append to an error.
func (v *server) said() string {
	text := strings.TrimSpace(v.log.String())
	if text == "" {
		return ""
	}
	return "\n  its log ends: …" + text[max(0, len(text)-800):]
}

// logBuffer collects what a process logs.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
