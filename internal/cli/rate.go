package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// ratePause is between lines of progress where there is no terminal.
const ratePause = 5 * time.Second

// rate shows how far long work of several steps is, how fast it goes and how long
// it takes yet: a bar a step on a terminal, else a line every few seconds.
type rate struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	step       string
	began      time.Time // of the step
	doneBefore int       // of the step, when it began
	told       time.Time
	bar        *progressbar.ProgressBar
}

func newRate(w io.Writer) *rate {
	return &rate{w: w, terminal: isTerminal(w), now: time.Now}
}

// update is a memory.Progress.
func (r *rate) update(done, total int, step string) {
	if step != r.step {
		r.end()
		r.step, r.began, r.doneBefore, r.told = step, r.now(), done, r.now()
	}
	if r.terminal {
		r.draw(done, total)
		return
	}
	if now := r.now(); now.Sub(r.told) >= ratePause {
		r.told = now
		fmt.Fprintf(r.w, "%s: %s of %s%s\n", step, grouped(done), grouped(total), r.pace(done, total))
	}
}

// pace says how fast it goes, once that is known.
func (r *rate) pace(done, total int) string {
	took := r.now().Sub(r.began)
	if done <= r.doneBefore || took <= 0 {
		return ""
	}
	each := took / time.Duration(done-r.doneBefore)
	return fmt.Sprintf(", %.1f a second, %s left", float64(done-r.doneBefore)/took.Seconds(), roughly(each*time.Duration(total-done)))
}

// roughly rounds a time to what is worth knowing.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

func (r *rate) draw(done, total int) {
	if r.bar == nil {
		r.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(r.w),
			progressbar.OptionSetDescription(r.step),
			progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(20),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionThrottle(100*time.Millisecond),
		)
	}
	r.bar.ChangeMax(total)
	r.bar.Describe(r.step + r.pace(done, total))
	_ = r.bar.Set(done)
}

// end leaves the line of the bar.
func (r *rate) end() {
	if r.bar != nil {
		_ = r.bar.Exit()
		fmt.Fprintln(r.w)
	}
	r.bar = nil
}
