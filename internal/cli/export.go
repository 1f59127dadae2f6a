package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/partfile"
	"mcp-memory/internal/sqlite"
)

// The formats of an export.
const (
	linesFormat    = "jsonl"
	documentFormat = "json"
)

// exportOptions are the flags of `export`.
type exportOptions struct {
	format     string
	embeddings bool
	file       string // "" for standard output
	force      bool
	asJSON     bool
}

func exportCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the memory as text: JSON lines, or one JSON document",
		Long: `Write the memory as text, as it is at one moment, while servers go on to write.

jsonl is the format of the official memory server: entities and relations, one a
line. json is a document with everything: times, use and, if asked, embeddings; to
import it into an empty memory makes the same memory again. Both have one record
on a line, always in the same order, so that exports can be compared.`,
		Example: `  mcp-memory export > memory.jsonl
  mcp-memory export --format json --include-embeddings -o memory.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context(), *s, out, errw)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", linesFormat, "`format`: jsonl or json")
	flags.BoolVar(&o.embeddings, "include-embeddings", false, "with --format json: write the vectors, too, which makes it many times larger")
	flags.StringVarP(&o.file, "output", "o", "", "`file` to write instead of standard output")
	flags.BoolVar(&o.force, "force", false, "replace the file if it exists")
	flags.BoolVar(&o.asJSON, "json", false, "print what was written to the file as JSON")
	flags.SortFlags = false
	completeFlag(cmd, "format", oneOf(linesFormat, documentFormat))
	return cmd
}

// check refuses flags that make no sense.
func (o *exportOptions) check() (err error) {
	switch {
	case o.format != linesFormat && o.format != documentFormat:
		return usageError{fmt.Errorf("--format: %q is not one of %s, %s", o.format, linesFormat, documentFormat)}
	case o.embeddings && o.format != documentFormat:
		return usageError{errors.New("--include-embeddings needs --format json")}
	case o.file == "" && (o.force || o.asJSON):
		return usageError{errors.New("--force and --json need a file: --output FILE")}
	case o.file == "":
		return nil
	}
	o.file, err = expand(o.file)
	return err
}

func (o *exportOptions) run(ctx context.Context, s settings, out, errw io.Writer) error {
	return withService(ctx, s, findMemory, errw, func(ctx context.Context, service *memory.Service) error {
		if o.file == "" {
			_, err := o.write(ctx, service, out)
			return sqlite.WriteError("standard output", err)
		}
		var report memory.ExportReport
		err := writeNew(o.file, o.force, func(w io.Writer) (err error) {
			report, err = o.write(ctx, service, w)
			return err
		})
		if err != nil {
			return err
		}
		if o.asJSON {
			return writeJSON(out, struct {
				File string `json:"file"`
				memory.ExportReport
			}{o.file, report})
		}
		_, err = fmt.Fprintf(out, "Exported %s and %s to %s\n", plural(report.Entities, "entity", "entities"), plural(report.Relations, "relation", "relations"), o.file)
		return err
	})
}

func (o *exportOptions) write(ctx context.Context, service *memory.Service, w io.Writer) (memory.ExportReport, error) {
	if o.format == documentFormat {
		return service.ExportDocument(ctx, w, o.embeddings)
	}
	return service.ExportLines(ctx, w)
}

// withService runs fn on the memory, without background work. What is long
// shows its progress.
func withService(ctx context.Context, s settings, a absence, errw io.Writer, fn func(context.Context, *memory.Service) error) (err error) {
	m, err := assemble(ctx, s, a, errw)
	if err != nil {
		return err
	}
	defer func() {
		m.service.Close()
		err = errors.Join(err, m.db.Close(), m.engine.Close())
	}()
	shown := newSteps(errw, largeMemory)
	defer shown.end()
	return fn(memory.WithProgress(ctx, shown.update), m.service)
}

// writeNew writes a file that gets its name when it is complete, and that only
// its owner may read.
func writeNew(name string, force bool, write func(io.Writer) error) (err error) {
	free := func() error {
		info, err := os.Stat(name)
		switch {
		case err == nil && info.IsDir():
			return fmt.Errorf("%s is a folder: give the name of a file", name)
		case err == nil && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		case err == nil && !force:
			return fmt.Errorf("%s exists already: give another name, or --force to replace it", name)
		}
		return sqlite.RefuseToReplace(name)
	}
	if err := free(); err != nil {
		return err
	}
	defer func() { err = sqlite.WriteError(name, err) }()
	f, err := partfile.Create(name)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := free(); err != nil { // it may have come meanwhile
		return err
	}
	if err := partfile.Finish(f, name); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	return nil
}

// cause is an error without the name of a file that the user does not know.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
