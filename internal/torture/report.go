package torture

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Report is what a run has to show.
type Report struct {
	Rows []Row

	section string
}

// Row is one figure.
type Row struct{ Part, What, Figure string }

// row adds a figure.
func (r *Report) row(what, format string, args ...any) {
	r.Rows = append(r.Rows, Row{r.section, what, fmt.Sprintf(format, args...)})
}

// Print writes the figures as a table.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last := ""
	for _, row := range r.Rows {
		part := row.Part
		if part == last {
			part = ""
		}
		last = row.Part
		fmt.Fprintf(t, "%s\t%s\t%s\n", part, row.What, row.Figure)
	}
	return t.Flush()
}

// times are how long calls took.
type times []time.Duration

// String is the median, the 99th percentile and the longest.
func (t times) String() string {
	if len(t) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(t))
	at := func(share float64) time.Duration { return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))] }
	return fmt.Sprintf("p50 %s, p99 %s, longest %s of %d",
		milliseconds(at(0.5)), milliseconds(at(0.99)), milliseconds(sorted[len(sorted)-1]), len(sorted))
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
