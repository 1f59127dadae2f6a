package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// mostCompleted is how many names a shell is offered.
const mostCompleted = 50

// completeNames completes names of entities for a shell, as they are written: it is
// the shell that puts blanks and quotes right. Where there is no memory, none is made.
func (s *settings) completeNames(cmd *cobra.Command, given []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if err := s.resolveQuiet(cmd.Flags()); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	prefix = unquoted(prefix)
	var names []string
	err := s.use(cmd, findMemory, io.Discard, func(ctx context.Context, m *opened) error {
		found, err := m.namesLike(ctx, prefix)
		for _, name := range found {
			if strings.HasPrefix(name, prefix) && oneLiner(name) && !slices.Contains(given, name) {
				names = append(names, name)
			}
		}
		return err
	})
	if _, none := errors.AsType[*noMemoryError](err); err != nil && !none {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// namesLike are the names of entities that may begin so.
func (m *opened) namesLike(ctx context.Context, prefix string) ([]string, error) {
	var answer struct {
		Entities []entity `json:"entities"`
	}
	name, args := "search_nodes", map[string]any{"query": prefix, "limit": mostCompleted}
	if prefix == "" {
		name, args = "read_graph", map[string]any{"limit": mostCompleted}
	}
	if _, err := m.call(ctx, name, args, &answer); err != nil {
		return nil, err
	}
	names := make([]string, len(answer.Entities))
	for i, e := range answer.Entities {
		names[i] = e.Name
	}
	return names, nil
}

// unquoted takes off what fish leaves of the quoting of a word that is not at its end.
func unquoted(word string) string {
	for _, quote := range []string{`"`, "'"} {
		if inner, found := strings.CutPrefix(word, quote); found {
			return inner
		}
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] == '\\' && i+1 < len(word) {
			i++
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

// oneLiner reports whether a name can be told to a shell, which takes a line a name
// and what comes after a tab for its description.
func oneLiner(name string) bool { return printable(name) == name }
