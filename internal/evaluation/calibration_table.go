package evaluation

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
)

// WriteCalibration writes a calibration as text for people, the settings as
// they stand in package rank.
func WriteCalibration(w io.Writer, c Calibration) error {
	var b bytes.Buffer // to which writing cannot fail
	s := c.Settings
	fmt.Fprintf(&b, "fitted on every second question:\n\n\tBase: %v, ByEvidence: %v, ByGap: %v,\n\tWeak: %v,\n",
		s.Base, s.ByEvidence, s.ByGap, s.Weak)
	judged := c.Sets
	if len(c.Sets) > 1 {
		judged = append([]Judgement{c.All}, c.Sets...)
	}

	fmt.Fprintf(&b, "\njudged by the others; first results, and the errors of relevance, before and after\n")
	t := newTable(&b)
	fmt.Fprintln(t, "\tright first\tAUC of firsts\tafter\tBrier of all\tafter\t")
	for _, j := range judged {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", j.Name, j.RightFirst,
			number(j.Before.AUC), number(j.After.AUC), number(j.Before.Brier), number(j.After.Brier))
	}
	_ = t.Flush()

	fmt.Fprintf(&b, "\nrelevance, and the share that was right: of all results, of first results\n")
	t = newTable(&b)
	fmt.Fprintln(t, "\tresults\trelevance\tright\tfirsts\trelevance\tright\t")
	for i, all := range c.Results {
		first := c.Firsts[i]
		fmt.Fprintf(t, "%.1f to %.1f\t%d\t%s\t%s\t%d\t%s\t%s\t\n", all.Low, all.High,
			all.N, all.mean(all.Relevance), all.mean(all.Right), first.N, first.mean(first.Relevance), first.mean(first.Right))
	}
	_ = t.Flush()

	fmt.Fprintf(&b, "\nweak results: right firsts not called weak, and the relevance that 97 %% of them reach;\nfirsts called weak that were right; questions without an answer that got nothing but weak results\n")
	t = newTable(&b)
	reasons := []string{takenAway, unanswerable, OffTopic, Nonsense}
	fmt.Fprint(t, "\tright kept\t97 % reach\tweak, but right\t")
	for _, reason := range reasons {
		fmt.Fprintf(t, "%s\t", reason)
	}
	fmt.Fprintln(t)
	for _, j := range judged {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", j.Name, j.Kept, number(j.KeepAt), j.WeakRight)
		for _, reason := range reasons {
			fmt.Fprintf(t, "%s\t", j.Told[reason])
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
	_, err := w.Write(b.Bytes())
	return err
}

// String shows a share and its parts.
func (s Share) String() string {
	if s.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %.3f", s.Some, s.Of, float64(s.Some)/float64(s.Of))
}

// mean shows a mean over the bin, which there may be none of.
func (b Bin) mean(f float64) string {
	if b.N == 0 {
		return "-"
	}
	return number(f)
}

// number shows a figure in three digits.
func number(f float64) string {
	if math.IsNaN(f) {
		return "-"
	}
	return strconv.FormatFloat(f, 'f', 3, 64)
}
