package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Options are what Run takes.
type Options struct {
	Program      []string      // the server's command, to which its options are appended
	Env          []string      // added to the servers' environment
	Folder       string        // for what is made on the way
	ModelDir     string        // the embedding model; "" leaves out what needs it
	OldDatabases string        // folder of packed databases of the Python server
	Parts        []string      // some of PartNames; none is all
	Seed         uint64        // of the work and of the moments of kills
	Duration     time.Duration // of all parts together
	Rounds       int           // of each part, instead of Duration; 0 is as many as fit
	Log          io.Writer     // what is going on
}

// part is one way to try to break the memory.
type part struct {
	name   string
	weight int // share of the duration
	run    func(*run, context.Context, clock) error
}

var parts = []part{
	{"processes", 5, (*run).processes},
	{"meaning", 4, (*run).meaning},
	{"locked", 3, (*run).locked},
	{"pipeline", 2, (*run).pipeline},
	{"kills", 6, (*run).kills},
	{"upgrades", 3, (*run).upgrades},
	{"imports", 2, (*run).imports},
	{"embedding", 4, (*run).embedding},
	{"full", 3, (*run).full},
	{"limited", 2, (*run).limited},
	{"readonly", 1, (*run).readonly},
}

// PartNames lists the parts there are.
func PartNames() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// run is one run of the harness.
type run struct {
	Options
	Report
	dir     string // of the part that runs
	noModel string // an empty folder
	made    int    // folders in dir
}

// Run runs the parts one after the other, until one of them finds a loss, an
// error that reaches a client or a broken rule. The report has the figures up to
// then; what was found stays in Folder.
func Run(ctx context.Context, o Options) (Report, error) {
	r := &run{Options: o}
	chosen, total := []part{}, 0
	for _, p := range parts {
		if len(o.Parts) == 0 || slices.Contains(o.Parts, p.name) {
			chosen = append(chosen, p)
			total += p.weight
		}
	}
	for _, name := range o.Parts {
		if !slices.Contains(PartNames(), name) {
			return r.Report, fmt.Errorf("there is no part %q, only %q", name, PartNames())
		}
	}
	for _, p := range chosen {
		fmt.Fprintf(o.Log, "%s …\n", p.name)
		if err := r.part(ctx, p, o.Duration*time.Duration(p.weight)/time.Duration(total)); err != nil {
			return r.Report, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return r.Report, nil
}

// part runs one part in a folder of its own, which stays if it fails.
func (r *run) part(ctx context.Context, p part, duration time.Duration) error {
	r.dir = filepath.Join(r.Folder, p.name)
	r.noModel = filepath.Join(r.dir, "no-model")
	r.section, r.made = p.name, 0
	if err := os.MkdirAll(r.noModel, 0o755); err != nil {
		return err
	}
	c := clock{rounds: r.Rounds}
	if c.rounds == 0 {
		c.end = time.Now().Add(duration)
	}
	if err := p.run(r, ctx, c); err != nil {
		return err
	}
	return os.RemoveAll(r.dir)
}

// random is a source of randomness that depends on the seed and on what it is for.
func (r *run) random(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(r.Seed, stream)) }

// newDatabase is the path of a database that is not there yet, in a folder of its own.
func (r *run) newDatabase() (string, error) {
	r.made++
	folder := filepath.Join(r.dir, fmt.Sprintf("db%d", r.made))
	return filepath.Join(folder, "memory.db"), os.MkdirAll(folder, 0o755)
}

// clock says when a part is over.
type clock struct {
	rounds int       // unless 0
	end    time.Time // otherwise
}

// goesOn reports whether round number n, from 0, takes place. The first one
// always does.
func (c clock) goesOn(n int) bool {
	if c.rounds > 0 {
		return n < c.rounds
	}
	return n == 0 || time.Now().Before(c.end)
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// together runs functions at the same time and waits for all.
func together(fns ...func() error) error {
	errs := make(chan error, len(fns))
	for _, fn := range fns {
		go func() { errs <- fn() }()
	}
	var all []error
	for range fns {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
