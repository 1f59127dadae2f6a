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
	p.settled()
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
	p.settled()
	p.looksAsSigmaDraws()
	// What is under the mouse is so as well while the view has moved, and is not yet drawn anew.
	var found []string
	p.eval(`(async () => {
		const { theRenderer, placeOf } = await import("./graph.js");
		const { budget } = await import("./moving.js");
		const camera = theRenderer().getCamera();
		const { left, top } = document.querySelector("#canvas").getBoundingClientRect();
		const usual = budget.ms;
		budget.ms = 0;
		const found = [{ x: 0.4, y: 0.55 }, { ratio: 0.8 }, { angle: 0.5 }, { x: 0.5, y: 0.5, ratio: 1, angle: 0 }].map((state) => {
			camera.setState(state);
			const { x, y } = placeOf("Node 0");
			return theRenderer().getNodeAtPosition({ x: x - left, y: y - top });
		});
		budget.ms = usual;
		return found;
	})()`, &found)
	if want := []string{"Node 0", "Node 0", "Node 0", "Node 0"}; !slices.Equal(found, want) {
		t.Errorf("where Node 0 moves to, there is %q", found)
	}
	// The most connected node is where a click finds it.
	var at struct{ X, Y float64 }
	p.eval(`(async () => {
		for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame); // it is drawn
		return (await import("./graph.js")).placeOf("Node 0");
	})()`, &at)
	p.mouse("mouseMoved", at.X, at.Y, 0)
	p.mouse("mousePressed", at.X, at.Y, 1)
	p.mouse("mouseReleased", at.X, at.Y, 1)
	p.wait(`location.hash === "#/graph/Node%200"`)
}

// Where drawing takes long, the view moves without it, however much is shown, and is
// drawn in full when it rests. How soon frames follow each other without a graphics
// card is up to the processor: that is told.
func TestGraphIsSmooth(t *testing.T) {
	s := newServer(t, nil)
	s.embedder.missing.Store(true) // vectors would take time from the drawing
	s.load(t, bigGraph(5000))
	p := s.page(t)
	p.keys("g")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("60 memories")`)
	p.settled()
	t.Logf("60 memories: %v", p.pan("whatever it takes"))
	p.click("#graph-all")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("5,000 memories")`)
	p.settled()
	p.looksAsSigmaDraws()
	t.Logf("5,000 memories: %v", p.pan("whatever it takes"))
	all, none := p.pan("Infinity"), p.pan("0")
	t.Logf("5,000 memories, drawn in each frame: %v", all)
	t.Logf("5,000 memories, moved as a picture: %v", none)
	if all.Drawn < 25 || none.Drawn > 1 {
		t.Errorf("in 30 movements, a machine that is fast enough drew %d times, one that is not %d times", all.Drawn, none.Drawn)
	}
	if none.processor > all.processor/2 {
		t.Errorf("moving takes %.0f ms of the processor a frame, drawing %.0f ms", none.processor, all.processor)
	}
}

// panned is how the view moved.
type panned struct {
	Gaps      []float64 // ms between frames
	Drawn     int       // times
	processor float64   // ms of the graphics process a frame
}

func (p panned) String() string {
	slices.Sort(p.Gaps)
	n := len(p.Gaps)
	return fmt.Sprintf("frames come every %.0f ms (95 %%: %.0f), each takes %.0f ms of the processor; drawn %d times", p.Gaps[n/2], p.Gaps[n*95/100], p.processor, p.Drawn)
}

// pan moves the view 30 times, a frame each, on a machine for which drawing may take
// some ms, or "whatever it takes". It begins and ends at rest.
func (t *tab) pan(budget string) (result panned) {
	t.Helper()
	if budget == "whatever it takes" {
		budget = "budget.ms"
	}
	before := t.c.graphicsTime(t.T)
	t.eval(`(async () => {
		const { theRenderer } = await import("./graph.js");
		const { budget } = await import("./moving.js");
		const renderer = theRenderer();
		const camera = renderer.getCamera();
		const frame = () => new Promise(requestAnimationFrame);
		const usual = budget.ms;
		budget.ms = `+budget+`;
		let drawn = 0;
		const count = () => { drawn++; };
		renderer.on("afterRender", count);
		const gaps = [];
		let last = await frame();
		for (let i = 0; i < 30; i++) {
			camera.setState({ x: 0.5 + 0.004 * i, y: 0.5 - 0.002 * i });
			const now = await frame();
			gaps.push(now - last);
			last = now;
		}
		const whileMoving = drawn;
		camera.setState({ x: 0.5, y: 0.5 });
		while (drawn === whileMoving) await frame();
		renderer.off("afterRender", count);
		budget.ms = usual;
		globalThis.panned = { gaps, drawn: whileMoving };
	})()`, nil)
	t.wait(`Object.values(document.querySelectorAll("#canvas canvas")).every(({ style }) => style.transform === "")`)
	t.eval(`panned`, &result)
	result.processor = (t.c.graphicsTime(t.T) - before) * 1000 / float64(len(result.Gaps))
	return result
}

// looksAsSigmaDraws fails unless the drawing is, pixel by pixel, that of sigma's own
// programs, without their instances.
func (t *tab) looksAsSigmaDraws() {
	t.Helper()
	var compared struct {
		Instances          []int
		Different, Painted int
	}
	t.eval(`(async () => {
		const { theRenderer } = await import("./graph.js");
		const { nodePrograms, edgePrograms } = await import("./programs.js");
		const { NodeCircleProgram, EdgeRectangleProgram, EdgeArrowProgram } = Sigma.rendering;
		const renderer = theRenderer();
		const { drawArraysInstanced } = WebGL2RenderingContext.prototype;
		const instances = [];
		const pictureBy = (nodes, edges) => {
			let count = 0;
			WebGL2RenderingContext.prototype.drawArraysInstanced = function (...all) {
				count++;
				drawArraysInstanced.apply(this, all);
			};
			renderer.setSetting("nodeProgramClasses", nodes);
			renderer.setSetting("edgeProgramClasses", edges);
			renderer.refresh();
			WebGL2RenderingContext.prototype.drawArraysInstanced = drawArraysInstanced;
			instances.push(count);
			const { width, height } = renderer.getCanvases().nodes;
			const context = new OffscreenCanvas(width, height).getContext("2d");
			for (const layer of ["edges", "nodes"]) context.drawImage(renderer.getCanvases()[layer], 0, 0);
			return context.getImageData(0, 0, width, height).data;
		};
		const theirs = pictureBy({ circle: NodeCircleProgram }, { line: EdgeRectangleProgram, arrow: EdgeArrowProgram });
		const ours = pictureBy(nodePrograms, edgePrograms);
		let different = 0, painted = 0;
		ours.forEach((value, i) => {
			if (value !== theirs[i]) different++;
			if (value !== 0) painted++;
		});
		globalThis.compared = { instances, different, painted };
	})()`, nil)
	t.eval(`compared`, &compared)
	if compared.Different > 0 || compared.Painted == 0 {
		t.Errorf("%d of %d values differ from what sigma draws", compared.Different, compared.Painted)
	}
	if compared.Instances[0] == 0 || compared.Instances[1] > 0 {
		t.Errorf("sigma draws instances %d times, the page %d times", compared.Instances[0], compared.Instances[1])
	}
}
