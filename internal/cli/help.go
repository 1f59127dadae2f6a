package cli

import (
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
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages |", ".FlagUsages | plainSwitches |"))
}
