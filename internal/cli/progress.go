package cli

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"

	"mcp-memory/internal/model"
)

// progress shows how far a download has come.
type progress interface {
	update(model.Progress)
	end()
}

// newProgress draws a bar on a terminal and writes lines elsewhere.
func newProgress(w io.Writer) progress {
	if isTerminal(w) {
		return &bar{w: w}
	}
	return &lines{w: w}
}

// bar is a progress bar per file.
type bar struct {
	w    io.Writer
	file string
	bar  *progressbar.ProgressBar
}

func (b *bar) update(p model.Progress) {
	if p.Note != "" {
		b.end()
		fmt.Fprintln(b.w, p.Note)
		return
	}
	if b.bar == nil || b.file != p.File {
		b.end()
		b.file = p.File
		b.bar = progressbar.NewOptions64(p.Total,
			progressbar.OptionSetWriter(b.w),
			progressbar.OptionSetDescription(fmt.Sprintf("%-24s", p.File)),
			progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true),
		)
	}
	_ = b.bar.Set64(p.Done)
}

func (b *bar) end() {
	if b.bar != nil {
		_ = b.bar.Exit()
		fmt.Fprintln(b.w)
	}
	b.bar = nil
}

// lines writes a line for each file, and one for each tenth of a large one.
type lines struct {
	w     io.Writer
	file  string
	tenth int64
}

// largeFile is the size from which steps are worth a line.
const largeFile = 10_000_000

func (l *lines) update(p model.Progress) {
	switch {
	case p.Note != "":
		fmt.Fprintln(l.w, p.Note)
		return
	case l.file != p.File:
		l.file, l.tenth = p.File, 0
	}
	if p.Done >= p.Total {
		if l.tenth < 10 {
			l.tenth = 10
			fmt.Fprintf(l.w, "%s: %s\n", p.File, model.FormatSize(p.Total))
		}
		return
	}
	if tenth := 10 * p.Done / p.Total; p.Total >= largeFile && tenth > l.tenth {
		l.tenth = tenth
		fmt.Fprintf(l.w, "%s: %s of %s\n", p.File, model.FormatSize(p.Done), model.FormatSize(p.Total))
	}
}

func (l *lines) end() {}
