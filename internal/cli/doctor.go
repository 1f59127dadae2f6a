package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcp-memory/internal/partfile"
	"mcp-memory/internal/sqlite"
)

// errUnwell ends `doctor` with exitFailed; what there is to say is said.
var errUnwell = errors.New("something is wrong")

func (p Program) doctorCommand(s *settings, out io.Writer) *cobra.Command {
	var asJSON, fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the memory and all that it needs, and repair it",
		Long: `Check the memory and all that it needs: the file and who may read it, its pages,
everything that is made from what is stored (indexes, passages, vectors), the
embedding model, and what else is about. Nothing is changed, and servers may run
meanwhile.

With --fix, what can be repaired is, after a copy of the database was made beside
it. What you stored stays; of a damaged file nothing is touched.

The exit code is 0 when all is well or only worth a look (warn), and 1 when
something is wrong (fail).`,
		Example: `  mcp-memory doctor
  mcp-memory doctor --fix`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolve(cmd.Flags()); err != nil {
				return err
			}
			d, err := p.examine(cmd.Context(), *s)
			if err == nil && fix {
				d, err = p.treat(cmd.Context(), *s, d)
			}
			if err != nil {
				return err
			}
			write := writeDiagnosis
			if asJSON {
				write = writeDiagnosisJSON
			}
			if err := write(out, d); err != nil {
				return err
			}
			if !d.OK {
				return errUnwell
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired, after a copy of the database was made")
	cmd.Flags().SortFlags = false
	return cmd
}

// diagnosis is what a doctor says.
type diagnosis struct {
	Database string   `json:"database"`
	OK       bool     `json:"ok"` // nothing is wrong
	Checks   []check  `json:"checks"`
	Fixed    []string `json:"fixed"`
	Backup   string   `json:"backup,omitempty"` // the copy that was made before anything was changed

	modes []modeFix // permissions that can be put right
	parts []string  // what killed programs left of files
	data  bool      // there is something to repair in the database
}

// check is one thing that was looked at.
type check struct {
	Name     string     `json:"check"`
	State    checkState `json:"state"`
	What     string     `json:"what"`
	Do       string     `json:"do,omitempty"`
	Examples []string   `json:"examples,omitempty"`
}

type checkState string

const (
	stateOK   checkState = "ok"
	stateWarn checkState = "warn" // worth a look
	stateFail checkState = "fail"
)

// add notes a check.
func (d *diagnosis) add(c check) {
	d.Checks = append(d.Checks, c)
	d.OK = d.OK && c.State != stateFail
}

func (d *diagnosis) ok(name, format string, args ...any) {
	d.add(check{Name: name, State: stateOK, What: fmt.Sprintf(format, args...)})
}

func (d *diagnosis) warn(name, do, format string, args ...any) {
	d.add(check{Name: name, State: stateWarn, Do: do, What: fmt.Sprintf(format, args...)})
}

func (d *diagnosis) fail(name, do, format string, args ...any) {
	d.add(check{Name: name, State: stateFail, Do: do, What: fmt.Sprintf(format, args...)})
}

// doctor examines one memory.
type doctor struct {
	program Program
	settings
	diagnosis
}

// examine looks at everything.
func (p Program) examine(ctx context.Context, s settings) (diagnosis, error) {
	d := doctor{program: p, settings: s, diagnosis: diagnosis{Database: s.db, OK: true, Checks: []check{}, Fixed: []string{}}}
	var overview sqlite.Overview
	if d.file() {
		d.neighbours()
		overview = d.contents(ctx)
	}
	if err := d.search(ctx, overview); err != nil {
		return diagnosis{}, err
	}
	return d.diagnosis, ctx.Err()
}

// treat repairs what can be repaired, and looks again.
func (p Program) treat(ctx context.Context, s settings, before diagnosis) (diagnosis, error) {
	var fixed []string
	for _, m := range before.modes {
		if m.apply() == nil { // else it is told again below
			fixed = append(fixed, m.String())
		}
	}
	for _, path := range before.parts {
		if partfile.Remove(path) {
			fixed = append(fixed, path+" is removed: it was of a backup, export or restore that was killed")
		}
	}
	var done sqlite.Repairs
	if before.data {
		var err error
		if done, err = sqlite.Repair(ctx, s.db); err != nil {
			return diagnosis{}, fmt.Errorf("repair %s: %w", s.db, err)
		}
	}
	for _, f := range done.Findings {
		fixed = append(fixed, wordsOf(f.Check).sentence(f.Count))
	}
	if done.Reindexed > 0 {
		fixed = append(fixed, plural(done.Reindexed, "entity was indexed anew", "entities were indexed anew"))
	}
	after, err := p.examine(ctx, s)
	after.Fixed, after.Backup = append(after.Fixed, fixed...), done.Backup
	return after, err
}

// fixCommand is the command line that repairs.
func (d *doctor) fixCommand() string {
	return shellLine(append([]string{"mcp-memory", "doctor", "--fix"}, d.databaseArguments()...))
}
