package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/rank"
)

// completeFlag has shells complete the values of a flag of cmd.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(fmt.Sprintf("completion of --%s of %q: %v", flag, cmd.Name(), err)) // there is no such flag
	}
}

// oneOf completes with these values, in this order.
func oneOf(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// completeSettings completes with the names of the settings of a ranking, of which the value is
// to follow; where several are taken, behind a comma, too.
func completeSettings(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	given := prefix[:strings.LastIndex(prefix, ",")+1]
	var names []cobra.Completion
	for _, name := range rank.SettingNames() {
		if strings.HasPrefix(given+name, prefix) {
			names = append(names, given+name+"=")
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// completeFolder completes with folders.
func completeFolder(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeTypes completes with the types of entities that there are, the most frequent
// first.
func (s *settings) completeTypes(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return s.completeCounted(cmd, prefix, func(r statsReport) []count { return r.Types })
}

// completeRelation completes the arguments of relate: a name, a type of relation, a name.
func (s *settings) completeRelation(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch len(given) {
	case 0, 2:
		return s.completeNames(cmd, nil, prefix)
	case 1:
		return s.completeCounted(cmd, prefix, func(r statsReport) []count { return r.RelationTypes })
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeCounted completes with something that the memory's numbers list.
func (s *settings) completeCounted(
	cmd *cobra.Command, prefix string, listed func(statsReport) []count,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if err := s.resolveQuiet(cmd.Flags()); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	report, err := readStats(cmd.Context(), *s, 0, io.Discard)
	if _, none := errors.AsType[*noMemoryError](err); none {
		return nil, cobra.ShellCompDirectiveNoFileComp
	} else if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var values []cobra.Completion
	for _, c := range listed(report) {
		if strings.HasPrefix(c.Name, unquoted(prefix)) && c.Name != "" && oneLiner(c.Name) && len(values) < mostCompleted {
			values = append(values, c.Name)
		}
	}
	return values, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
