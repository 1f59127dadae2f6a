package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcp-memory/internal/model"
	"mcp-memory/internal/sqlite"
)

func backupCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var o sqlite.BackupOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the memory to a file, while others use it",
		Long: `Copy the memory to a file, as it is at one moment. Servers may go on to write
meanwhile. The file is complete, its own only one, readable by its owner alone,
and gets its name when the copy has been checked. 'mcp-memory restore' puts it
back.`,
		Example: `  mcp-memory backup notes-copy.db
  mcp-memory backup notes-copy.db --force`,
		Args: oneFile("the file to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := s.resolveWith(cmd, args[0])
			if err != nil {
				return err
			}
			o.Progress = newSteps(errw, largeCopy).pages
			made, err := sqlite.BackUp(cmd.Context(), s.db, name, o)
			if err != nil {
				return s.orNoMemory(err)
			}
			if asJSON {
				return writeJSON(out, made)
			}
			_, err = fmt.Fprintf(out, "Backed up %s, %s, as %s\n", holds(made.Summary), model.FormatSize(made.Size), made.Path)
			return err
		},
	}
	cmd.Flags().BoolVar(&o.Replace, "force", false, "replace the file if it exists")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func restoreCommand(s *settings, in io.Reader, out, errw io.Writer) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace the memory by a backup",
		Long: `Replace the memory by the one in FILE: a backup, or any copy of a memory's
database, of this version or an older one. It is checked first, and left as it
is. The memory that is there is kept beside it, as *.before-restore-TIME. AI
clients that use it must be closed meanwhile.`,
		Example: `  mcp-memory restore notes-copy.db
  mcp-memory restore notes-copy.db --yes`,
		Args: oneFile("the backup to restore"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := s.resolveWith(cmd, args[0])
			if err != nil {
				return err
			}
			if !yes && !isTerminal(in) {
				return usageError{errors.New("restore replaces the memory, and there is no terminal to ask on: add --yes")}
			}
			o := sqlite.RestoreOptions{Progress: newSteps(errw, largeCopy).pages}
			if !yes {
				o.Confirm = func(sum sqlite.Summary) bool {
					sure, err := confirm(cmd.Context(), in, errw, fmt.Sprintf(
						"%s holds %s.\nReplace the memory %s by it? What is there now is kept beside it.", name, holds(sum), s.db))
					return err == nil && sure
				}
			}
			done, err := sqlite.Restore(cmd.Context(), s.db, name, o)
			if inUse, ok := errors.AsType[*sqlite.InUseError](err); ok {
				inUse.Users = usersOfAny(inUse.Path)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(out, done)
			}
			return writeRestored(out, done)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func writeRestored(out io.Writer, done sqlite.Restored) error {
	fmt.Fprintf(out, "Restored %s from %s\n", holds(done.Summary), done.From)
	kept := "There was no memory before."
	if done.Kept != "" {
		kept = "The memory that was there is kept as " + done.Kept
	}
	_, err := fmt.Fprintln(out, kept)
	return err
}

// holds says what is in a database.
func holds(s sqlite.Summary) string {
	return fmt.Sprintf("%s (%s, %s)", plural(s.Entities, "entity", "entities"),
		plural(s.Observations, "observation", "observations"), plural(s.Relations, "relation", "relations"))
}

// resolveWith resolves the settings, and expands the name of a file.
func (s *settings) resolveWith(cmd *cobra.Command, name string) (string, error) {
	if err := s.resolveQuiet(cmd.Flags()); err != nil {
		return "", err
	}
	return expand(name)
}
