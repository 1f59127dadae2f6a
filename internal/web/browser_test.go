//go:build browser

package web_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSearch(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.wait(`document.querySelector("#summary").innerText.startsWith("3 memories")`)
	p.click("#query")
	p.write("cancion del FARO")
	p.wait(`document.querySelector("#summary").innerText === "1 memory by words"`)
	if got := p.text("#list li mark"); got != "canción del faro" {
		t.Errorf("marked %q", got)
	}
	p.wait(`document.querySelector("#summary").innerText.endsWith("by meaning")`)
	if got := p.text("#list li .name"); got != "Lumen" {
		t.Errorf("the best by meaning is %q", got)
	}
	p.click("#list li .why summary")
	for _, want := range []string{"Meaning", "Words", "Evidence", "Lead", "Recency", "Use", "Score", "Distance", "1st by"} {
		if got := p.text("#list li .breakdown"); !strings.Contains(got, want) {
			t.Errorf("the breakdown lacks %s: %s", want, got)
		}
	}
	p.keys("Escape")
	p.wait(`document.querySelector("#summary").innerText.startsWith("3 memories")`)
}

func TestEdit(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	before := s.document(t)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.wait(`document.querySelector("#entity h1")?.innerText === "Ana Ruiz"`)
	for name, change := range map[string]struct {
		make func()
		done string // condition
	}{
		"add an observation": {func() {
			p.click(".observations .add textarea")
			p.write("New fact")
			p.click(".observations .add button")
		}, `document.querySelectorAll(".observations li").length === 4`},
		"change an observation": {func() {
			p.click(".observations li button")
			p.wait(`document.querySelector(".editing textarea").value === "Leads the lighthouse project"`)
			p.write(" now")
			p.click(".editing .primary")
		}, `document.querySelector(".observations ul").innerText.includes("lighthouse project now")`},
		"remove an observation": {func() {
			p.click(".observations li:nth-child(2) button:last-of-type")
		}, `document.querySelectorAll(".observations li").length === 2`},
		"change the type": {func() {
			p.click("#entity header > .quiet")
			p.write("engineer")
			p.keys("Enter")
		}, `document.querySelector("#entity header > .quiet")?.innerText === "engineer"`},
		"add a relation": {func() {
			p.click(".add.relation input")
			p.write("likes")
			p.click(".add.relation input:last-of-type")
			p.write("Lumen")
			p.keys("Enter")
		}, `document.querySelectorAll(".relations li").length === 3`},
		"remove a relation": {func() {
			p.click(".relations li button")
		}, `document.querySelectorAll(".relations li").length === 1`},
		"delete": {func() {
			p.click("#entity .danger")
		}, `document.querySelector("#entity").hidden && document.querySelectorAll("#list li").length === 2`},
	} {
		t.Run(name, func(t *testing.T) {
			change.make()
			p.wait(change.done)
			if s.document(t) == before {
				t.Error("nothing is changed")
			}
			done := p.text(".toast:last-child span")
			p.click(".toast:last-child button")
			p.wait(`document.querySelector(".toast:last-child span")?.innerText === ` + quoted("Undone: "+done))
			p.wait(`document.querySelectorAll(".observations li").length === 3 && document.querySelectorAll(".relations li").length === 2`)
			if diff := cmp.Diff(before, s.document(t)); diff != "" {
				t.Errorf("after undoing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKeyboard(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	before := s.document(t)
	p := s.page(t)
	p.keys("?")
	p.wait(`document.querySelector("#dialog").open`)
	p.keys("Escape")
	p.wait(`!document.querySelector("#dialog").open`)
	p.keys("/")
	p.wait(`document.activeElement.id === "query"`)
	p.write("lighthouse")
	p.wait(`document.querySelector("#summary").innerText.endsWith("by meaning")`)
	p.keys("ArrowDown", "ArrowDown", "ArrowUp")
	p.wait(`document.activeElement === document.querySelector("#list li a")`)
	p.keys("e")
	p.wait(`document.querySelector("#list li details").open`)
	var name string
	p.eval(`document.activeElement.parentNode.dataset.name`, &name)
	p.keys("Enter")
	p.wait(`document.activeElement === document.querySelector("#entity h1") && document.activeElement.innerText === ` + quoted(name))
	for range 30 { // Tab leads to everything; Delete is among it
		p.keys("Tab")
		var there bool
		if p.eval(`document.activeElement.matches(".danger")`, &there); there {
			break
		}
	}
	p.wait(`document.activeElement.matches(".danger")`)
	p.keys("Enter")
	p.wait(`location.hash === "#/" && document.querySelector("#entity").hidden`)
	p.eval(`document.activeElement.blur()`, nil)
	p.keys("u")
	p.wait(`document.querySelector("#entity h1")?.innerText === ` + quoted(name))
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}
	p.keys("Escape")
	p.wait(`location.hash === "#/"`)
	p.wait(`document.activeElement.closest("#list li")?.dataset.name === ` + quoted(name))
	p.keys("g")
	p.wait(`location.hash === "#/graph" && document.querySelector("#graph-note").innerText.startsWith("3 memories")`)
	p.keys("Escape", "n")
	p.wait(`document.activeElement.id === "new-name"`)
	p.write("Kiko")
	p.keys("Tab", "Tab")
	p.write("A cat")
	p.keys("Tab", "Enter")
	p.wait(`document.querySelector("#entity h1")?.innerText === "Kiko"`)
	p.wait(`!document.querySelector("#dialog").open`)
	p.keys("u")
	p.wait(`location.hash === "#/" && document.querySelector("#summary").innerText.length > 0`)
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}
}

// Whatever is stored is text.
func TestHostileContent(t *testing.T) {
	s := newServer(t, nil)
	const evil = `<img src=x onerror=hacked=1>`
	s.load(t, strings.NewReplacer(
		"Ana Ruiz", evil+"A", "person", `\"><script>hacked=1</script>`, "Leads", evil+" leads",
		`"leads"`, `"<svg onload=hacked=1>"`, "Project Faro", "javascript:hacked=1").Replace(faro))
	p := s.page(t)
	p.click("#query")
	p.write("<img")
	p.wait(`document.querySelector("#list li mark")?.innerText === "<img"`)
	p.wait(`document.querySelector("#summary").innerText.endsWith("by meaning")`)
	p.keys("ArrowDown", "Enter")
	p.wait(`document.querySelector("#entity h1")?.innerText === ` + quoted(evil+"A"))
	p.click(".relations li a")
	p.wait(`document.querySelector("#entity h1")?.innerText === "javascript:hacked=1"`)
	p.click("#entity .actions .button")
	p.settled()
	p.eval(`location.hash = "#/entity/" + encodeURIComponent(`+quoted(evil+"A")+`)`, nil)
	p.wait(`document.querySelector("#entity h1")?.innerText === ` + quoted(evil+"A"))
	p.click("#entity .danger")
	p.wait(`document.querySelector(".toast")?.innerText.includes("<img")`)
	p.click("#undo")
	p.wait(`document.querySelector(".toast")?.innerText.startsWith("Undone: Deleted <img")`)
	var found int
	p.eval(`(window.hacked ?? 0) + document.querySelectorAll("main img, main script, main svg, #toasts img").length`, &found)
	if found != 0 {
		t.Error("stored text became markup")
	}
	// The policy itself refuses what the code never does.
	var refused bool
	p.eval(`(() => { try { document.createElement("p").innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`, &refused)
	if !refused {
		t.Error("the policy lets text become markup")
	}
	p.allow("TrustedHTML", "trusted-types")
}

func TestPhone(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, strings.Replace(faro, "Prefers calls before noon", strings.Repeat("averyveryverylongword", 20), 1))
	p := newTab(t, browser, s.URL)
	p.screen(360, 740)
	p.open(s.URL + "/#token=" + token)
	p.wait(`document.querySelectorAll("#list li").length === 3`)
	fits := func(what string) {
		t.Helper()
		var wide []string
		p.eval(`[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && !e.closest("#canvas, .toast") && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 120))`, &wide)
		if len(wide) > 0 {
			t.Errorf("%s is wider than the screen: %q", what, wide)
		}
	}
	fits("the list")
	p.click("#query")
	p.write("lighthouse")
	p.wait(`document.querySelector("#summary").innerText.endsWith("by meaning")`)
	p.click("#list li .why summary")
	fits("a breakdown")
	p.click(`#list li[data-name="Ana Ruiz"] > a`)
	p.wait(`document.querySelector("#entity h1")?.checkVisibility() && !document.querySelector("#list").checkVisibility()`)
	fits("a memory")
	p.click(".observations li button")
	fits("an observation that is edited")
	p.write(" more")
	replace(t, s, "Ana Ruiz", "Leads the lighthouse project", "Leads two projects")
	p.click(".editing .primary")
	p.wait(`document.querySelector(".rescue")`)
	fits("what was changed meanwhile")
	p.click(".back")
	p.wait(`document.querySelector("#list").checkVisibility() && !document.querySelector("#entity").checkVisibility()`)
	p.wait(`!document.querySelector("#unsaved").hidden`)
	fits("the bar with what is not saved")
	p.click("#new")
	fits("a dialog")
	p.keys("Escape")
	p.click("#to-graph")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("3 memories")`)
	fits("the graph")
	p.eval(`location.hash = "#/graph/Lumen"`, nil)
	p.wait(`document.querySelector("#graph-note a")?.checkVisibility()`)
	fits("a chosen memory in the graph")
	p.click("#graph-note a")
	p.wait(`document.querySelector("#entity h1")?.checkVisibility() && document.querySelector("#entity h1").innerText === "Lumen"`)
	p.click("#entity .danger")
	p.wait(`!document.querySelector("#undo").hidden`)
	fits("the bar with all its buttons")
	back := s.away()
	p.wait(`document.querySelector("#gone").checkVisibility()`)
	fits("that the server does not answer")
	back()
	p.wait(`document.querySelector("#gone").hidden`)
	p.allow("409", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION")
}

func TestThemes(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	ground := func() (light bool) {
		t.Helper()
		p.eval(`Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]) > 128`, &light)
		return light
	}
	p.prefers("dark")
	if ground() {
		t.Error("light, where the system is dark")
	}
	p.prefers("light")
	if !ground() {
		t.Error("dark, where the system is light")
	}
	p.keys("t")
	if ground() {
		t.Error("light, after dark was chosen")
	}
	p.reload()
	if ground() {
		t.Error("light, after dark was chosen and the page loaded again")
	}
	p.keys("t")
	if !ground() {
		t.Error("dark, after light was chosen")
	}
}
