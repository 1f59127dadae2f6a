package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
)

func (p Program) showCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show NAME...",
		Short:             "Show memories whole, with their relations",
		Example:           `  mcp-memory show "Project Faro" Ana`,
		Args:              someArguments(1, -1, "at least one name"),
		ValidArgsFunction: s.completeNames,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := checkNames(names); err != nil {
				return err
			}
			return s.use(cmd, findMemory, errw, func(ctx context.Context, m *opened) error { return show(ctx, m, names, asJSON, out) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as the MCP tool answers")
	return cmd
}

// checkNames refuses names that nothing can have.
func checkNames(names []string) error {
	return checkCall("open_nodes", map[string]any{"names": names}, map[string]string{"names": "NAME"})
}

func show(ctx context.Context, m *opened, names []string, asJSON bool, out io.Writer) error {
	var answer struct {
		Entities  []entity   `json:"entities"`
		Relations []relation `json:"relations"`
	}
	raw, err := m.call(ctx, "open_nodes", map[string]any{"names": names}, &answer)
	if err != nil {
		return err
	}
	var missing error
	if unknown := unknownNames(names, answer.Entities); len(unknown) > 0 {
		missing = fmt.Errorf("there is no memory named %s; `mcp-memory search` finds it by what it says", quotedList(unknown))
	}
	switch {
	case len(answer.Entities) == 0 && missing != nil:
		return missing
	case asJSON:
		return errors.Join(writeJSON(out, raw), missing)
	}
	var b bytes.Buffer
	st := styleOf(out)
	for i, e := range answer.Entities {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s\n", st.bold(printable(e.Name)), st.dim(printable(e.EntityType)))
		for _, o := range e.Observations {
			fmt.Fprintf(&b, "  - %s\n", printable(o))
		}
		for _, r := range answer.Relations {
			if r.From == e.Name {
				fmt.Fprintf(&b, "  %s %s %s\n", st.dim("→ "+printable(r.RelationType)), st.dim("→"), printable(r.To))
			}
			if r.To == e.Name && r.From != e.Name {
				fmt.Fprintf(&b, "  %s %s %s\n", st.dim("← "+printable(r.RelationType)), st.dim("←"), printable(r.From))
			}
		}
	}
	_, err = out.Write(b.Bytes())
	return errors.Join(err, missing)
}

// unknownNames are those of which there is no entity.
func unknownNames(names []string, found []entity) (unknown []string) {
	known := map[string]bool{}
	for _, e := range found {
		known[e.Name] = true
	}
	for _, name := range names {
		if !known[memory.CanonicalName(name)] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// quotedList writes names for a message.
func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, " or ")
}

func (p Program) listCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var (
		limit, offset int
		asJSON        bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List memories, the oldest first",
		Example: `  mcp-memory list
  mcp-memory list --limit 20 --offset 40`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page := map[string]any{"limit": limit, "offset": offset}
			if err := checkCall("read_graph", page, map[string]string{"limit": "--limit", "offset": "--offset"}); err != nil {
				return err
			}
			return s.use(cmd, findMemory, errw, func(ctx context.Context, m *opened) error {
				var answer struct {
					Entities []entity `json:"entities"`
					Total    int      `json:"total"`
				}
				raw, err := m.call(ctx, "read_graph", page, &answer)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(out, raw)
				}
				var b bytes.Buffer
				if answer.Total == 0 {
					fmt.Fprintln(&b, "The memory is empty.")
				} else {
					writeEntities(&b, styleOf(out), answer.Entities, answer.Total)
				}
				_, err = out.Write(b.Bytes())
				return err
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "`number` of memories at most, up to 1000")
	cmd.Flags().IntVar(&offset, "offset", 0, "`number` of memories to skip")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as the MCP tool read_graph answers")
	cmd.Flags().SortFlags = false
	return cmd
}
