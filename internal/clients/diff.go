package clients

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// contextLines is how many lines are shown around a change.
const contextLines = 3

// Diff shows the change as a unified diff.
func (c Change) Diff() string {
	before, after := diffLines(c.Before), diffLines(c.After)
	// What is alike at both ends is left out first: files may be large.
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	head, tail = max(head-contextLines, 0), max(tail-contextLines, 0)
	before, after = before[head:len(before)-tail], after[head:len(after)-tail]

	var b strings.Builder
	from, to := c.Path, c.Path
	if c.Create {
		from = "/dev/null"
	}
	if c.Delete {
		to = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	for _, group := range difflib.NewMatcher(before, after).GetGroupedOpCodes(contextLines) {
		first, last := group[0], group[len(group)-1]
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(head, first.I1, last.I2), span(head, first.J1, last.J2))
		for _, op := range group {
			if op.Tag == 'e' {
				writeLines(&b, " ", before[op.I1:op.I2])
				continue
			}
			writeLines(&b, "-", before[op.I1:op.I2])
			writeLines(&b, "+", after[op.J1:op.J2])
		}
	}
	return b.String()
}

// span writes a range of lines as the header of a hunk has it.
func span(head, from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", head+from)
	case 1:
		return fmt.Sprint(head + from + 1)
	default:
		return fmt.Sprintf("%d,%d", head+from+1, n)
	}
}

func writeLines(b *strings.Builder, sign string, lines []string) {
	for _, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		fmt.Fprintf(b, "%s%s\n", sign, strings.TrimSuffix(text, "\r"))
		if !ended {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

func diffLines(text []byte) []string {
	lines := strings.SplitAfter(string(bytes.TrimPrefix(text, []byte(byteOrderMark))), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
