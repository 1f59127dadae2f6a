package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"mcp-memory/internal/evaluation"
)

// evalReport is the answer of `eval`.
type evalReport struct {
	Entities   int                    `json:"entities"`
	Relations  int                    `json:"relations"`
	Model      string                 `json:"model"`
	Runs       []evalRun              `json:"runs"` // one, or two that are compared
	Comparison *evaluation.Comparison `json:"comparison,omitempty"`
}

// evalRun is one ranking in figures.
type evalRun struct {
	Settings []string `json:"settings"` // that differ from the standard, NAME=VALUE each
	evaluation.Summary

	run evaluation.Run
}

func (r *evalReport) add(with ranking, run evaluation.Run) {
	r.Runs = append(r.Runs, evalRun{
		Settings: append([]string{}, with.texts...),
		Summary:  evaluation.Summarise(run),
		run:      run,
	})
}

// compare compares the runs if there are two.
func (r *evalReport) compare() error {
	if len(r.Runs) < 2 {
		return nil
	}
	c, err := evaluation.Compare(r.Runs[0].run, r.Runs[1].run)
	r.Comparison = &c
	return err
}

// write writes the report to out, and the order of results to its file.
func (o evalOptions) write(out io.Writer, r evalReport) error {
	if o.rankingFile != "" {
		if err := writeRanking(o.rankingFile, r.Runs[0].run); err != nil {
			return fmt.Errorf("--ranking: %w", err)
		}
	}
	if o.asJSON {
		return writeJSON(out, r)
	}
	return r.writeText(out)
}

func writeRanking(file string, run evaluation.Run) error {
	path, err := expand(file)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := evaluation.WriteRanking(&b, run); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

func (r evalReport) writeText(out io.Writer) error {
	var b bytes.Buffer // to which writing cannot fail
	fmt.Fprintf(&b, "%d entities, %d relations, model %s\n", r.Entities, r.Relations, r.Model)
	for _, run := range r.Runs {
		with := "standard settings"
		if len(run.Settings) > 0 {
			with = strings.Join(run.Settings, ", ")
		}
		fmt.Fprintf(&b, "\n%s\n", with)
		_ = evaluation.WriteSummary(&b, run.Summary)
	}
	if r.Comparison != nil {
		fmt.Fprintf(&b, "\nthe second against the first\n")
		_ = evaluation.WriteComparison(&b, *r.Comparison)
	}
	_, err := out.Write(b.Bytes())
	return err
}
