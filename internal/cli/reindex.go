package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/tool"
)

// reindexOptions are the flags of `reindex`.
type reindexOptions struct {
	text, vectors, restart bool
	asJSON                 bool
}

func reindexCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var o reindexOptions
	cmd := &cobra.Command{
		Use:   "reindex",
		Short: "Make all vectors and the text index anew",
		Long: `Make all vectors and the index of texts and words anew from what is stored. Servers
may work on meanwhile, and find things: what is there stays in use until what
replaces it is there. What servers make by themselves meanwhile is not made again.

It can be ended at any time, with Ctrl-C or otherwise: the next run goes on where
it ended, with what that was to do, unless --restart has it begin again. It is
seldom needed: servers index by themselves what changes and what another model
has made, and 'mcp-memory doctor --fix' repairs only what is wrong.`,
		Example: `  mcp-memory reindex
  mcp-memory reindex --text
  mcp-memory reindex --vectors --restart`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			return o.run(cmd.Context(), *s, out, errw)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.text, "text", false, "only the index of texts and words, which needs no model")
	flags.BoolVar(&o.vectors, "vectors", false, "only the vectors")
	flags.BoolVar(&o.restart, "restart", false, "begin again, wherever an earlier run ended")
	flags.BoolVar(&o.asJSON, "json", false, "print JSON")
	flags.SortFlags = false
	return cmd
}

// reindexed is what `reindex` prints.
type reindexed struct {
	Complete     bool `json:"complete"`
	Resumed      bool `json:"resumed"`       // where an earlier run ended
	Texts        int  `json:"texts"`         // entities whose texts were indexed
	Passages     int  `json:"passages"`      // that were embedded
	Entities     int  `json:"entities"`      // whose documented vector was made
	Failed       int  `json:"failed"`        // vectors that could not be made: the old ones stay
	TextsLeft    int  `json:"texts_left"`    // to the next run
	PassagesLeft int  `json:"passages_left"` // likewise
	EntitiesLeft int  `json:"entities_left"` // likewise
}

func (o reindexOptions) run(ctx context.Context, s settings, out, errw io.Writer) error {
	todo := memory.RenewOptions{Texts: o.text || !o.vectors, Vectors: o.vectors || !o.text, Restart: o.restart}
	if todo.Texts {
		if err := restoreIndex(ctx, s, errw); err != nil {
			return err
		}
	}
	var report memory.RenewReport
	var failure error
	err := withService(ctx, s, findMemory, errw, func(ctx context.Context, service *memory.Service) error {
		progress := newRate(errw)
		report, failure = service.Renew(memory.WithProgress(ctx, progress.update), todo)
		progress.end()
		return nil
	})
	switch {
	case err != nil:
		return err
	case errors.Is(failure, memory.ErrNoModel):
		return fmt.Errorf("%w; nothing was changed: `mcp-memory model download` gets the model, and `mcp-memory reindex --text` needs none", failure)
	}
	r := reindexed{
		Complete: failure == nil && report.Failed == 0, Resumed: report.Resumed,
		Texts: report.Texts, Passages: report.Passages, Entities: report.Entities, Failed: report.Failed,
		TextsLeft: report.TextsLeft, PassagesLeft: report.PassagesLeft, EntitiesLeft: report.EntitiesLeft,
	}
	write := r.write
	if o.asJSON {
		write = func(out io.Writer) error { return writeJSON(out, r) }
	}
	if err := write(out); err != nil {
		return err
	}
	switch {
	case failure != nil && ctx.Err() != nil:
		return errors.New("interrupted: run it again to go on")
	case failure != nil:
		text, known := tool.ErrorTextFor(failure, "")
		if !known {
			s.logger(errw).Error("reindex failed", "error", failure)
		}
		return fmt.Errorf("%s; run it again to go on", strings.TrimSuffix(text, "."))
	case r.Failed > 0:
		return fmt.Errorf("%s could not be made; the old ones stay", plural(r.Failed, "vector", "vectors"))
	}
	return nil
}

// restoreIndex makes way for what is indexed anew: words cannot be written to an index
// that is damaged.
func restoreIndex(ctx context.Context, s settings, errw io.Writer) error {
	db, err := sqlite.Open(ctx, s.db, sqlite.Options{Logger: s.logger(errw), Existing: true})
	if err != nil {
		return s.orNoMemory(err)
	}
	return errors.Join(db.RestoreIndex(ctx), db.Close())
}

func (r reindexed) write(out io.Writer) error {
	if r.Resumed {
		fmt.Fprintln(out, "Went on where an earlier run had ended.")
	}
	_, err := fmt.Fprintf(out, "Indexed the texts of %s, embedded %s, made the whole vectors of %s.\n",
		plural(r.Texts, "entity", "entities"), plural(r.Passages, "passage", "passages"), plural(r.Entities, "entity", "entities"))
	if r.TextsLeft+r.PassagesLeft+r.EntitiesLeft > 0 {
		_, err = fmt.Fprintf(out, "Left: the texts of %s, %s, the whole vectors of %s.\n",
			plural(r.TextsLeft, "entity", "entities"), plural(r.PassagesLeft, "passage", "passages"), plural(r.EntitiesLeft, "entity", "entities"))
	}
	return err
}
