package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/rank"
)

// evalOptions are the flags of `eval`.
type evalOptions struct {
	set         evaluation.Options
	run         evaluation.RunOptions
	ranking     []string // settings of the ranking, NAME=VALUE each
	compare     []string // those that differ in a second run
	comparing   bool     // there is to be one
	keep        string   // file of the database; "" drops it
	rankingFile string   // for the order of results; "" for none
	asJSON      bool
}

func (p Program) evalCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval [folder|file]",
		Short: "Measure how well search by meaning finds what it should",
		Long: fmt.Sprintf(`Measure how well search by meaning finds what it should.

A set of texts becomes a memory in a temporary database; its questions are
asked, and what comes back is compared with their answers. Your own memory is
not touched. A set is a folder in BEIR layout (corpus.jsonl, queries.jsonl,
qrels/test.tsv), a folder with memory.jsonl and questions.jsonl, or a file with
the lines of both. Without one, notes that come with the program are asked.
Lines are such as

  {"type":"entity","name":"Faro","entityType":"project","observations":["launches in March"]}
  {"type":"relation","from":"Ana","to":"Faro","relationType":"leads"}
  {"id":"q1","question":"When does the lighthouse project start?","answers":["Faro"]}

hit@k is the share of questions with a right result among the first k, MRR@10
the mean of 1/rank of the first right one, nDCG@10 counts all right ones: of
each, 1 is best.

Settings of the ranking: %s.`, strings.Join(rank.SettingNames(), ", ")),
		Example: `  mcp-memory eval
  mcp-memory eval notes-of-mine.jsonl --sample 100
  mcp-memory eval notes-of-mine.jsonl --compare use=0`,
		Args: oneSet,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			o.comparing = cmd.Flags().Changed("compare")
			if err := o.check(args); err != nil {
				return err
			}
			rankings, err := o.rankings()
			if err != nil {
				return err
			}
			set, err := o.load(args)
			if err != nil {
				return err
			}
			if err := o.prepareRanking(); err != nil {
				return err
			}
			report, err := evaluate(cmd.Context(), *s, o, set, rankings, errw)
			if err != nil {
				return err
			}
			return o.write(out, report)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.set.Group, "group", false, "BEIR: make one entity of all texts of a title")
	flags.StringVar(&o.set.QueriesFrom, "queries-from", "", "`folder` or file to take the questions of the same ids from")
	flags.IntVar(&o.set.SampleQueries, "sample", 0, "ask about this `number` of questions, evenly spread, not all")
	flags.IntVar(&o.run.Warm, "warm", 0, "search about this `number` of times first, so that there is use to rank by")
	flags.IntVar(&o.run.Limit, "limit", evaluation.Depth, "`number` of results to ask for; the first ten count")
	flags.StringArrayVar(&o.ranking, "set", nil, "change a setting of the ranking, `NAME=VALUE` (repeatable)")
	flags.StringSliceVar(&o.compare, "compare", nil, "ask again with these settings, `NAME=VALUE[,...]`, and test the difference")
	flags.StringVar(&o.keep, "keep", "", "keep the database as this `file`")
	flags.StringVar(&o.rankingFile, "ranking", "", "write what came first for each question (of the first run) to this `file`")
	flags.BoolVar(&o.asJSON, "json", false, "print JSON")
	flags.SortFlags = false
	completeFlag(cmd, "set", completeSettings)
	completeFlag(cmd, "compare", completeSettings)
	cmd.AddCommand(p.calibrateCommand(s, out, errw))
	return cmd
}

// resolveQuiet is resolve, but unless a level was asked for, the log leaves out
// what lines of progress say as well.
func (s *settings) resolveQuiet(flags *pflag.FlagSet) error {
	if err := s.resolve(flags); err != nil {
		return err
	}
	if !flags.Changed(logLevelSetting.flag) && os.Getenv(logLevelSetting.variable) == "" {
		s.level = slog.LevelWarn
	}
	return nil
}

// oneSet refuses more arguments than a set.
func oneSet(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("eval takes one folder or file, got %q as well", args[1])}
	}
	return nil
}

// ranking is the settings of a run.
type ranking struct {
	texts    []string // what differs from the standard, NAME=VALUE each
	settings rank.Settings
}

// rankings returns one ranking, or two to compare.
func (o evalOptions) rankings() ([]ranking, error) {
	lists := [][]string{o.ranking}
	if len(o.compare) > 0 {
		lists = append(lists, slices.Concat(o.ranking, o.compare))
	}
	var rankings []ranking
	for _, texts := range lists {
		r := ranking{texts: texts, settings: rank.E5Small}
		for _, text := range texts {
			var err error
			if r.settings, err = rank.ParseSetting(r.settings, text); err != nil {
				return nil, usageError{err}
			}
		}
		rankings = append(rankings, r)
	}
	return rankings, nil
}

// check refuses flags that make no sense.
func (o evalOptions) check(args []string) error {
	switch {
	case o.comparing && len(o.compare) == 0:
		return usageError{errors.New("--compare names no setting: it takes NAME=VALUE[,...]")}
	case o.set.SampleQueries < 0:
		return usageError{errors.New("--sample must not be negative")}
	case o.run.Warm < 0:
		return usageError{errors.New("--warm must not be negative")}
	case o.run.Limit < 1:
		return usageError{errors.New("--limit must be 1 at least")}
	case len(args) == 0 && (o.set.Group || o.set.QueriesFrom != ""):
		return usageError{errors.New("--group and --queries-from need a folder or file")}
	}
	return nil
}

// prepareRanking makes the file of the ranking, which fails now rather than after all
// questions were asked.
func (o evalOptions) prepareRanking() error {
	if o.rankingFile == "" {
		return nil
	}
	path, err := expand(o.rankingFile)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("--ranking: %w", err)
	}
	return f.Close()
}

// load reads the set to ask.
func (o evalOptions) load(args []string) (evaluation.Set, error) {
	if len(args) == 0 {
		return evaluation.Notes(o.set.SampleQueries)
	}
	path, err := expand(args[0])
	if err != nil {
		return evaluation.Set{}, err
	}
	if o.set.QueriesFrom != "" {
		if o.set.QueriesFrom, err = expand(o.set.QueriesFrom); err != nil {
			return evaluation.Set{}, err
		}
	}
	return evaluation.Load(filepath.Clean(path), o.set)
}
