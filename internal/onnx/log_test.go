package onnx_test

import (
	"context"
	"log/slog"
	"sync"
)

// countingHandler counts log messages.
type countingHandler struct {
	mu    sync.Mutex
	count map[string]int
}

func (h *countingHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h *countingHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h *countingHandler) WithGroup(string) slog.Handler            { return h }

func (h *countingHandler) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count[r.Message]++
	return nil
}

func (h *countingHandler) of(message string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count[message]
}

// signalHandler tells when a message is logged.
type signalHandler struct {
	countingHandler
	message string
	seen    chan struct{}
}

func (h *signalHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *signalHandler) WithGroup(string) slog.Handler      { return h }

func (h *signalHandler) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.message {
		select {
		case h.seen <- struct{}{}:
		default:
		}
	}
	return nil
}
