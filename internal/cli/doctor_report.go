package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

func writeDiagnosisJSON(out io.Writer, d diagnosis) error { return writeJSON(out, d) }

// writeDiagnosis writes a table; what to do, and examples, stand below what is.
func writeDiagnosis(out io.Writer, d diagnosis) error {
	for _, line := range d.Fixed {
		fmt.Fprintf(out, "fixed: %s\n", line)
	}
	if d.Backup != "" {
		fmt.Fprintf(out, "the database as it was: %s\n", d.Backup)
	}
	if len(d.Fixed) > 0 {
		fmt.Fprintln(out)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATE\tCHECK\tWHAT IS, AND WHAT TO DO")
	for _, c := range d.Checks {
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.State, c.Name, oneRow(c.What))
		for _, example := range c.Examples {
			fmt.Fprintf(table, "\t\t- %s\n", oneRow(example))
		}
		if c.Do != "" {
			fmt.Fprintf(table, "\t\t→ %s\n", oneRow(c.Do))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", d.verdict())
	return err
}

// oneRow keeps a text in its place in a table.
func oneRow(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ", "\f", " ", "\v", " ", "\r", " ").Replace(text)
}

// verdict sums up.
func (d diagnosis) verdict() string {
	wrong, odd := 0, 0
	for _, c := range d.Checks {
		switch c.State {
		case stateFail:
			wrong++
		case stateWarn:
			odd++
		case stateOK:
		}
	}
	switch {
	case wrong > 0 && odd > 0:
		return fmt.Sprintf("%s wrong, %s worth a look.", plural(wrong, "thing is", "things are"), plural(odd, "is", "are"))
	case wrong > 0:
		return plural(wrong, "thing is wrong.", "things are wrong.")
	case odd > 0:
		return "Nothing is wrong; " + plural(odd, "thing is worth a look.", "things are worth a look.")
	}
	return "All is well."
}
