package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

func migrateCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var status, asJSON bool
	cmd := &cobra.Command{
		Use:   "migrate [FILE]",
		Short: "Bring the memory up to date, or import the official server's file",
		Long: `Without a file, bring the database of the memory to the schema of this program, the
Python server's database, too. It is copied beside itself first, and changed whole
or not at all. Servers do the same when they start, so this is only to
do it at a time of your own, or to see it done. --status only says which schema
it has, and changes nothing; its exit code is 1 if that is an old one.

With FILE, import that file as the tool 'migrate' does: the official memory
server's JSON lines, or one JSON document as read_graph prints it. It is merged into what is
there, and importing twice adds nothing. 'mcp-memory import' does the same, and
also takes standard input and what 'mcp-memory export' writes. Records that cannot be
taken are listed, and the exit code is 1 then; all others are imported.`,
		Example: `  mcp-memory migrate --status
  mcp-memory migrate
  mcp-memory migrate memory.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneFile("one file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if status {
					return usageError{errors.New("--status goes without a file")}
				}
				return s.migrateFile(cmd, args[0], asJSON, out, errw)
			}
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			if status {
				return schemaStatus(cmd.Context(), *s, asJSON, out)
			}
			return upgrade(cmd.Context(), *s, asJSON, out)
		},
	}
	cmd.Flags().BoolVar(&status, "status", false, "only say which schema the database has")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON; with FILE, as the MCP tool answers")
	cmd.Flags().SortFlags = false
	return cmd
}

// imported is what the tool migrate answers.
type imported struct {
	Entities  int `json:"entities_imported"`
	Relations int `json:"relations_imported"`
	Errors    int `json:"errors"`
	Skipped   int `json:"skipped"`
	Problems  []struct {
		Line   int    `json:"line"`
		Reason string `json:"reason"`
	} `json:"problems"`
	NotIndexed string `json:"notIndexed"`
}

// importFile imports a file by the tool migrate.
func (m *opened) importFile(ctx context.Context, path string) (answer imported, raw json.RawMessage, err error) {
	raw, err = m.call(ctx, "migrate", map[string]any{"source_path": path}, &answer)
	if refused, ok := errors.AsType[*memory.InputError](err); ok {
		err = errors.New(refused.Reason) // which names the file
	}
	return answer, raw, err
}

func (i imported) write(out, errw io.Writer, file string) {
	fmt.Fprintf(out, "Imported %s and %s from %s\n", plural(i.Entities, "entity", "entities"), plural(i.Relations, "relation", "relations"), file)
	for _, problem := range i.Problems {
		fmt.Fprintf(errw, "  line %d: %s\n", problem.Line, printable(problem.Reason))
	}
	if more := i.Errors + i.Skipped - len(i.Problems); more > 0 {
		fmt.Fprintf(errw, "  and %d more\n", more)
	}
}

func (s *settings) migrateFile(cmd *cobra.Command, file string, asJSON bool, out, errw io.Writer) error {
	path, err := expand(file)
	if err != nil {
		return err
	}
	return s.use(cmd, makeMemory, errw, func(ctx context.Context, m *opened) error {
		answer, raw, err := m.importFile(ctx, path)
		if err != nil {
			return err
		}
		if asJSON {
			err = writeJSON(out, raw)
		} else {
			answer.write(out, errw, path)
		}
		switch n := answer.Errors + answer.Skipped; {
		case err != nil:
			return err
		case n > 0:
			return notAllImported(n, answer.Entities+answer.Relations)
		case answer.NotIndexed != "":
			return errors.New("all is imported, but " + answer.NotIndexed)
		}
		return nil
	})
}

// schema is what `migrate` says of a database.
type schema struct {
	Database string `json:"database"`
	From     string `json:"from,omitempty"` // the version that it had
	Version  int64  `json:"schema_version"` // 0 of a database that has none
	Latest   int64  `json:"latest"`
	Current  bool   `json:"current"`
	Backup   string `json:"backup,omitempty"` // the copy that was made first
}

// errOldSchema ends `migrate --status` with exitFailed; what there is to say is said.
var errOldSchema = errors.New("an old schema")

func schemaStatus(ctx context.Context, s settings, asJSON bool, out io.Writer) error {
	o, err := sqlite.Survey(ctx, s.db)
	switch {
	case err == nil && o.Empty:
		return s.orNoMemory(sqlite.ErrNoDatabase)
	case err != nil:
		return s.orNoMemory(err)
	case o.Damaged:
		return fmt.Errorf("%s is damaged: `mcp-memory doctor` says more", s.db)
	}
	if o.Unnoted {
		return fmt.Errorf("the note of the schema version of %s is gone: `mcp-memory migrate` makes it again", s.db)
	}
	state := schema{Database: s.db, Version: o.Version, Latest: sqlite.LatestVersion(), Current: o.Current()}
	if asJSON {
		err = writeJSON(out, state)
	} else {
		err = state.write(out, o.Adopted)
	}
	if err == nil && !state.Current {
		err = errOldSchema
	}
	return err
}

func (s schema) write(out io.Writer, adopted bool) (err error) {
	switch {
	case s.Current:
		_, err = fmt.Fprintf(out, "%s has schema version %d, which is the newest.\n", s.Database, s.Version)
	case adopted:
		_, err = fmt.Fprintf(out, "%s is a database of the Python server: `mcp-memory migrate` takes it over.\n", s.Database)
	default:
		_, err = fmt.Fprintf(out, "%s has schema version %d: `mcp-memory migrate` brings it to %d.\n", s.Database, s.Version, s.Latest)
	}
	return err
}

// upgrade brings a database up to date.
func upgrade(ctx context.Context, s settings, asJSON bool, out io.Writer) error {
	done, err := sqlite.Upgrade(ctx, s.db)
	if err != nil {
		return s.orNoMemory(err)
	}
	latest := sqlite.LatestVersion()
	if asJSON {
		return writeJSON(out, schema{Database: s.db, From: done.From, Version: latest, Latest: latest, Current: true, Backup: done.Backup})
	}
	if done.Backup == "" {
		_, err = fmt.Fprintf(out, "%s has schema version %d, which is the newest.\n", s.db, latest)
		return err
	}
	from := "version " + done.From
	if done.Adopted {
		from = "that of the Python server"
	}
	_, err = fmt.Fprintf(out, "Brought %s from %s to version %d.\nThe database as it was: %s\n", s.db, from, latest, done.Backup)
	return err
}
