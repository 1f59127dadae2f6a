package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

const (
	// tableGap is between columns.
	tableGap = 2
	// leastWrapped is the narrowest last column that is worth wrapping.
	leastWrapped = 20
)

// table writes rows in columns, as wide as a screen shows their cells. Of a row
// that is wider than the terminal, the last cell goes on in the lines below.
type table struct {
	out   io.Writer
	width int          // of the terminal; 0 where there is none
	right map[int]bool // columns of numbers
	rows  [][]string
}

// newTable makes a table for out. The columns given hold numbers.
func newTable(out io.Writer, numbers ...int) *table {
	t := &table{out: out, width: terminalWidth(out), right: map[int]bool{}}
	for _, column := range numbers {
		t.right[column] = true
	}
	return t
}

// terminalWidth is how many columns a terminal has, and 0 of what is none.
func terminalWidth(out io.Writer) int {
	if !isTerminal(out) {
		return 0
	}
	width, _, err := term.GetSize(int(out.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// row adds a row, of one cell a heading. What is stored cannot steer the terminal.
func (t *table) row(cells ...string) {
	clean := make([]string, len(cells))
	for i, cell := range cells {
		clean[i] = printable(cell)
	}
	t.rows = append(t.rows, clean)
}

// flush writes the rows, and begins a new table.
func (t *table) flush() error {
	widths := t.widths()
	var b bytes.Buffer
	for _, row := range t.rows {
		t.writeRow(&b, row, widths)
	}
	t.rows = nil
	_, err := t.out.Write(b.Bytes())
	return err
}

// widths are those of all columns but the last of each row, which needs none.
func (t *table) widths() (widths []int) {
	for _, row := range t.rows {
		if len(row) == 1 {
			continue // a heading
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || t.right[i] {
				widths[i] = max(widths[i], uniseg.StringWidth(cell))
			}
		}
	}
	return widths
}

func (t *table) writeRow(b *bytes.Buffer, row []string, widths []int) {
	if len(row) == 1 {
		b.WriteString(row[0] + "\n")
		return
	}
	var line strings.Builder
	indent := 0
	for i, cell := range row {
		padding := strings.Repeat(" ", max(0, widths[i]-uniseg.StringWidth(cell)))
		switch {
		case t.right[i]:
			line.WriteString(padding + cell)
		case i == len(row)-1:
			line.WriteString(wrap(cell, t.width-indent, strings.Repeat(" ", indent)))
		default:
			line.WriteString(cell + padding)
		}
		if i < len(row)-1 {
			line.WriteString(strings.Repeat(" ", tableGap))
			indent += widths[i] + tableGap
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// wrap breaks a text between words so that each line has this width at most, but
// for words that are longer, which the terminal breaks.
func wrap(text string, width int, indent string) string {
	if width < leastWrapped || uniseg.StringWidth(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(text, " ") {
		w := uniseg.StringWidth(word)
		switch {
		case i == 0:
		case used+1+w > width:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += w
	}
	return b.String()
}
