package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// switchValues is what pflag writes behind the name of each flag that is on or off.
var switchValues = regexp.MustCompile(`(?m)^( +(?:-\w, )?--[\w-]+)\[=true\|false\]`)

// mendHelp has the help of all commands tell a switch by its name alone.
func mendHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("plainSwitches", func(usages string) string {
		return switchValues.ReplaceAllString(usages, "$1"+strings.Repeat(" ", len("[=true|false]")))
	})
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.RunE = showHelp
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages |", ".FlagUsages | plainSwitches |"))
}

// showHelp shows the help of the command that the arguments name. Cobra's own shows
// that of another for one that there is not.
func showHelp(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil {
		return usageError{err}
	}
	if err := noneOf(topic, rest); err != nil {
		return err
	}
	topic.InitDefaultHelpFlag()
	topic.InitDefaultVersionFlag()
	return topic.Help()
}

// refuseHelpOnUnknown has --help say so where it stands behind a command that there is
// not. What is wrong is found in the end where the result points.
func refuseHelpOnUnknown(root *cobra.Command) (wrong *error) {
	wrong = new(error)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if given := cmd.Flags().Args(); cmd.HasSubCommands() || !cmd.Runnable() {
			if *wrong = noneOf(cmd, given); *wrong != nil {
				return
			}
		}
		help(cmd, args)
	})
	return wrong
}

// noneOf refuses what is left of a command line behind a command whose help is asked for.
func noneOf(cmd *cobra.Command, rest []string) error {
	if len(rest) > 0 && !cmd.HasSubCommands() {
		return usageError{fmt.Errorf("there is no help on %q beyond that on %s", rest[0], cmd.CommandPath())}
	}
	return noArguments(cmd, rest)
}
