package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-memory/internal/model"
)

// WriteReference writes the documentation of the command line, in Markdown, from
// the commands themselves.
func WriteReference(out io.Writer) error {
	root := (Program{Version: "VERSION", Model: &model.E5Small}).root(strings.NewReader(""), io.Discard, io.Discard)
	var b bytes.Buffer
	b.WriteString(`# The command line

<!-- Made from the commands by make generate. -->

What each command does, as ` + "`mcp-memory help COMMAND`" + ` tells it. [Operations](operations.md) tells more of looking after a memory.

| command | |
|---|---|
`)
	commands := listed(root, nil)
	for _, c := range commands {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	b.WriteString("\n## Exit codes\n\n| code | |\n|---|---|\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.meaning)
	}
	b.WriteString("\nWith `--json`, standard output holds one JSON value alone, also when the exit code is 1 and there is a result to tell; all else goes to standard error.\n")
	b.WriteString("\nOnly servers and what brings content (`add`, `import`, `migrate FILE`, `install --take-over`, `restore`) make a memory where there is none. All other commands that need one say that there is none, with exit code 1, and make no file; " +
		"`doctor` only warns if that is at the default place.\n")
	b.WriteString("\n## Flags of every command\n\n")
	writeFlags(&b, root.PersistentFlags())
	b.WriteString("\nColours are used on a terminal only, and not where `NO_COLOR` is set.\n")
	for _, c := range commands {
		writeCommand(&b, c)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// listed are the commands that help lists, in its order, each before its own.
func listed(c *cobra.Command, list []*cobra.Command) []*cobra.Command {
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" {
			list = listed(child, append(list, child))
		}
	}
	return list
}

func writeCommand(b *bytes.Buffer, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	writeText(b, text)
	fmt.Fprintf(b, "\n```\n%s\n```\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindented(c.Example))
	}
	if flags := c.NonInheritedFlags(); flags.HasAvailableFlags() {
		b.WriteByte('\n')
		writeFlags(b, flags)
	}
}

// writeText writes the text of a help, in which what is indented is to the letter.
func writeText(b *bytes.Buffer, text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if indented := strings.HasPrefix(paragraph, "  ") || strings.HasPrefix(paragraph, "\t"); indented {
			fmt.Fprintf(b, "```\n%s\n```\n", unindented(paragraph))
			continue
		}
		fmt.Fprintln(b, strings.NewReplacer("\n", " ", "<", `\<`, "*", `\*`).Replace(strings.TrimLeft(paragraph, "# ")))
	}
}

// unindented takes away the indent of a text's first line from all.
func unindented(text string) string {
	text = strings.Trim(text, "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, indent)
	}
	return strings.Join(lines, "\n")
}

func writeFlags(b *bytes.Buffer, flags *pflag.FlagSet) {
	b.WriteString("| flag | |\n|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		flag := "--" + f.Name
		if f.Shorthand != "" {
			flag = "-" + f.Shorthand + ", " + flag
		}
		if name != "" {
			flag += " " + name
		}
		if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" {
			usage += " (default: " + d + ")"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", flag, strings.NewReplacer("|", `\|`, "<", `\<`).Replace(usage))
	})
}
