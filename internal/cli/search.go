package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
)

// searchOptions are the flags of `search`.
type searchOptions struct {
	text       bool
	limit      int
	entityType string
	since      string
	until      string
	explain    bool
	asJSON     bool
}

func (p Program) searchCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find memories by meaning, or by their text",
		Long: `Find memories by meaning, in any language, best first. The number is how probably
a result is what was asked for; a result in brackets may have nothing to do with
it. With --text, find those that contain the query as it is or, if it is nowhere,
its words; that needs no model.`,
		Example: `  mcp-memory search "who leads the lighthouse project?"
  mcp-memory search --text sqlite --limit 5
  mcp-memory search "¿quién eligió SQLite?" --type decision --since 2026-01-01 --explain`,
		Args: someArguments(1, 1, "a query; put more than one word into quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.text && (o.explain || o.entityType != "" || o.since != "" || o.until != "") {
				return usageError{fmt.Errorf("--text goes with --limit and --json only")}
			}
			search, question := o.call(args[0])
			if err := checkCall(search, question, map[string]string{
				"query": "QUERY", "limit": "--limit", "entityType": "--type", "since": "--since", "until": "--until",
			}); err != nil {
				return err
			}
			return s.use(cmd, findMemory, errw, func(ctx context.Context, m *opened) error {
				if o.text {
					if err := m.indexTexts(ctx, errw); err != nil {
						return err
					}
					return o.byText(ctx, m, question, out)
				}
				if m.engine.Load(ctx) == nil { // else nothing is searched
					if err := m.indexTexts(ctx, errw); err != nil {
						return err
					}
				}
				m.service.Start(ctx)
				return o.byMeaning(ctx, m, question, out)
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.text, "text", false, "find what contains the query, whatever the case and accents")
	flags.IntVar(&o.limit, "limit", 10, "`number` of results at most, up to 1000")
	flags.StringVar(&o.entityType, "type", "", "only entities of this `type`")
	flags.StringVar(&o.since, "since", "", "only what changed at this `date` or time, as 2026-03-31 or 2026-03-31T18:00Z, or later")
	flags.StringVar(&o.until, "until", "", "only what has not changed after this `date` or time")
	flags.BoolVar(&o.explain, "explain", false, "show how score and relevance of each came about")
	flags.BoolVar(&o.asJSON, "json", false, "print JSON, as the MCP tool answers")
	flags.SortFlags = false
	completeFlag(cmd, "type", s.completeTypes)
	return cmd
}

// indexTexts has a search find all that other programs, or an older version, have
// written: a command ends before the background work gets on. What fails is left out,
// and the answer says so.
func (m *opened) indexTexts(ctx context.Context, errw io.Writer) error {
	shown := newSteps(errw, largeMemory)
	err := m.service.IndexTexts(memory.WithProgress(ctx, shown.update))
	shown.end()
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: run it again to go on with indexing")
	case err != nil:
		m.log.Warn("not all that has changed could be indexed", "error", err)
	}
	return nil
}

// writeIncomplete says that an answer is not of the whole memory.
func writeIncomplete(b *bytes.Buffer, incomplete bool) {
	if incomplete {
		fmt.Fprintln(b, "\nIncomplete: some entities were not looked at, as they could not be indexed just now. Search again in a moment.")
	}
}

// call is the tool that searches, and its arguments.
func (o searchOptions) call(query string) (name string, question map[string]any) {
	if o.text {
		return "search_nodes", map[string]any{"query": query, "limit": o.limit}
	}
	return "search_semantic", map[string]any{
		"query": query, "limit": o.limit, "entityType": o.entityType, "since": o.since, "until": o.until, "explain": o.explain,
	}
}

// hit is a result of search_semantic.
type hit struct {
	entity
	Relevance   float64  `json:"relevance"`
	Weak        bool     `json:"weak"`
	Match       string   `json:"match"`
	LimbicScore float64  `json:"limbic_score"`
	Distance    *float64 `json:"distance"`
	Explain     struct {
		Meaning      float64 `json:"meaning"`
		EntityWords  float64 `json:"entity_words"`
		PassageWords float64 `json:"passage_words"`
		Evidence     float64 `json:"evidence"`
		Gap          float64 `json:"gap"`
		UseFactor    float64 `json:"use_factor"`
		ExactName    bool    `json:"exact_name"`
		NearestRank  int     `json:"nearest_rank"`
		WordsRank    int     `json:"words_rank"`
	} `json:"explain"`
	Scoring struct {
		Importance     float64 `json:"importance"`
		TemporalFactor float64 `json:"temporal_factor"`
		CoocBoost      float64 `json:"cooc_boost"`
	} `json:"scoring"`
}

func (o searchOptions) byMeaning(ctx context.Context, m *opened, question map[string]any, out io.Writer) error {
	var answer struct {
		Results    []hit `json:"results"`
		Pending    int   `json:"pending"`
		Incomplete bool  `json:"incomplete"`
	}
	raw, err := m.call(ctx, "search_semantic", question, &answer)
	if err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(out, raw)
	}
	var b bytes.Buffer
	st := styleOf(out)
	if len(answer.Results) == 0 {
		fmt.Fprintln(&b, "Nothing found.")
	}
	for _, h := range answer.Results {
		relevance := fmt.Sprintf("%.2f", h.Relevance)
		if h.Weak {
			relevance = "(" + relevance + ")"
		}
		fmt.Fprintf(&b, "%6s  %s %s\n", relevance, st.bold(printable(h.Name)), st.dim(printable(h.EntityType)))
		if h.Match != "" {
			fmt.Fprintf(&b, "        %s\n", printable(h.Match))
		}
		if o.explain {
			h.writeExplanation(&b, st)
		}
	}
	if answer.Pending > 0 {
		fmt.Fprintf(&b, "\n%s not embedded yet, and can be found by words only: a server that runs embeds them.\n", plural(answer.Pending, "memory is", "memories are"))
	}
	writeIncomplete(&b, answer.Incomplete)
	_, err = out.Write(b.Bytes())
	return err
}

// writeExplanation says how the score of a result came about.
func (h hit) writeExplanation(b *bytes.Buffer, st style) {
	e := h.Explain
	line := func(format string, args ...any) {
		fmt.Fprintf(b, "        %s\n", st.dim(fmt.Sprintf(format, args...)))
	}
	place := func(what string, rank int) string {
		if rank == 0 {
			return "not among the best by " + what
		}
		return fmt.Sprintf("%s by %s", ordinal(rank), what)
	}
	words, flattened := rank.E5Small.Words(e.EntityWords, e.PassageWords), ""
	if e.Meaning+words < rank.Knee {
		flattened = fmt.Sprintf(", flattened as less than %.1f", rank.Knee)
	}
	line("evidence %.2f = meaning %.2f + words %.2f (of the whole %.2f, of its best part %.2f)%s",
		e.Evidence, e.Meaning, words, e.EntityWords, e.PassageWords, flattened)
	line("%s, %s", place("meaning", e.NearestRank), place("words", e.WordsRank))
	line("score %.2f = evidence × %.3f for use (importance %.2f, recency %.2f, used together %.1f)",
		h.LimbicScore, e.UseFactor, h.Scoring.Importance, h.Scoring.TemporalFactor, h.Scoring.CoocBoost)
	if !e.ExactName {
		line("%s", relevanceOf(h.Relevance, e.Evidence, e.Gap))
	}
	if h.Distance != nil {
		line("cosine distance %.4f", *h.Distance)
	}
	if e.ExactName {
		line("the query is its name: it comes first, and is relevant for sure")
	}
}

// relevanceOf says how a relevance came about: by a logistic curve over evidence and gap.
func relevanceOf(relevance, evidence, gap float64) string {
	s, ahead := rank.E5Small, "ahead of the best other"
	switch {
	case gap < 0:
		ahead = "behind the best"
	case math.Abs(evidence-gap-s.Noise) < 0.0002: // both are rounded
		ahead = fmt.Sprintf("ahead of %.1f, the least that the best other counts as", s.Noise)
	}
	counts := ""
	if math.Abs(gap) > rank.MaxGap {
		counts = fmt.Sprintf("; %.1f of that counts", rank.MaxGap)
	}
	counted := max(-rank.MaxGap, min(rank.MaxGap, gap))
	return fmt.Sprintf("relevance %.3f = 1 / (1 + e^-(%.2f + %.2f × %.3f + %.2f × %.3f)): evidence %.3f, %.3f %s%s",
		relevance, s.Base, s.ByEvidence, evidence, s.ByGap, counted, evidence, math.Abs(gap), ahead, counts)
}

// ordinal writes a place: 1st, 2nd, 3rd, 11th.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}

func (o searchOptions) byText(ctx context.Context, m *opened, question map[string]any, out io.Writer) error {
	var answer struct {
		Entities   []entity `json:"entities"`
		Total      int      `json:"total"`
		Incomplete bool     `json:"incomplete"`
	}
	raw, err := m.call(ctx, "search_nodes", question, &answer)
	if err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(out, raw)
	}
	var b bytes.Buffer
	writeEntities(&b, styleOf(out), answer.Entities, answer.Total)
	writeIncomplete(&b, answer.Incomplete)
	_, err = out.Write(b.Bytes())
	return err
}

// writeEntities lists entities, a line each with the beginning of what is known.
func writeEntities(b *bytes.Buffer, st style, entities []entity, total int) {
	if len(entities) == 0 {
		fmt.Fprintln(b, "Nothing found.")
	}
	for _, e := range entities {
		n := len(e.Observations) + e.ObservationsOmitted
		fmt.Fprintf(b, "%s %s\n", st.bold(printable(e.Name)), st.dim(printable(e.EntityType)+", "+plural(n, "observation", "observations")))
	}
	if len(entities) < total {
		fmt.Fprintf(b, "\n%d of %d shown.\n", len(entities), total)
	}
}
