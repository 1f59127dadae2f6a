//go:build browser

package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// bigGraph is a memory of n entities, each related to one or two others, of which
// some have many relations.
func bigGraph(n int) string {
	var b strings.Builder
	types := []string{"person", "project", "place", "decision", "tool", "note"}
	b.WriteString(`{"format":"mcp-memory","version":1,"entities":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n"+`{"name":"Node %d","entityType":%q,"access":{"count":%d},"observations":["about %d"]}`, i, types[i*7%len(types)], n-i, i)
	}
	b.WriteString("\n],\"relations\":[")
	for i := 1; i < n; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		hub := (i * 2654435761 >> 8) % (i/12 + 1) // the older ones have many
		fmt.Fprintf(&b, "\n"+`{"from":"Node %d","to":"Node %d","relationType":"knows"}`, i, hub)
		if other := (i * 40503 >> 5) % i; i%3 == 0 && other != hub {
			fmt.Fprintf(&b, ",\n"+`{"from":"Node %d","to":"Node %d","relationType":"uses"}`, i, other)
		}
	}
	b.WriteString("\n]}")
	return b.String()
}

func TestGraph(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, bigGraph(400))
	p := s.page(t)
	p.keys("g")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("60 memories")`)
	p.wait(`document.body.dataset.layout === "settled"`)
	p.eval(`location.hash = "#/graph/Node%200"`, nil)
	p.wait(`/^Node 0: 25 of \d+ neighbours/.test(document.querySelector("#graph-note").innerText)`)
	p.wait(`document.querySelector("#entity h1")?.innerText === "Node 0"`)
	p.click("#graph-note button")
	p.wait(`/^Node 0: (?!25 )\d+ of \d+ neighbours/.test(document.querySelector("#graph-note").innerText)`)
	// A change to what is chosen leaves the rest of the drawing in place.
	var was, is int
	p.eval(`import("./graph.js").then(({ theRenderer }) => theRenderer().getGraph().size)`, &was)
	p.click(".relations li button")
	p.wait(`document.querySelector(".toast")?.innerText.startsWith("Removed")`)
	p.eval(`new Promise((resolve) => {
		(async function look() {
			const { size } = (await import("./graph.js")).theRenderer().getGraph();
			if (size < `+fmt.Sprint(was)+`) resolve(size); else setTimeout(look, 20);
		})();
	})`, &is)
	if is < was/2 {
		t.Errorf("of %d connections %d are left", was, is)
	}
	p.keys("u")
	p.wait(`document.querySelector(".toast:last-child")?.innerText.startsWith("Undone")`)
	p.click(".relations li a") // by the list, without the canvas
	p.wait(`/^#.graph.Node%20[1-9]/.test(location.hash) && document.querySelector("#graph-note").innerText.startsWith(decodeURIComponent(location.hash.slice(8)) + ":")`)
	p.keys("Escape")
	p.wait(`location.hash === "#/graph" && document.querySelector("#entity").hidden`)
	p.click("#graph-used")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("60 memories")`)
	p.wait(`document.body.dataset.layout === "settled"`)
	// The most connected node is where a click finds it.
	var at struct{ X, Y float64 }
	p.eval(`(async () => {
		for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame); // it is drawn
		return (await import("./graph.js")).placeOf("Node 0");
	})()`, &at)
	p.mouse("mouseMoved", at.X, at.Y, false)
	p.mouse("mousePressed", at.X, at.Y, true)
	p.mouse("mouseReleased", at.X, at.Y, false)
	p.wait(`location.hash === "#/graph/Node%200"`)
}

// Panning a graph of 5,000 memories takes the page little time. How soon frames
// follow each other without a graphics card is up to the processor: it is told
// beside what a small graph takes.
func TestGraphIsSmooth(t *testing.T) {
	s := newServer(t, nil)
	s.embedder.missing.Store(true) // vectors would take time from the drawing
	s.load(t, bigGraph(5000))
	p := s.page(t)
	p.keys("g")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("60 memories")`)
	p.pan("60 memories")
	p.click("#graph-all")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("5,000 memories")`)
	p.pan("5,000 memories")
}

// pan moves the settled graph with the mouse, and logs how long frames take.
func (t *tab) pan(what string) {
	t.Helper()
	t.wait(`document.body.dataset.layout === "settled"`)
	t.eval(`import("./graph.js").then(({ theRenderer }) => {
		const renderer = theRenderer();
		const { render } = Object.getPrototypeOf(renderer);
		globalThis.panned = { gaps: [], script: [] };
		renderer.render = function () {
			const began = performance.now();
			const result = render.call(this);
			panned.script.push(performance.now() - began);
			return result;
		};
		const mine = panned;
		let last = performance.now();
		requestAnimationFrame(function next(now) {
			mine.gaps.push(now - last);
			last = now;
			if (mine === panned) requestAnimationFrame(next);
		});
	})`, nil)
	t.mouse("mouseMoved", 640, 400, false)
	t.mouse("mousePressed", 640, 400, true)
	for i := range 25 {
		t.do("Input.dispatchMouseEvent", object{"type": "mouseMoved", "x": 640 + 8*(i%30), "y": 400 + i, "button": "left", "buttons": 1})
	}
	t.mouse("mouseReleased", 640, 400, false)
	var panned struct{ Gaps, Script []float64 }
	t.eval(`panned`, &panned)
	if len(panned.Script) < 10 || len(panned.Gaps) < 10 {
		t.Fatalf("%s: drawn %d times in %d frames", what, len(panned.Script), len(panned.Gaps))
	}
	t.Logf("panning %s: script takes %s a frame; frames come every %s", what, spread(panned.Script), spread(panned.Gaps))
}

// spread is the middle of some times, and what 95 % of them stay below.
func spread(times []float64) string {
	slices.Sort(times)
	return fmt.Sprintf("%.1f ms (95 %%: %.1f)", times[len(times)/2], times[len(times)*95/100])
}
