package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
)

// notesName stands for the notes that come with the program.
const notesName = "notes"

// calibrateCommand is for those who change the ranking or the model, so it is
// in no list.
func (p Program) calibrateCommand(s *settings, out, errw io.Writer) *cobra.Command {
	o := evalOptions{run: evaluation.RunOptions{Limit: evaluation.Depth}}
	cmd := &cobra.Command{
		Use:   "calibrate [SET[,group][,queries-from=PATH]]...",
		Short: "Fit what the ranking calls relevant and weak",
		Long: `Fit what the ranking calls relevant and weak.

Each set is asked three times: its questions of its memory, the same of a
memory without the half that holds the answer, and questions about other things
or nothing at all. From every second question follow the settings of relevance;
the others tell how true they are. A set is what eval takes, with its options
behind commas, or "notes", which is also what is asked if there is none.`,
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			rankings, err := o.rankings()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{notesName}
			}
			sets, err := o.loadAll(args)
			if err != nil {
				return err
			}
			c, err := calibrate(cmd.Context(), *s, sets, rankings[0].settings, errw)
			if err != nil {
				return err
			}
			return evaluation.WriteCalibration(out, c)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.set.SampleQueries, "sample", 0, "ask about this `number` of questions of each set, evenly spread, not all")
	flags.StringArrayVar(&o.ranking, "set", nil, "change a setting of the ranking, `NAME=VALUE` (repeatable)")
	flags.SortFlags = false
	completeFlag(cmd, "set", completeSettings)
	return cmd
}

// namedSet is a set with its short name.
type namedSet struct {
	name string
	evaluation.Set
}

func (o evalOptions) loadAll(args []string) ([]namedSet, error) {
	sets := make([]namedSet, len(args))
	for i, arg := range args {
		var err error
		if sets[i], err = o.loadNamed(arg); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// loadNamed reads a set written SET[,OPTION]...
func (o evalOptions) loadNamed(arg string) (namedSet, error) {
	path, options, _ := strings.Cut(arg, ",")
	set := namedSet{name: filepath.Base(path)}
	for option := range strings.SplitSeq(options, ",") {
		key, value, _ := strings.Cut(option, "=")
		switch {
		case option == "":
		case option == "group":
			o.set.Group = true
			set.name += ", grouped"
		case key == "queries-from" && value != "":
			o.set.QueriesFrom = value
			set.name += " asked from " + filepath.Base(value)
		default:
			return namedSet{}, usageError{fmt.Errorf("%q: %q is neither group nor queries-from=PATH", arg, option)}
		}
	}
	var from []string
	if path != notesName {
		from = []string{path}
	}
	if err := o.check(from); err != nil {
		return namedSet{}, err
	}
	var err error
	set.Set, err = o.load(from)
	return set, err
}

// calibrate asks all sets and fits the ranking to what they answer.
func calibrate(ctx context.Context, s settings, sets []namedSet, ranking rank.Settings, errw io.Writer) (evaluation.Calibration, error) {
	b, err := newBench(s, errw)
	if err != nil {
		return evaluation.Calibration{}, err
	}
	defer b.close()
	unrelated, err := evaluation.Unrelated()
	if err != nil {
		return evaluation.Calibration{}, err
	}
	asked := ranking
	asked.Use = 0 // relevance comes before use
	trials := make([]evaluation.Trial, len(sets))
	for i, set := range sets {
		fmt.Fprintf(errw, "set %s: %d entities, %d questions\n", set.name, len(set.Entities), len(set.Questions))
		if trials[i], err = b.try(ctx, filepath.Join(b.dir, fmt.Sprintf("set%d.db", i+1)), set, unrelated, asked); err != nil {
			return evaluation.Calibration{}, fmt.Errorf("set %s: %w", set.name, err)
		}
	}
	return evaluation.Calibrate(trials, ranking)
}

// try makes a memory of a set and asks it, and what is left of it without the
// one half and the other.
func (b bench) try(ctx context.Context, path string, set namedSet, unrelated []evaluation.Question, s rank.Settings) (t evaluation.Trial, err error) {
	t.Name = set.name
	if err := b.build(ctx, path, set.Set); err != nil {
		return t, err
	}
	if t.Whole, err = b.ask(ctx, path, s, set.Questions, evaluation.RunOptions{}); err != nil {
		return t, err
	}
	if t.Unrelated, err = b.ask(ctx, path, s, unrelated, evaluation.RunOptions{}); err != nil {
		return t, err
	}
	for _, half := range set.Halves() {
		left, err := b.copyOf(path)
		if err != nil {
			return t, err
		}
		if err := b.remove(ctx, left, half.Gone); err != nil {
			return t, err
		}
		run, err := b.ask(ctx, left, s, half.Questions, evaluation.RunOptions{})
		if err != nil {
			return t, err
		}
		t.Halved = append(t.Halved, run...)
	}
	return t, nil
}

// remove deletes entities from a database.
func (b bench) remove(ctx context.Context, path string, names []string) error {
	return b.change(ctx, path, func(service *memory.Service) error {
		_, missing, err := service.DeleteEntities(ctx, names)
		if err := errors.Join(append(missing, err)...); err != nil {
			return fmt.Errorf("deleting entities: %w", err)
		}
		return nil
	})
}
