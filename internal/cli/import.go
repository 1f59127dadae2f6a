package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-memory/internal/document"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

func importCommand(s *settings, in io.Reader, out, errw io.Writer) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Merge an exported file into the memory",
		Long: `Merge a file into the memory, all at once or not at all: what 'mcp-memory export'
wrote, in either format, or the file of the official memory server as it is. - is
standard input.

What is there is kept, and importing twice adds nothing. Into an empty memory, a
json document brings everything back as it was. Records that cannot be taken
are listed, and the exit code is 1 then; all others are imported. Values that are not
taken as they stand in the file, such as counts beyond 1,000,000,000, are listed, too,
but do not change the exit code.`,
		Example: `  mcp-memory import memory.jsonl
  mcp-memory export | mcp-memory --db copy.db import -`,
		Args: oneFile("the file to import, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := s.resolveWith(cmd, args[0])
			if err != nil {
				return err
			}
			file, drop, err := source(args[0], name, in)
			if err != nil {
				return err
			}
			defer drop()
			return runImport(cmd.Context(), *s, file, asJSON, out, errw)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// source opens what is imported. Standard input is copied to a file first: it
// is read with the database locked, and may have to be read twice.
func source(given, name string, in io.Reader) (f *os.File, drop func(), err error) {
	if given != "-" {
		info, err := os.Stat(name) // to open a pipe waits for its other end
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
		case info.IsDir():
			return nil, nil, fmt.Errorf("%s is a folder: give the name of a file", name)
		case !info.Mode().IsRegular():
			return nil, nil, fmt.Errorf("%s is not a regular file: give - as its name, and its content on standard input", name)
		}
		if f, err = os.Open(name); err != nil {
			return nil, nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
		}
		return f, func() { f.Close() }, nil
	}
	f, err = os.CreateTemp("", "mcp-memory-import-*")
	if err != nil {
		return nil, nil, err
	}
	drop = func() {
		f.Close()
		_ = os.Remove(f.Name())
	}
	if _, err = io.Copy(f, in); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		drop()
		return nil, nil, sqlite.WriteError("a copy of standard input to "+filepath.Dir(f.Name()), fmt.Errorf("read standard input: %w", err))
	}
	return f, drop, nil
}

// importReport is what an import did, as it is printed.
type importReport struct {
	Entities      int             `json:"entities"`
	Relations     int             `json:"relations"`
	CoOccurrences int             `json:"co_occurrences"`
	Vectors       int             `json:"vectors"`
	Errors        int             `json:"errors"`
	Skipped       int             `json:"skipped"`
	Altered       int             `json:"altered"`
	Problems      []importProblem `json:"problems"`
	NotIndexed    string          `json:"not_indexed,omitempty"`
}

type importProblem struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

func runImport(ctx context.Context, s settings, file io.ReadSeeker, asJSON bool, out, errw io.Writer) error {
	var report memory.ImportReport
	err := withService(ctx, s, makeMemory, errw, func(ctx context.Context, service *memory.Service) (err error) {
		report, err = service.ImportFrom(ctx, file)
		if broken, ok := errors.AsType[*document.SyntaxError](err); ok {
			return fmt.Errorf("nothing was imported: %w", broken)
		}
		if other, ok := errors.AsType[*memory.NotMemoryError](err); ok {
			return fmt.Errorf("nothing was imported: %w", other)
		}
		if err != nil && ctx.Err() != nil {
			return errors.New("interrupted: nothing was imported")
		}
		err = sqlite.WriteError(s.db, err)
		return err
	})
	if err != nil {
		return err
	}
	printed := importReport{
		report.Entities, report.Relations, report.CoOccurrences, report.Vectors, report.Errors, report.Skipped, report.Altered,
		make([]importProblem, len(report.Problems)), report.Unindexed,
	}
	for i, p := range report.Problems {
		printed.Problems[i] = importProblem(p)
	}
	write := writeImported
	if asJSON {
		write = func(out io.Writer, r importReport) error { return writeJSON(out, r) }
	}
	if err := write(out, printed); err != nil {
		return err
	}
	if n := report.Errors + report.Skipped; n > 0 {
		return notAllImported(n, report.Entities+report.Relations+report.CoOccurrences+report.Vectors)
	}
	if report.Unindexed != "" {
		return errors.New("all is imported, but " + report.Unindexed)
	}
	return nil
}

// notAllImported says that so many records could not be imported, and whether others were.
func notAllImported(lacking, imported int) error {
	if imported == 0 {
		return fmt.Errorf("nothing was imported: %s could not be", plural(lacking, "record", "records"))
	}
	return fmt.Errorf("%s could not be imported; all others were", plural(lacking, "record", "records"))
}

func writeImported(out io.Writer, r importReport) error {
	fmt.Fprintf(out, "Imported %s and %s", plural(r.Entities, "entity", "entities"), plural(r.Relations, "new relation", "new relations"))
	if r.Vectors > 0 {
		fmt.Fprintf(out, ", with %s", plural(r.Vectors, "vector", "vectors"))
	}
	_, err := fmt.Fprintln(out)
	for _, p := range r.Problems {
		_, err = fmt.Fprintf(out, "  line %d: %s\n", p.Line, p.Reason)
	}
	if more := r.Errors + r.Skipped + r.Altered - len(r.Problems); more > 0 {
		_, err = fmt.Fprintf(out, "  and %s more\n", grouped(more))
	}
	return err
}
