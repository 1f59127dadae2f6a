package modeltest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// tally counts calls.
type tally struct {
	calls   int
	errors  int // of them were answered with an error, as they should be
	items   int // entities, observations, relations and names in them, whatever comes of these
	effects int // what they made, changed or deleted: entities, types, observations, relations
	steps   int // one for each call, or for each effect of a call that has more
}

func (a *tally) plus(b tally) {
	a.calls += b.calls
	a.errors += b.errors
	a.items += b.items
	a.effects += b.effects
	a.steps += b.steps
}

// counts are those of tools.
type counts map[string]tally

func (c counts) add(s step, failed bool) {
	var args any
	_ = json.Unmarshal(s.args, &args) // what is no JSON has no items
	one := tally{calls: 1, items: items(args), effects: s.effects, steps: max(1, s.effects)}
	if failed {
		one.errors = 1
	}
	t := c[s.tool]
	t.plus(one)
	c[s.tool] = t
}

func (c counts) sum() (all tally) {
	for _, t := range c {
		all.plus(t)
	}
	return all
}

// items counts what lists hold, and what the lists in these hold.
func items(value any) (n int) {
	switch value := value.(type) {
	case []any:
		n += len(value)
		for _, v := range value {
			n += items(v)
		}
	case map[string]any:
		for _, v := range value {
			n += items(v)
		}
	case string: // a list or all arguments, sent as a text
		var inner any
		if strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
			_ = json.Unmarshal([]byte(value), &inner)
		}
		n += items(inner)
	}
	return n
}

// total counts what several memories are asked at the same time.
type total struct {
	mu       sync.Mutex
	memories int
	looks    int
	counts   counts
}

func (t *total) add(w *world) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = counts{}
	}
	t.memories++
	t.looks += w.looks
	for tool, n := range w.counts {
		sum := t.counts[tool]
		sum.plus(n)
		t.counts[tool] = sum
	}
}

// String is a table by tool.
func (t *total) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n tally) {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t  %s\n", n.steps, n.calls, n.errors, n.items, n.effects, name)
	}
	fmt.Fprintln(w, "steps\tcalls\terrors\titems\teffects\t")
	for _, tool := range slices.Sorted(maps.Keys(t.counts)) {
		row(tool, t.counts[tool])
	}
	row(fmt.Sprintf("all, in %d memories, of which all was compared and verified %d times", t.memories, t.looks), t.counts.sum())
	w.Flush()
	return b.String()
}
