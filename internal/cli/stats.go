package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/model"
	"mcp-memory/internal/sqlite"
)

// shownCounts is how many rows of a list people see; JSON has all.
const shownCounts = 10

func statsCommand(s *settings, out, errw io.Writer) *cobra.Command {
	var (
		top    int
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Say what the memory holds, in numbers",
		Long: `Say what the memory holds, in numbers: entities, observations and relations, their
types, how many vectors there are and of which model, what is used most, and how
the memory grew. It only reads, and servers may run meanwhile.`,
		Example: `  mcp-memory stats
  mcp-memory stats --top 3
  mcp-memory stats --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolveQuiet(cmd.Flags()); err != nil {
				return err
			}
			if top < 0 {
				return usageError{errors.New("--top must not be negative")}
			}
			report, err := readStats(cmd.Context(), *s, top, errw)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(out, report)
			}
			return report.write(out)
		},
	}
	cmd.Flags().IntVar(&top, "top", shownCounts, "`number` of the most used memories to list")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().SortFlags = false
	return cmd
}

// statsReport is what `stats` prints. Sizes are in bytes, times RFC 3339 in UTC.
type statsReport struct {
	Database string `json:"database"`
	Size     int64  `json:"size"`
	WALSize  int64  `json:"wal_size"`
	Schema   int64  `json:"schema_version"`

	Entities      int `json:"entities"`
	Observations  int `json:"observations"`
	Relations     int `json:"relations"`
	Outdated      int `json:"outdated"` // entities to be indexed anew, as another program or version wrote them
	Passages      int `json:"passages"`
	VectorsDone   int `json:"vectors"`
	VectorsToCome int `json:"vectors_pending"`

	Models        []count `json:"models"` // passages with a vector of each
	Types         []count `json:"entity_types"`
	RelationTypes []count `json:"relation_types"`
	Months        []count `json:"months"` // entities created in each; "" for no time
	MostUsed      []used  `json:"most_used"`

	Oldest  *time.Time `json:"oldest"` // null where there is none
	Newest  *time.Time `json:"newest"`
	Changed *time.Time `json:"last_change"`
}

type count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type used struct {
	Name     string     `json:"name"`
	Accesses int        `json:"accesses"`
	Last     *time.Time `json:"last_access"`
}

// readStats reads a memory, which it leaves as it is.
func readStats(ctx context.Context, s settings, top int, errw io.Writer) (statsReport, error) {
	db, err := sqlite.Look(ctx, s.db, sqlite.Options{Logger: s.logger(errw)})
	switch {
	case errors.Is(err, sqlite.ErrOlderSchema):
		return statsReport{}, fmt.Errorf("%s is of an older version: `mcp-memory migrate` brings it up to date", s.db)
	case err != nil:
		return statsReport{}, s.orNoMemory(err)
	}
	stats, err := memory.StatsOf(ctx, db, top)
	if err := errors.Join(err, db.Close()); err != nil {
		return statsReport{}, fmt.Errorf("counting what %s holds: %w", s.db, err)
	}
	r := reportOf(stats)
	r.Database, r.Size, r.WALSize, r.Schema = s.db, sizeOf(s.db), sizeOf(s.db+"-wal"), sqlite.LatestVersion()
	return r, nil
}

func reportOf(s memory.Stats) statsReport {
	r := statsReport{
		Entities: s.Entities, Observations: s.Observations, Relations: s.Relations, Outdated: s.Outdated,
		Models: []count{}, Types: countsOf(s.Types), RelationTypes: countsOf(s.RelationTypes), Months: countsOf(s.Months),
		MostUsed: make([]used, len(s.MostUsed)),
		Oldest:   known(s.Oldest), Newest: known(s.Newest), Changed: known(s.Changed),
	}
	for _, m := range s.Models {
		r.Passages += m.Count
		if m.Name == "" {
			r.VectorsToCome += m.Count
			continue
		}
		r.VectorsDone += m.Count
		r.Models = append(r.Models, count(m))
	}
	for i, u := range s.MostUsed {
		r.MostUsed[i] = used{u.Name, u.Accesses, known(u.Last)}
	}
	return r
}

func countsOf(list []memory.Count) []count {
	counts := make([]count, len(list))
	for i, c := range list {
		counts[i] = count(c)
	}
	return counts
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// sizeOf is the size of a file, and 0 of one that is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (r statsReport) write(out io.Writer) error {
	t := newTable(out)
	size := model.FormatSize(r.Size)
	if r.WALSize > 0 {
		size += ", and " + model.FormatSize(r.WALSize) + " in its -wal file"
	}
	t.row("Memory", r.Database)
	t.row("Size", size)
	t.row("Schema", fmt.Sprint("version ", r.Schema))
	t.row("Holds", fmt.Sprintf("%s, %s, %s", plural(r.Entities, "entity", "entities"),
		plural(r.Observations, "observation", "observations"), plural(r.Relations, "relation", "relations")))
	t.row("Vectors", r.vectors())
	for _, m := range r.Models {
		t.row("", fmt.Sprintf("%s by %s", grouped(m.Count), m.Name))
	}
	if r.Outdated > 0 {
		t.row("Outdated", indexed(r.Outdated))
	}
	if r.Oldest != nil && r.Newest != nil {
		t.row("Created", fmt.Sprintf("%s to %s", day(*r.Oldest), day(*r.Newest)))
	}
	if r.Changed != nil {
		t.row("Changed", day(*r.Changed))
	}
	if err := t.flush(); err != nil {
		return err
	}
	return r.writeLists(out)
}

func (r statsReport) vectors() string {
	if r.Passages == 0 {
		return "nothing to embed"
	}
	return fmt.Sprintf("of %s of %s passages (%d %%)", grouped(r.VectorsDone), grouped(r.Passages), 100*r.VectorsDone/r.Passages)
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

func (r statsReport) writeLists(out io.Writer) error {
	months := r.Months[max(0, len(r.Months)-shownCounts):]
	grown := r.Entities
	for _, m := range months {
		grown -= m.Count
	}
	t := newTable(out, 0, 2)
	section := func(title string, list []count) {
		if len(list) == 0 {
			return
		}
		t.row()
		t.row(title)
		for _, c := range list[:min(len(list), shownCounts)] {
			t.row(grouped(c.Count), named(c.Name))
		}
		if more := len(list) - shownCounts; more > 0 {
			t.row("", fmt.Sprintf("and %s more", grouped(more)))
		}
	}
	section("Entities by type", r.Types)
	section("Relations by type", r.RelationTypes)
	if len(r.MostUsed) > 0 {
		t.row()
		t.row("Used most, times")
		for _, u := range r.MostUsed {
			t.row(grouped(u.Accesses), u.Name)
		}
	}
	if len(months) > 0 {
		t.row()
		t.row("New by month, and all until then")
		for _, m := range months {
			grown += m.Count
			t.row(grouped(m.Count), named(m.Name), grouped(grown))
		}
	}
	return t.flush()
}

// named stands for what has no name, too.
func named(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}
