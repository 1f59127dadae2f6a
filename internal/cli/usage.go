package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
	"mcp-memory/internal/tool/arguments"
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

// noArguments refuses arguments, and suggests the command that was meant.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usageError{fmt.Errorf("%s takes no arguments, got %q", cmd.CommandPath(), args[0])}
	}
	cmd.SuggestionsMinimumDistance = 2
	message := fmt.Sprintf("unknown command %q", args[0])
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 && args[0] != "" {
		message += fmt.Sprintf(", did you mean %s?", quotedList(similar))
	}
	return usageError{errors.New(message)}
}

// someArguments wants from least to most arguments.
func someArguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usageError{fmt.Errorf("%s takes %s", cmd.Name(), what)}
		}
		return nil
	}
}

// oneFile takes a single argument, and says what it is if there is none.
func oneFile(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usageError{fmt.Errorf("%s takes %s", cmd.CommandPath(), what)}
		case args[0] == "":
			return usageError{errors.New("FILE is empty")}
		case len(args) > 1:
			return usageError{fmt.Errorf("%s takes %s alone, got %q, too", cmd.CommandPath(), what, args[1])}
		}
		return nil
	}
}

// checkFlags refuses what no command takes.
func (s settings) checkFlags(cmd *cobra.Command, _ []string) error {
	flags := cmd.Flags()
	if err := noEmptyFlags(flags); err != nil {
		return err
	}
	if flags.Changed(logLevelSetting.flag) || flags.Changed(idleSetting.flag) {
		return s.resolve(flags) // there are commands that use no settings
	}
	return nil
}

// noEmptyFlags refuses flags with nothing in them, as of a variable that is not set:
// what they were to say would go unheard.
func noEmptyFlags(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			given := list.GetSlice()
			empty = len(given) == 0 || slices.Contains(given, "")
		}
		if empty && err == nil {
			err = usageError{fmt.Errorf("--%s is empty", f.Name)}
		}
	})
	return err
}

// index is that of a list's item, at the end of the path of an argument.
var index = regexp.MustCompile(`\[\d+\]$`)

// checkCall refuses what is wrong with the arguments of a tool by themselves, before
// anything is opened or made. typed are the names on the command line of what stands at
// a path, or, without its index, in a list.
func checkCall(name string, args any, typed map[string]string) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("writing the arguments of %s: %w", name, err)
	}
	tools := tool.Catalog(nil)
	err = tools[slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == name })].Check(raw)
	wrong, is := errors.AsType[*memory.InputError](err)
	if problems, several := errors.AsType[*arguments.Problems](err); several {
		wrong, is = problems.First[0], true
	}
	if !is {
		return err
	}
	for _, path := range []string{wrong.Path, index.ReplaceAllString(wrong.Path, "")} {
		if known := typed[path]; known != "" {
			return usageError{fmt.Errorf("%s: %s", known, wrong.Reason)}
		}
	}
	return usageError{err}
}
