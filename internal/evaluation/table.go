package evaluation

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// newTable aligns columns to the right, two blanks apart.
func newTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// WriteSummary writes a summary as text for people.
func WriteSummary(w io.Writer, s Summary) error {
	var b bytes.Buffer
	t := newTable(&b)
	fmt.Fprintln(t, "\tquestions\thit@1\thit@5\thit@10\tMRR@10\tnDCG@10\t")
	row := func(name string, q Quality) {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t\n", name, q.Questions,
			figure(q.Hit1), figure(q.Hit5), figure(q.Hit10), figure(q.MRR10), figure(q.NDCG10))
	}
	row("all", s.All)
	for _, g := range s.Languages {
		row("language "+g.Name, g.Quality)
	}
	for _, g := range s.Kinds {
		row("kind "+g.Name, g.Quality)
	}
	_ = t.Flush() // to memory
	h := s.Honesty
	if h.Unanswerable > 0 {
		fmt.Fprintf(&b, "questions without an answer: %d, with nothing but weak results, as it should be: %d\n", h.Unanswerable, h.Unanswerable-h.Misled)
	}
	fmt.Fprintf(&b, "right first results: %d, called weak all the same: %d\n", h.RightTop, h.RightTopWeak)
	fmt.Fprintf(&b, "time of a search: p50 %.1f ms, p95 %.1f ms\n", s.Latency.P50, s.Latency.P95)
	_, err := w.Write(b.Bytes())
	return err
}

// WriteComparison writes a comparison as text for people.
func WriteComparison(w io.Writer, c Comparison) error {
	var b bytes.Buffer
	t := newTable(&b)
	fmt.Fprintln(t, "\tbefore\tafter\tchange\t95 % interval\tp\t")
	row := func(name string, d Difference) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%+.4f\t%+.4f … %+.4f\t%s\t\n", name,
			figure(d.Before), figure(d.After), d.Change, d.Low, d.High, probability(d.P))
	}
	row("hit@1", c.Hit1)
	row("MRR@10", c.MRR10)
	_ = t.Flush()
	fmt.Fprintf(&b, "of %d questions, right first only before: %d, only after: %d\n", c.Questions, c.Lost, c.Gained)
	_, err := w.Write(b.Bytes())
	return err
}

func figure(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }

// probability shows a p-value in four digits, as far as the tests tell.
func probability(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return figure(p)
}

// shownNames is how many results of a question WriteRanking names.
const shownNames = 3

// WriteRanking writes a line a question, in fields separated by tabs: its id,
// the rank of the first right result ("-" for none), whether the first result
// is "weak" or "strong" ("-" if there is none), and the names of the first three
// results. It holds no scores, so that it differs only where the order or a
// verdict does.
func WriteRanking(w io.Writer, r Run) error {
	var b bytes.Buffer
	for _, o := range r {
		fields := []string{o.Question.ID, "-", "-"}
		if rank := o.Rank(); rank > 0 {
			fields[1] = strconv.Itoa(rank)
		}
		if len(o.Found) > 0 {
			fields[2] = "strong"
			if o.Found[0].Weak {
				fields[2] = "weak"
			}
		}
		for _, f := range o.Found[:min(len(o.Found), shownNames)] {
			fields = append(fields, f.Name)
		}
		fmt.Fprintln(&b, strings.Join(fields, "\t"))
	}
	_, err := w.Write(b.Bytes())
	return err
}
