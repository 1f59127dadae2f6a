package cli

import (
	"fmt"
	"io"
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
	table := newTable(out)
	table.row("STATE", "CHECK", "WHAT IS, AND WHAT TO DO")
	for _, c := range d.Checks {
		table.row(string(c.State), c.Name, c.What)
		for _, example := range c.Examples {
			table.row("", "", "- "+example)
		}
		if c.Do != "" {
			table.row("", "", "→ "+c.Do)
		}
	}
	if err := table.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", d.verdict())
	return err
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
