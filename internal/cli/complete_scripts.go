package cli

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// What cobra's scripts lack for names with blanks and quotes. For bash: words that begin
// with a quote find nothing; of several names that begin alike bash inserts the
// beginning as it is, blanks and all, which are more words then; and without the
// package bash-completion there is no completion at all.
var bashFixes = strings.NewReplacer(
	`    _get_comp_words_by_ref "$@" cur prev words cword
`, `    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else
        cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]:0:COMP_CWORD+1}") cword=$COMP_CWORD
    fi
`,

	`out=$(eval "${requestComp}" 2>/dev/null)`,
	`out=$(eval "${requestComp}" 2>/dev/null || eval "${requestComp}\"" 2>/dev/null || eval "${requestComp}'" 2>/dev/null)`,

	`        # First, escape the completions to handle special characters
`, `        # Within quotes, what is completed stands as it is
        if [[ ${cur} == [\"\']* ]]; then
            for comp in "${completions[@]}"; do
                [[ ${comp} == "${cur:1}"* ]] && COMPREPLY+=("${comp}")
            done
            return 0
        fi
        # First, escape the completions to handle special characters
`,

	`        # compgen looses the escaping so, if there is only a single completion, we need to
        # escape it again because it will be inserted on the command-line.  If there are multiple
        # completions, we don't want to escape them because they will be printed in a list
        # and we don't want to show escape characters in that list.
        if (( ${#COMPREPLY[@]} == 1 )); then
            COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]}")
        fi
`, `        # compgen looses the escaping, but what they have in common will be inserted on the command-line
        if (( ${#COMPREPLY[@]} > 0 )); then
            IFS=$'\n' read -ra COMPREPLY -d '' < <(printf "%q\n" "${COMPREPLY[@]}")
        fi
`)

// bashNeeds is what the help of the script for bash says of it that is true no longer.
const bashNeeds = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.

`

// For zsh, likewise.
var zshFixes = strings.NewReplacer(
	`out=$(eval ${requestComp} 2>/dev/null)`,
	`out=$(eval ${requestComp} 2>/dev/null || eval ${requestComp}\" 2>/dev/null || eval ${requestComp}\' 2>/dev/null)`)

// mendCompletion has `completion` print scripts that know quotes and blanks.
func mendCompletion(root *cobra.Command, out io.Writer) {
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = noArguments // before: help and success for a shell that there is no script for
		completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		for _, shell := range completion.Commands() {
			shell.Args = noArguments
		}
	}
	mend := func(shell string, fixes *strings.Replacer, write func(w io.Writer, descriptions bool) error) {
		cmd, _, err := root.Find([]string{"completion", shell})
		if err != nil {
			return
		}
		cmd.Long = strings.Replace(cmd.Long, bashNeeds, "", 1)
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			plain, _ := cmd.Flags().GetBool("no-descriptions")
			var script bytes.Buffer
			if err := write(&script, !plain); err != nil {
				return err
			}
			_, err := fixes.WriteString(out, script.String())
			return err
		}
	}
	mend("bash", bashFixes, root.GenBashCompletionV2)
	mend("zsh", zshFixes, func(w io.Writer, descriptions bool) error {
		if descriptions {
			return root.GenZshCompletion(w)
		}
		return root.GenZshCompletionNoDesc(w)
	})
}
