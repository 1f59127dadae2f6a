package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// confirm asks a question of which only yes is yes. It returns the cause of the
// context's end if that comes before an answer, as by Ctrl-C.
func confirm(ctx context.Context, in io.Reader, errw io.Writer, question string) (bool, error) {
	fmt.Fprintf(errw, "%s [y/N] ", question)
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() { // a read of a terminal cannot be ended: it is left behind
		line, err := bufio.NewReader(in).ReadString('\n')
		answers <- answer{line, err}
	}()
	var given answer
	select {
	case <-ctx.Done():
		fmt.Fprintln(errw)
		return false, context.Cause(ctx)
	case given = <-answers:
	}
	if given.err != nil && !errors.Is(given.err, io.EOF) {
		return false, fmt.Errorf("reading the answer: %w", given.err)
	}
	switch strings.ToLower(strings.TrimSpace(given.line)) {
	case "y", "yes", "s", "si", "sí":
		return true, nil
	}
	return false, nil
}
