package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

func (p Program) addCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var (
		entityType string
		asJSON     bool
	)
	cmd := &cobra.Command{
		Use:   "add NAME [OBSERVATION...]",
		Short: "Add a memory, or facts to one",
		Long: `Add a memory with facts about it. One of this name that exists is kept, and
gets the facts that it does not have yet; with --type, its type becomes that one.`,
		Example: `  mcp-memory add "Project Faro" --type project "launches in March" "Ana leads it"`,
		Args:    someArguments(1, -1, "a name, and facts; put each into quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e := map[string]any{"name": args[0], "observations": args[1:]}
			if cmd.Flags().Changed("type") {
				e["entityType"] = entityType
			}
			entities := map[string]any{"entities": []any{e}}
			if err := checkCall("create_entities", entities, map[string]string{
				"entities[0].name": "NAME", "entities[0].entityType": "--type", "entities[0].observations": "OBSERVATION",
			}); err != nil {
				return err
			}
			return s.use(cmd, makeMemory, errw, func(ctx context.Context, m *opened) error {
				var answer struct {
					Entities []entity `json:"entities"`
				}
				raw, err := m.call(ctx, "create_entities", entities, &answer)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(out, raw)
				}
				now := answer.Entities[0]
				_, err = fmt.Fprintf(out, "%s (%s) has %s.\n", printable(now.Name), printable(now.EntityType), plural(len(now.Observations), "observation", "observations"))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&entityType, "type", "", "`kind` of thing, such as person or project, also of a memory that exists; a new one without it is Generic")
	completeFlag(cmd, "type", s.completeTypes)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as the MCP tool answers")
	cmd.Flags().SortFlags = false
	return cmd
}

func (p Program) relateCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "relate FROM RELATION TO",
		Short:             "Say how one memory relates to another",
		Long:              "Say how one memory relates to another, in a word or two. Both have to be there.",
		Example:           `  mcp-memory relate Ana leads "Project Faro"`,
		Args:              someArguments(3, 3, "a name, a relation and a name: relate Ana leads \"Project Faro\""),
		ValidArgsFunction: s.completeRelation,
		RunE: func(cmd *cobra.Command, args []string) error {
			r := relation{From: args[0], RelationType: args[1], To: args[2]}
			relations := map[string]any{"relations": []relation{r}}
			if err := checkCall("create_relations", relations, map[string]string{
				"relations[0].from": "FROM", "relations[0].relationType": "RELATION", "relations[0].to": "TO",
			}); err != nil {
				return err
			}
			return s.use(cmd, findMemory, errw, func(ctx context.Context, m *opened) error {
				var answer struct {
					Relations []struct {
						Error string `json:"error"`
					} `json:"relations"`
				}
				raw, err := m.call(ctx, "create_relations", relations, &answer)
				if err != nil {
					return err
				}
				for _, created := range answer.Relations {
					if created.Error != "" {
						return errors.New(created.Error)
					}
				}
				if asJSON {
					return writeJSON(out, raw)
				}
				_, err = fmt.Fprintf(out, "%s → %s → %s\n", printable(r.From), printable(r.RelationType), printable(r.To))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as the MCP tool answers")
	return cmd
}

// forgetOptions are the flags of `forget`.
type forgetOptions struct {
	observations []string
	yes          bool
	asJSON       bool
}

func (p Program) forgetCommand(s *settings, in io.Reader, out, errw io.Writer) *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget NAME...",
		Short: "Delete memories, or facts of one",
		Long: `Delete memories with their facts and relations, or, with --observation, some facts
of one. What is deleted cannot be brought back but from a backup, so it is shown
and asked for first.`,
		Example: `  mcp-memory forget "Project Faro"
  mcp-memory forget Ana --observation "works at Lumen"`,
		Args:              someArguments(1, -1, "at least one name"),
		ValidArgsFunction: s.completeNames,
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(o.observations) > 0 && len(names) > 1 {
				return usageError{errors.New("--observation goes with one name")}
			}
			if !o.yes && !isTerminal(in) {
				return usageError{errors.New("forget asks before it deletes, and there is no terminal to ask: add --yes")}
			}
			if err := checkNames(names); err != nil {
				return err
			}
			return s.use(cmd, findMemory, errw, func(ctx context.Context, m *opened) error { return o.run(ctx, m, names, in, out, errw) })
		},
	}
	cmd.Flags().StringArrayVar(&o.observations, "observation", nil, "delete only this `fact`, to the letter (repeatable)")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON, as the MCP tool answers")
	cmd.Flags().SortFlags = false
	return cmd
}

func (o forgetOptions) run(ctx context.Context, m *opened, names []string, in io.Reader, out, errw io.Writer) error {
	if err := o.find(ctx, m, names, errw); err != nil {
		return err
	}
	if !o.yes {
		sure, err := confirm(ctx, in, errw, "Delete for good?")
		if err != nil || !sure {
			return errors.Join(err, errors.New("nothing was deleted"))
		}
	}
	tool, args := "delete_entities", map[string]any{"entityNames": names}
	if len(o.observations) > 0 {
		tool, args = "delete_observations", map[string]any{"name": names[0], "observations": o.observations}
	}
	var answer struct {
		Deleted []string `json:"deleted"`
		Errors  []string `json:"errors"`
	}
	raw, err := m.call(ctx, tool, args, &answer)
	if err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(out, raw)
	}
	what := plural(len(answer.Deleted), "memory", "memories")
	if len(o.observations) > 0 {
		what = plural(len(slices.Compact(slices.Sorted(slices.Values(o.observations))))-len(answer.Errors), "observation", "observations")
	}
	_, err = fmt.Fprintf(out, "Deleted %s.\n", what)
	return err
}

// find makes sure that all that is to be deleted is there, and shows it.
func (o forgetOptions) find(ctx context.Context, m *opened, names []string, errw io.Writer) error {
	var found struct {
		Entities  []entity   `json:"entities"`
		Relations []relation `json:"relations"`
	}
	if _, err := m.call(ctx, "open_nodes", map[string]any{"names": names}, &found); err != nil {
		return err
	}
	if unknown := unknownNames(names, found.Entities); len(unknown) > 0 {
		return fmt.Errorf("there is no memory named %s; nothing was deleted", quotedList(unknown))
	}
	for _, e := range found.Entities {
		has := map[string]bool{}
		for _, observation := range e.Observations {
			has[observation] = true
		}
		for _, observation := range o.observations {
			if !has[observation] {
				return fmt.Errorf("%q has no observation %q; nothing was deleted", e.Name, observation)
			}
		}
		if len(o.observations) == 0 && !o.yes {
			fmt.Fprintf(errw, "%s (%s) with %s\n", printable(e.Name), printable(e.EntityType), plural(len(e.Observations), "observation", "observations"))
		}
	}
	if len(o.observations) == 0 && !o.yes && len(found.Relations) > 0 {
		fmt.Fprintf(errw, "and %s\n", plural(len(found.Relations), "relation", "relations"))
	}
	return nil
}
