package modeltest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// A run for everyday, unless RAPID_CHECKS and RAPID_STEPS say otherwise.
const (
	checks = 12 / slowness
	steps  = 200
)

func TestMain(m *testing.M) {
	for name, value := range map[string]int{"checks": checks, "steps": steps} {
		if _, set := os.LookupEnv("RAPID_" + strings.ToUpper(name)); !set {
			if err := flag.Set("rapid."+name, fmt.Sprint(value)); err != nil {
				panic(err)
			}
		}
	}
	m.Run()
}

// world is a memory and its model.
type world struct {
	graph    *graph
	dir      string
	embedder memory.Embedder
	stock    stock
	servers  []*server // on the same file
	counts   counts
	looked   int // calls, when all that is stored was compared last
	looks    int // how often it was
}

func (w *world) path() string { return filepath.Join(w.dir, "memory.db") }

// TestModel has random calls answered by servers and by a model of them. Two halves
// keep two processors busy.
func TestModel(t *testing.T) {
	var all total
	t.Cleanup(func() { t.Logf("what was held to the model:\n%s", &all) })
	for half := range 2 {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			check(t, half, &all)
		})
	}
}

func check(t *testing.T, half int, all *total) {
	dir, n, failed := t.TempDir(), 0, false
	rapid.Check(t, func(rt *rapid.T) {
		for range half {
			rapid.Uint64().Draw(rt, "what makes it another half") // of the same seed
		}
		n++
		w := &world{graph: newGraph(), dir: filepath.Join(dir, fmt.Sprint(n)), embedder: drawEmbedder(rt), stock: drawStock(rt), counts: counts{}}
		if err := os.Mkdir(w.dir, 0o700); err != nil {
			rt.Fatal(err)
		}
		freshFile(t, w.path())
		for range rapid.IntRange(1, 2).Draw(rt, "servers") {
			w.servers = append(w.servers, start(t, w.path(), w.embedder))
		}
		passed := false
		defer func() {
			if !failed { // else it is shortened
				all.add(w)
			}
			failed = failed || !passed
			for _, s := range w.servers { // left when something failed
				_ = s.close(nil)
			}
			os.RemoveAll(w.dir)
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"write":   w.write,
			"write 2": w.write,
			"read":    w.read,
			"read 2":  w.read,
			"burst":   w.burst,
			"refused": w.refused,
			"restart": func(rt *rapid.T) {
				if rapid.IntRange(0, 49).Draw(rt, "really") == 0 {
					w.restart(t, rt)
				}
			},
			"": w.look,
		})
		w.all(rt)
		w.end(rt)
		passed = true
	})
}

// drawEmbedder draws whether there is an embedding model, so that vectors follow
// every change, which takes as long as the change itself.
func drawEmbedder(t *rapid.T) memory.Embedder {
	if rapid.IntRange(0, 3).Draw(t, "embedder") == 3 {
		return wordModel{}
	}
	return noModel{}
}

// draw draws one of the calls.
func (w *world) draw(t *rapid.T, from map[string]func(*world, *rapid.T) step) step {
	key := rapid.SampledFrom(slices.Sorted(maps.Keys(from))).Draw(t, "call")
	before := w.graph.effects
	s := from[key](w, t)
	s.effects = w.graph.effects - before
	return s
}

func (w *world) write(t *rapid.T) { w.run(t, w.draw(t, writes)) }
func (w *world) read(t *rapid.T)  { w.run(t, w.draw(t, reads)) }

// burst sends several writes, which take effect in order, without waiting.
func (w *world) burst(t *rapid.T) {
	var list []step
	for range rapid.IntRange(2, 6).Draw(t, "calls") {
		s := w.draw(t, writes)
		if s.tool == "migrate" { // of which each would write the same file
			w.run(t, append(list, s)...)
			return
		}
		list = append(list, s)
	}
	w.run(t, list...)
}

// refused sends what must be refused, and looks whether anything has changed.
func (w *world) refused(t *rapid.T) {
	w.run(t, w.invalid(t))
	w.all(t)
}

// run sends calls to one of the servers and checks their answers.
func (w *world) run(t *rapid.T, list ...step) {
	s := rapid.SampledFrom(w.servers).Draw(t, "server")
	batch := rapid.IntRange(0, 4).Draw(t, "batch") == 0
	calls := make([]call, len(list))
	for i := range list {
		calls[i] = list[i].call
	}
	results, err := s.send(calls, batch)
	if err != nil {
		t.Fatalf("%v\nlog: %s", err, s.log)
	}
	for i, r := range results {
		w.counts.add(list[i], r.IsError)
		if err := list[i].judge(r); err != nil {
			t.Fatalf("%s %s\n%v\nlog: %s", calls[i].tool, shorten(string(calls[i].args)), err, s.log)
		}
	}
}

// judge returns what is wrong with an answer.
func (s step) judge(r *result) error {
	text, err := r.text()
	check := s.check
	if r.IsError {
		check = s.err
	}
	switch {
	case err != nil:
		return err
	case check == nil:
		return fmt.Errorf("answered %s, which should be an error: %t", shorten(text), !r.IsError)
	}
	return check(text)
}

// all compares everything.
func (w *world) all(t *rapid.T) {
	c := call{"read_graph", []byte(`{"maxCharacters":500000}`)}
	w.run(t, fitting(c, w.graph.readGraph(1000, 0), 500_000, 0))
}

// restart ends the servers and starts them anew.
func (w *world) restart(t *testing.T, rt *rapid.T) {
	n := len(w.servers)
	w.end(rt)
	for range n {
		w.servers = append(w.servers, start(t, w.path(), w.embedder))
	}
}

// end ends the servers, compares what they recorded, and examines the file.
func (w *world) end(t *rapid.T) {
	var err error
	if w.embedder.Ready() {
		for _, s := range w.servers {
			err = errors.Join(err, s.service.Settle(context.Background()))
		}
	}
	for len(w.servers) > 0 {
		s := w.servers[0]
		w.servers = w.servers[1:]
		var last func(*sqlite.DB) error
		if len(w.servers) == 0 {
			last = w.recorded
		}
		err = errors.Join(err, s.close(last))
	}
	if err = errors.Join(err, w.examine()); err != nil {
		t.Fatal(err)
	}
}

// recorded compares all that is stored, what was recorded of the use of entities
// included.
func (w *world) recorded(db *sqlite.DB) error { return errors.Join(w.stored(), w.uses(db)) }

// uses compares what is recorded of the use of entities.
func (w *world) uses(db *sqlite.DB) error {
	return db.View(context.Background(), func(r memory.Reader) error {
		ids := map[int64]string{}
		var list []int64
		want := map[string]int{}
		for _, e := range w.graph.entities {
			found, err := r.EntityIDs(context.Background(), []string{e.name})
			if err != nil {
				return err
			}
			ids[found[e.name]] = e.name
			list = append(list, found[e.name])
			want[e.name] = e.accesses
		}
		for pair, n := range w.graph.together {
			want[pair[0].name+" + "+pair[1].name] = n
		}
		usages, err := r.Usages(context.Background(), list)
		if err != nil {
			return err
		}
		got := map[string]int{}
		for _, u := range usages {
			got[ids[u.EntityID]] = u.Accesses
		}
		pairs, err := r.CoOccurrences(context.Background(), list)
		for _, p := range pairs {
			got[ids[p.A]+" + "+ids[p.B]] = p.Count
		}
		if diff := cmp.Diff(want, got); diff != "" {
			err = errors.Join(err, fmt.Errorf("recorded use (-want +got):\n%s", diff))
		}
		return err
	})
}

// examine looks for what is out of step in a file that nobody uses, and for what
// else lies beside it.
func (w *world) examine() error {
	files, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if name := f.Name(); name != "memory.db" && name != "import.jsonl" {
			err = errors.Join(err, fmt.Errorf("a clean end leaves %s", name))
		}
	}
	return errors.Join(err, w.verify(w.embedder.Ready()))
}

// verify looks for what is out of step in the database. What our own calls
// write is indexed at once; vectors may come later.
func (w *world) verify(settled bool) error {
	report, err := sqlite.Verify(context.Background(), w.path())
	if !report.OK() || report.Pending.Entities > 0 || settled && report.Pending.Passages > 0 {
		err = errors.Join(err, fmt.Errorf("%s, left to do: %+v", report, report.Pending))
	}
	return err
}
