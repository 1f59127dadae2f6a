package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// exitCodes say what each means, to people.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "done; for a question, the answer is yes. Also when whoever reads the output wants no more of it, as `head` does"},
	{exitFailed, "what was asked for could not be done, or not all of it; or the answer is no: `doctor` found something wrong, `model status` something missing, `migrate --status` an old schema"},
	{exitUsage, "the command line makes no sense: an unknown command or flag, a value that a flag, a variable of the environment or an argument cannot have, an argument too many or too few, no terminal to ask on; nothing was done"},
}

// exitCodesTopic is `help exit-codes`.
func exitCodesTopic() *cobra.Command {
	var b strings.Builder
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %d  %s\n", e.code, wrap(strings.ReplaceAll(e.meaning, "`", "'"), 74, "     "))
	}
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes of all commands mean",
		Long:  "The exit codes of all commands:\n\n" + strings.TrimRight(b.String(), "\n"),
	}
}
