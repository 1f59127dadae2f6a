package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "Yes\n": true, "sí\n": true, "n\n": false, "\n": false, "": false, "yo\n": false} {
		got, err := confirm(t.Context(), strings.NewReader(answer), io.Discard, "Sure?")
		if got != want || err != nil {
			t.Errorf("answer %q: %v, %v, want %v", answer, got, err, want)
		}
	}
}

// Ctrl-C ends the question, though nothing ends the read of a terminal.
func TestConfirmEndsWithItsContext(t *testing.T) {
	terminal, typing := io.Pipe()
	defer typing.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var asked bytes.Buffer
	sure, err := confirm(ctx, terminal, &asked, "Delete for good?")
	if sure || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v, want an end without an answer", sure, err)
	}
	if asked.String() != "Delete for good? [y/N] \n" {
		t.Errorf("asked %q", asked.String())
	}
}
