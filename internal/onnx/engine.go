package onnx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/model"
)

// ErrClosed says that the engine was closed.
var ErrClosed = errors.New("the embedding engine is closed")

// retryAfter is how long a failure to load unchanged files is remembered.
const retryAfter = 30 * time.Second

// Options configure an Engine.
type Options struct {
	ModelDir string // folder that holds model.onnx and tokenizer.json
	Library  string // path of ONNX Runtime; "" searches for it
	Threads  int    // for one text; 0 chooses
	// IdleTimeout is after how long without use the model is dropped, to be
	// loaded again on the next need; 0 is never.
	IdleTimeout time.Duration
	Logger      *slog.Logger
}

// Engine is a memory.Embedder. It loads the model when first needed.
type Engine struct {
	options Options
	logger  *slog.Logger
	id      atomic.Pointer[string] // of the model loaded last

	// Runs of passages take turns, so that a query never waits for more than
	// the processor.
	passages chan struct{}
	queries  chan struct{}

	mu      sync.Mutex
	network *network // nil while not loaded
	loading *attempt // nil while not loading
	failed  failure
	users   int // running calls that use network
	idle    *time.Timer
	closed  bool
	quiet   *sync.Cond // users or loading changed
}

var _ memory.Embedder = (*Engine)(nil)

// network is a loaded model.
type network struct {
	tokenizer *tokenizer
	session   *session
	identity  model.Identity
}

// attempt is one load, for which any number of calls wait.
type attempt struct {
	done chan struct{}
	err  error // valid once done is closed
}

// failure remembers what could not be loaded, so that bad files are not read
// again and again.
type failure struct {
	err   error
	files string
	at    time.Time
}

// New returns an engine that has loaded nothing yet.
func New(options Options) *Engine {
	e := &Engine{
		options:  options,
		logger:   cmp.Or(options.Logger, slog.New(slog.DiscardHandler)),
		passages: make(chan struct{}, 1),
		queries:  make(chan struct{}, 2),
	}
	e.quiet = sync.NewCond(&e.mu)
	return e
}

// Ready reports whether the model is loaded.
func (e *Engine) Ready() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.network != nil && !e.closed
}

// ModelID names the weights loaded last.
func (e *Engine) ModelID() string {
	if id := e.id.Load(); id != nil {
		return *id
	}
	return ""
}

// Warm starts to load the model and returns at once.
func (e *Engine) Warm() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.start(); err != nil {
		e.logger.Debug("no embedding model", "error", err)
	}
}

// Load waits until the model is loaded.
func (e *Engine) Load(ctx context.Context) error {
	e.mu.Lock()
	a, err := e.start()
	e.mu.Unlock()
	if err != nil || a == nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.done:
		return a.err
	}
}

// start begins to load unless the model is loaded (nil, nil) or loading. It
// fails at once when files are missing or known to be bad. e.mu is held.
func (e *Engine) start() (*attempt, error) {
	switch {
	case e.closed:
		return nil, ErrClosed
	case e.network != nil:
		return nil, nil
	case e.loading != nil:
		return e.loading, nil
	}
	files, err := e.files()
	if err != nil {
		return nil, err
	}
	if e.failed.err != nil && e.failed.files == files && time.Since(e.failed.at) < retryAfter {
		return nil, e.failed.err
	}
	a := &attempt{done: make(chan struct{})}
	e.loading = a
	go e.load(a, files)
	return a, nil
}

// files describes the files as they are now, or says which one is missing.
func (e *Engine) files() (string, error) {
	weights, tokenizer := model.Paths(e.options.ModelDir)
	var description strings.Builder
	for _, path := range []string{weights, tokenizer} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w: %s is missing in %s", memory.ErrNoModel, filepath.Base(path), e.options.ModelDir)
		}
		if err != nil {
			return "", fmt.Errorf("%w: %w", memory.ErrNoModel, err)
		}
		fmt.Fprintf(&description, "%d %v\n", info.Size(), info.ModTime().UnixNano())
	}
	return description.String(), nil
}

// load reads the model and ends the attempt.
func (e *Engine) load(a *attempt, files string) {
	started := time.Now()
	n, err := e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil && e.closed {
		n.close()
		err = ErrClosed
	}
	if err == nil {
		e.network = n
		e.id.Store(&n.identity.ID)
		e.failed = failure{}
		e.rest()
		e.logger.Info("embedding model loaded", "model", n.identity.ID, "took", time.Since(started).Round(time.Millisecond))
	} else if !errors.Is(err, ErrClosed) && !errors.Is(err, memory.ErrNoModel) {
		e.logger.Error("embedding model cannot be loaded", "error", err)
		err = &memory.ModelError{
			Reason: fmt.Sprintf("the model in %s cannot be used; 'mcp-memory model status' says more", e.options.ModelDir),
			Err:    err,
		}
		e.failed = failure{err: err, files: files, at: time.Now()}
	}
	a.err = err
	e.loading = nil
	close(a.done)
	e.quiet.Broadcast()
}

// open reads tokenizer and weights side by side.
func (e *Engine) open() (*network, error) {
	if err := openLibrary(e.options.Library); err != nil {
		return nil, err
	}
	identity, err := model.E5Small.Identify(context.Background(), e.options.ModelDir)
	if err != nil {
		return nil, fmt.Errorf("read the model in %s: %w", e.options.ModelDir, err)
	}
	weights, tokenizerPath := model.Paths(e.options.ModelDir)
	n := &network{identity: identity}
	var tokenizerErr error
	var reading sync.WaitGroup
	reading.Go(func() { n.tokenizer, tokenizerErr = openTokenizer(tokenizerPath) })
	var sessionErr error
	n.session, sessionErr = openSession(weights, threads(e.options.Threads))
	reading.Wait()
	trim()
	if err := errors.Join(sessionErr, tokenizerErr); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *network) close() {
	if n.session != nil {
		_ = n.session.close()
	}
	if n.tokenizer != nil {
		_ = n.tokenizer.Close()
	}
	trim()
}

// threads leaves processors to the user: embedding is background work.
func threads(wanted int) int {
	if wanted > 0 {
		return wanted
	}
	return min(2, runtime.GOMAXPROCS(0))
}

// use loads the model if need be and calls fn with it; the model is not closed
// meanwhile.
func (e *Engine) use(ctx context.Context, fn func(*network) error) error {
	n, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer e.release()
	return fn(n)
}

func (e *Engine) acquire(ctx context.Context) (*network, error) {
	for {
		if err := e.Load(ctx); err != nil {
			return nil, err
		}
		e.mu.Lock()
		if e.network != nil && !e.closed {
			e.users++
			n := e.network
			e.mu.Unlock()
			return n, nil
		}
		e.mu.Unlock() // dropped again in between
	}
}

// retain adds a user of a network that is in use.
func (e *Engine) retain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.users++
}

func (e *Engine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.users--
	e.rest()
	e.quiet.Broadcast()
}

// rest starts the countdown to dropping a model that nobody uses. e.mu is held.
func (e *Engine) rest() {
	if e.options.IdleTimeout <= 0 || e.closed {
		return
	}
	if e.idle == nil {
		e.idle = time.AfterFunc(e.options.IdleTimeout, e.drop)
		return
	}
	e.idle.Reset(e.options.IdleTimeout)
}

// drop frees the model unless it is in use.
func (e *Engine) drop() {
	e.mu.Lock()
	if e.users > 0 || e.network == nil || e.closed {
		e.mu.Unlock()
		return
	}
	n := e.network
	e.network = nil
	e.mu.Unlock()
	n.close()
	e.logger.Info("embedding model dropped until it is needed again")
}

// Close waits for running work and frees the model. Later calls fail.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.idle != nil {
		e.idle.Stop()
	}
	for e.users > 0 || e.loading != nil {
		e.quiet.Wait()
	}
	if e.network != nil {
		e.network.close()
		e.network = nil
	}
	return nil
}
