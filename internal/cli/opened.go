package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mcp-memory/internal/tool"
)

// opened is the memory as a command uses it: by the tools that agents have.
type opened struct {
	parts
	tools map[string]tool.Tool
}

// use opens the memory for one command and closes it afterwards.
func (s *settings) use(cmd *cobra.Command, a absence, errw io.Writer, f func(context.Context, *opened) error) error {
	if err := s.resolveQuiet(cmd.Flags()); err != nil {
		return err
	}
	ctx := cmd.Context()
	p, err := assemble(ctx, *s, a, errw)
	if err != nil {
		return err
	}
	m := &opened{p, map[string]tool.Tool{}}
	for _, t := range tool.Catalog(m.service) {
		m.tools[t.Name] = t
	}
	err = f(ctx, m)
	m.shutDown()
	return err
}

// toldError is an error as people are told of it.
type toldError struct {
	text string
	err  error
}

func (e *toldError) Error() string { return e.text }
func (e *toldError) Unwrap() error { return e.err }

// call calls a tool and reads its answer into out, which it also returns as
// JSON.
func (m *opened) call(ctx context.Context, name string, arguments, out any) (json.RawMessage, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("writing the arguments of %s: %w", name, err)
	}
	answer, err := m.tools[name].Call(ctx, args)
	if err != nil {
		text, known := tool.ErrorTextFor(err, "`mcp-memory search --text` works without it")
		if !known {
			m.log.Error("command failed", "tool", name, "error", err)
		}
		return nil, &toldError{text, err}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("writing the answer of %s: %w", name, err)
	}
	return raw, json.Unmarshal(raw, out)
}

// entity is an entity as tools show it.
type entity struct {
	Name                string   `json:"name"`
	EntityType          string   `json:"entityType"`
	Observations        []string `json:"observations"`
	ObservationsOmitted int      `json:"observationsOmitted"`
}

// relation is a relation as tools show it.
type relation struct {
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

// style writes for people: with colours on a terminal, unless NO_COLOR is set.
type style struct{ colours bool }

func styleOf(out io.Writer) style {
	return style{isTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) bold(text string) string { return s.wrap("1", text) }
func (s style) dim(text string) string  { return s.wrap("2", text) }

func (s style) wrap(code, text string) string {
	if !s.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// printable keeps what is stored from steering a terminal.
func printable(text string) string {
	clean := []rune(text)
	for i, r := range clean {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			clean[i] = ' '
		}
	}
	return string(clean)
}
