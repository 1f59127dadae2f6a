//go:build !race

// Three hundred questions one after the other: nothing for the race detector, which makes the model take minutes.

package cli

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/rank"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	goldenRanking = "../evaluation/testdata/ranking-notes.txt"
	acceptRanking = `to accept this: eval "$(make env)" && go test ./internal/cli -run TestRankingOfTheNotes -update`
)

// What is found in the notes that come with the program, by the model at hand,
// is what was found before. Any change to the search shows here.
func TestRankingOfTheNotes(t *testing.T) {
	dir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if dir == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	t.Setenv("TMPDIR", t.TempDir())
	set, err := evaluation.Notes(0)
	if err != nil {
		t.Fatal(err)
	}
	standard := ranking{settings: rank.E5Small}
	standard.settings.Use = 0 // the order is that of evidence, whatever was asked before
	o := evalOptions{run: evaluation.RunOptions{Limit: evaluation.Depth}}
	report, err := evaluate(t.Context(), settings{modelDir: dir, level: slog.LevelWarn}, o, set, []ranking{standard}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	run := report.Runs[0].run
	content, err := os.ReadFile(goldenRanking)
	if err != nil && !*update {
		t.Fatal(err)
	}
	changes := readGolden(string(content)).changes(run)
	if *update {
		t.Log(changes)
		if err := os.WriteFile(goldenRanking, []byte(goldenOf(run)), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if changes != "" {
		t.Errorf("the search finds something else than %s says:\n%s\n%s", goldenRanking, changes, acceptRanking)
	}
}

// sameEvidence is how far apart evidences, or relevances, may be that count as
// equal. Processors differ in about the sixth digit.
const sameEvidence = 0.002

// golden is a ranking as it was: figures of each kind of question by name, and
// the line of WriteRanking on each question.
type golden struct {
	names, figures []string
	lines          map[string]goldenLine
}

type goldenLine struct {
	rank  int
	mark  string   // of the first result
	names []string // of the first three
}

// goldenOf writes figures and lines of a run.
func goldenOf(run evaluation.Run) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# kind, questions, hit@1, MRR@10")
	s := evaluation.Summarise(run)
	for _, g := range slices.Concat([]evaluation.Group{{Name: "all", Quality: s.All}}, s.Kinds) {
		fmt.Fprintf(&b, "%s\t%d\t%.4f\t%.4f\n", g.Name, g.Questions, g.Hit1, g.MRR10)
	}
	fmt.Fprintf(&b, "no answer, said so\t%d of %d\n", s.Honesty.Unanswerable-s.Honesty.Misled, s.Honesty.Unanswerable)
	fmt.Fprintf(&b, "right first, but weak\t%d of %d\n", s.Honesty.RightTopWeak, s.Honesty.RightTop)
	fmt.Fprintln(&b, "\n# question, rank of the first right result, first result, names")
	if err := evaluation.WriteRanking(&b, run); err != nil {
		panic(err) // a buffer takes all
	}
	return b.String()
}

func readGolden(content string) golden {
	g := golden{lines: map[string]goldenLine{}}
	figures, lines, _ := strings.Cut(content, "\n\n")
	for line := range strings.Lines(figures) {
		if name, figure, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			g.names, g.figures = append(g.names, name), append(g.figures, figure)
		}
	}
	for line := range strings.Lines(lines) {
		if fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(fields) >= 3 {
			rank, _ := strconv.Atoi(fields[1]) // 0 for "-"
			g.lines[fields[0]] = goldenLine{rank: rank, mark: fields[2], names: fields[3:]}
		}
	}
	return g
}

// shownChanges is how many changes of a kind are told in full.
const shownChanges = 25

// changes describes what a run does otherwise; near-ties may go either way.
// There is none if it is empty.
func (g golden) changes(run evaluation.Run) string {
	var better, worse, other []string
	now := readGolden(goldenOf(run))
	for _, o := range run {
		was, known := g.lines[o.Question.ID]
		is := now.lines[o.Question.ID]
		if known && was.fits(o) {
			continue
		}
		text := fmt.Sprintf("  %s %s\n    was %s\n    is  %s", o.Question.ID, o.Question.Text, was, is)
		switch before, after := order(was.rank), order(is.rank); {
		case known && after < before:
			better = append(better, text)
		case known && after > before:
			worse = append(worse, text)
		default:
			other = append(other, text)
		}
	}
	for id := range g.lines {
		if _, asked := now.lines[id]; !asked {
			other = append(other, fmt.Sprintf("  %s is not asked any more", id))
		}
	}
	slices.Sort(other)
	if len(better)+len(worse)+len(other) == 0 {
		return ""
	}
	var b strings.Builder
	for _, group := range []struct {
		title string
		list  []string
	}{{"worse", worse}, {"better", better}, {"otherwise", other}} {
		if len(group.list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %d\n%s\n", group.title, len(group.list), strings.Join(group.list[:min(len(group.list), shownChanges)], "\n"))
		if more := len(group.list) - shownChanges; more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	b.WriteString("figures, was and is\n")
	for i, name := range now.names {
		was := "-"
		if at := slices.Index(g.names, name); at >= 0 {
			was = g.figures[at]
		}
		fmt.Fprintf(&b, "  %-22s %-20s %s\n", name, was, now.figures[i])
	}
	return strings.ReplaceAll(b.String(), "\t", " ")
}

func (l goldenLine) String() string {
	rank := "-"
	if l.rank > 0 {
		rank = strconv.Itoa(l.rank)
	}
	return fmt.Sprintf("%s %s %s", rank, l.mark, strings.Join(l.names, " | "))
}

// order makes 0, for nothing right, the last of all ranks.
func order(rank int) int {
	if rank == 0 {
		return math.MaxInt
	}
	return rank
}

// fits reports whether an outcome is this line, but for near-ties.
func (l goldenLine) fits(o evaluation.Outcome) bool {
	return l.rankFits(o) && l.markFits(o) && l.namesFit(o.Found)
}

// rankFits reports whether the first right result may have the line's rank: it
// may come before or behind wrong ones with about its evidence.
func (l goldenLine) rankFits(o evaluation.Outcome) bool {
	if o.Rank() == 0 || l.rank == 0 {
		return o.Rank() == l.rank
	}
	right := o.Found[o.Rank()-1].Evidence
	first, last := 1, 1
	for _, f := range o.Found {
		if slices.Contains(o.Question.Answers, f.Name) {
			continue
		}
		if f.Evidence > right+sameEvidence {
			first++
		}
		if f.Evidence > right-sameEvidence {
			last++
		}
	}
	return first <= l.rank && l.rank <= last
}

func (l goldenLine) markFits(o evaluation.Outcome) bool {
	if len(o.Found) == 0 || l.mark == "-" {
		return len(o.Found) == 0 && l.mark == "-"
	}
	first := o.Found[0]
	return first.Weak == (l.mark == "weak") || math.Abs(first.Relevance-rank.E5Small.Weak) < sameEvidence
}

// namesFit reports whether the named results are in order of evidence, but for
// near-ties.
func (l goldenLine) namesFit(found []evaluation.Found) bool {
	if len(l.names) > len(found) || len(l.names) < min(len(found), 3) {
		return false
	}
	for i, name := range l.names {
		at := slices.IndexFunc(found, func(f evaluation.Found) bool { return f.Name == name })
		if at < 0 || math.Abs(found[at].Evidence-found[i].Evidence) > sameEvidence {
			return false
		}
	}
	return true
}

// outcome is one with these evidences of results a, b, c and so on, of which c
// is right.
func outcome(evidences ...float64) evaluation.Outcome {
	o := evaluation.Outcome{Question: evaluation.Question{ID: "q", Text: "?", Kind: "same", Answers: []string{"c"}}}
	for i, e := range evidences {
		o.Found = append(o.Found, evaluation.Found{Name: string(rune('a' + i)), Evidence: e, Relevance: 0.5})
	}
	slices.SortStableFunc(o.Found, func(a, b evaluation.Found) int {
		switch {
		case a.Evidence > b.Evidence:
			return -1
		case a.Evidence < b.Evidence:
			return 1
		}
		return 0
	})
	return o
}

func TestGoldenRankingSeesChangesAndNoNoise(t *testing.T) {
	weak := outcome(1, 0.8, 0.6, 0.4)
	weak.Found[0].Weak = true
	barely := outcome(1, 0.8, 0.6, 0.4)
	barely.Found[0].Weak, barely.Found[0].Relevance = true, rank.E5Small.Weak-1e-6
	for name, test := range map[string]struct {
		before, after evaluation.Outcome
		want          string // how the changes begin
	}{
		"the same":         {before: outcome(1, 0.8, 0.6, 0.4), after: outcome(1, 0.8, 0.6, 0.4)},
		"other evidence":   {before: outcome(1, 0.8, 0.6, 0.4), after: outcome(3, 0.9, 0.7, 0.1)},
		"noise":            {before: outcome(1, 0.8, 0.800001, 0.4), after: outcome(1, 0.800001, 0.8, 0.4)},
		"noise of a third": {before: outcome(1, 0.8, 0.6, 0.600001), after: outcome(1, 0.8, 0.600001, 0.6)},
		"better":           {before: outcome(1, 0.8, 0.6, 0.4), after: outcome(1, 0.8, 0.9, 0.4), want: "better: 1\n  q ?\n    was 3 strong a | b | c\n    is  2 strong a | c | b\n"},
		"worse":            {before: outcome(1, 0.8, 0.9, 0.4), after: outcome(1, 0.8, 0.6, 0.4), want: "worse: 1\n"},
		"lost":             {before: outcome(1, 0.8, 0.6), after: outcome(1, 0.8), want: "worse: 1\n"},
		"found":            {before: outcome(1, 0.8), after: outcome(1, 0.8, 0.6), want: "better: 1\n"},
		"others in front":  {before: outcome(1, 0.8, 0.6, 0.4), after: outcome(0.8, 1, 0.6, 0.4), want: "otherwise: 1\n"},
		"weak":             {before: outcome(1, 0.8, 0.6, 0.4), after: weak, want: "otherwise: 1\n"},
		"barely weak":      {before: outcome(1, 0.8, 0.6, 0.4), after: barely},
		"nothing":          {before: outcome(1, 0.8), after: outcome(), want: "otherwise: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := readGolden(goldenOf(evaluation.Run{test.before})).changes(evaluation.Run{test.after})
			if !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
				t.Errorf("got %q, want it to begin with %q", got, test.want)
			}
		})
	}
}

func TestGoldenRankingSeesOtherQuestions(t *testing.T) {
	q := outcome(1, 0.8, 0.6)
	got := readGolden(goldenOf(evaluation.Run{q})).changes(evaluation.Run{})
	if want := "otherwise: 1\n  q is not asked any more\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = readGolden(goldenOf(evaluation.Run{})).changes(evaluation.Run{q})
	if want := "otherwise: 1\n  q ?\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
