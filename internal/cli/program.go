package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mcp-memory/internal/model"
	"mcp-memory/internal/sqlite"
)

// errNotReady ends `model status` with exitFailed; what there is to say is said.
var errNotReady = errors.New("not ready")

// Program is mcp-memory. The zero value is the released program, of the
// version in its build information.
type Program struct {
	Version string
	Model   *model.Manifest // nil for model.E5Small
}

// Run runs one command line, without the program's name, and returns the exit
// code. Only the answers of the command go to out; errw takes logs and errors.
func (p Program) Run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	if p.Model == nil {
		p.Model = &model.E5Small
	}
	root := p.root(in, out, errw)
	unknown := refuseHelpOnUnknown(root)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = *unknown
	}
	var usage usageError
	switch {
	case err == nil, readerLeft(cmd, err):
		return exitOK
	case errors.Is(err, errNotReady), errors.Is(err, errUnwell), errors.Is(err, errOldSchema):
		return exitFailed
	case errors.As(err, &usage):
		if cmd.Name() == "help" {
			cmd = cmd.Root()
		}
		fmt.Fprintf(errw, "mcp-memory: %s\nRun '%s --help' for usage.\n", oneLine(err), cmd.CommandPath())
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(errw, "mcp-memory: interrupted")
		return exitFailed
	}
	fmt.Fprintf(errw, "mcp-memory: %s\n", oneLine(err))
	return exitFailed
}

// readerLeft reports whether a command ended only because whoever reads its output,
// such as head, wants no more. A server must have a reader.
func readerLeft(cmd *cobra.Command, err error) bool {
	return errors.Is(err, syscall.EPIPE) && cmd.HasParent() && cmd.Name() != "serve"
}

// oneLine keeps an error on one line, without what is for the log.
func oneLine(err error) string { return strings.Join(strings.Fields(sqlite.Plainly(err)), " ") }

func (p Program) root(in io.Reader, out, errw io.Writer) *cobra.Command {
	var s settings
	root := &cobra.Command{
		Use:   "mcp-memory",
		Short: "Long-term memory for AI agents, over the Model Context Protocol",
		Long: `Long-term memory for AI agents: entities, observations and relations in one
SQLite file, found by name, by words and by meaning.

Without a command it serves the Model Context Protocol on standard input and
output, which is how AI clients start it. It ends when its input ends. To have a
client do so, run 'mcp-memory install'.`,
		Args:    noArguments,
		Version: p.version(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolve(cmd.Flags()); err != nil {
				return err
			}
			return p.serve(cmd.Context(), s, in, out, errw)
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error { return s.checkFlags(cmd, args) },
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	s.register(root.PersistentFlags())
	completeFlag(root, logLevelSetting.flag, oneOf("debug", "info", "warn", "error"))
	completeFlag(root, modelDirSetting.flag, completeFolder)
	root.AddCommand(
		p.serveCommand(&s, in, out, errw),
		p.searchCommand(&s, out, errw),
		p.showCommand(&s, out, errw),
		p.listCommand(&s, out, errw),
		p.addCommand(&s, out, errw),
		p.relateCommand(&s, out, errw),
		p.forgetCommand(&s, in, out, errw),
		p.uiCommand(&s, out, errw),
		p.installCommand(&s, in, out, errw),
		p.uninstallCommand(in, out, errw),
		p.modelCommand(&s, out, errw),
		p.doctorCommand(&s, out),
		p.evalCommand(&s, out, errw),
		backupCommand(&s, out, errw),
		restoreCommand(&s, in, out, errw),
		migrateCommand(&s, out, errw),
		reindexCommand(&s, out, errw),
		statsCommand(&s, out, errw),
		exportCommand(&s, out, errw),
		importCommand(&s, in, out, errw),
		p.versionCommand(out),
		exitCodesTopic(),
	)
	mendCompletion(root, out)
	mendHelp(root)
	return root
}
